/** Caps on addresses and domains over HTTP (F05). */
import { describe, expect, it } from 'vitest';
import type { CapView } from '../../../contracts/http/caps.ts';
import type { Problem } from '../../../contracts/http/problem.ts';
import { tables } from '../../support/database/index.ts';
import { ask, type Answer } from './asking.ts';
import { withApi } from './world.ts';

const { pool, api } = withApi();

const call = <T>(method: string, path: string, body?: unknown): Promise<Answer<T>> =>
  ask<T>(api.url, null, method, path, body);

describe('/v1/caps', () => {
  it('sets, lists and takes back the cap of a domain and of an address, however they are written', async () => {
    const domain = await call<CapView>('POST', '/v1/caps', { name: 'Example.ORG.', rate: 5, inFlight: 2 });
    expect(domain).toMatchObject({ status: 200, body: { name: 'example.org', rate: 5, inFlight: 2 } });
    const address = await call<CapView>('POST', '/v1/caps', { name: '2001:DB8:1:2::7', rate: 0.5 });
    expect(address.body).toMatchObject({ name: '2001:db8:1:2::/64', rate: 0.5, inFlight: null });
    await call('POST', '/v1/caps', { name: '192.0.2.7', rate: null });
    await call('POST', '/v1/caps', { name: 'example.org', rate: 7 });

    const list = await call<{ items: CapView[]; next: string | null }>('GET', '/v1/caps?limit=2');
    expect(list.body.items.map(({ name, rate }) => [name, rate])).toEqual([
      ['192.0.2.7', null],
      ['2001:db8:1:2::/64', 0.5],
    ]);
    const rest = await call<{ items: CapView[]; next: string | null }>(
      'GET',
      `/v1/caps?cursor=${encodeURIComponent(list.body.next ?? '')}`,
    );
    expect(rest.body).toMatchObject({
      items: [{ name: 'example.org', rate: 7, inFlight: null }],
      next: null,
    });

    const path = `/v1/caps/${encodeURIComponent('2001:db8:1:2::/64')}`;
    expect((await call<CapView>('DELETE', path)).body).toMatchObject({ rate: 0.5 });
    const again = await call<Problem>('DELETE', path);
    expect(again).toMatchObject({ status: 404, body: { detail: 'No cap was set for 2001:db8:1:2::/64.' } });
    expect((await tables.cap.rows(pool)).map(({ name }) => name)).toEqual(['192.0.2.7', 'example.org']);
  });

  it.each([
    [{ name: 'a.example', rate: 0 }, /whole number from 1 to 1000, or a fraction of 1/],
    [{ name: 'a.example', rate: -1 }, /whole number from 1/],
    [{ name: 'a.example', rate: 2.5 }, /whole number from 1/],
    [{ name: 'a.example', rate: 1_001 }, /whole number from 1/],
    [{ name: 'a.example', rate: '5' }, /rate/],
    [{ name: 'a.example', rate: 5, inFlight: 0 }, /inFlight/],
    [{ name: 'a.example', rate: null, inFlight: 3 }, /inFlight takes a rate/],
    [{ name: 'a.example' }, /rate/],
    [{ name: 'blog.a.example', rate: 5 }, /is part of a\.example: set the cap for the whole of that domain/],
    [{ name: 'github.io', rate: 5 }, /is no registered domain: names below it belong to different people/],
    [{ name: 'localhost', rate: 5 }, /is no registered domain/],
    [{ name: '192.0.2.0/24', rate: 5 }, /is no domain such as/],
    [{ name: 'a b', rate: 5 }, /is no domain such as/],
  ])('refuses %j', async (body, words) => {
    const { status, body: problem } = await call<Problem>('POST', '/v1/caps', body);
    expect(status).toBe(422);
    expect(JSON.stringify(problem)).toMatch(words);
  });
});
