/** Every answer tells its request's id and who answered; problems tell the id as well. */
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../contracts/http/problem.ts';
import { withApi } from './world.ts';

const { api } = withApi();

const idOf = async (id?: string): Promise<string | null> =>
  (
    await fetch(`${api.url}/v1/crawls`, { headers: id === undefined ? {} : { 'x-request-id': id } })
  ).headers.get('x-request-id');

describe('X-Request-Id', () => {
  it('is made for each request, and taken over where it is one that a log can hold', async () => {
    const [one, other] = [await idOf(), await idOf()];
    expect(one).toMatch(/^[0-9a-f-]{36}$/);
    expect(other).not.toBe(one);
    expect(await idOf('trace-0123456789.a:b')).toBe('trace-0123456789.a:b');
    for (const bad of ['short', 'x'.repeat(129), 'a b c d e f g', '"quoted-quoted"'])
      expect(await idOf(bad)).not.toBe(bad);
  });

  it('stands in problems, of all layers', async () => {
    for (const path of ['/nothing', '/v1/crawls/999', '/v1/crawls?limit=x']) {
      const response = await fetch(api.url + path);
      expect(((await response.json()) as Problem).requestId).toBe(response.headers.get('x-request-id'));
    }
  });
});

it('every answer says which version gave it', async () => {
  for (const path of ['/healthz', '/v1/crawls', '/nothing', '/crawler']) {
    expect((await fetch(api.url + path)).headers.get('orbweaver-version')).toBe('0.0.0');
  }
});
