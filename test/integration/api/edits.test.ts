/** Edits while Temporal is away: they are in force at once, and their job waits for the patrol. */
import { beforeAll, describe, expect, it } from 'vitest';
import { ControlError, type CrawlControl } from '../../../api/crawls/crawl-control.ts';
import type { Explanation } from '../../../contracts/http/explain.ts';
import type { ConfigVersion } from '../../../contracts/http/edits.ts';
import { ask, newKey, newTenant } from './asking.ts';
import { addUrl, changeCrawl, fromNow } from '../../support/database/index.ts';
import { newCrawl, newRunningCrawl, noteTaker, withServices, withServed } from './world.ts';

const { pool } = withServices();
const control: CrawlControl = {
  ...noteTaker(pool),
  wakeJob: () => Promise.reject(new ControlError('unavailable', 'Temporal does not answer', null)),
};
const api = withServed(pool, { control, anonymous: true });
let key: string;
beforeAll(async () => {
  key = await newKey(pool, '1', 'operator');
});

it('an edit is stored and in force', async () => {
  const id = await newCrawl(pool);
  const edit = await ask<ConfigVersion>(api.url, key, 'PATCH', `/v1/crawls/${id}`, { maxDepth: 4 });
  expect(edit).toMatchObject({
    status: 200,
    body: { version: 2, config: { maxDepth: 4 }, effect: { state: 'pending', judged: 0, endedAt: null } },
  });
  const { body } = await ask(api.url, key, 'GET', `/v1/crawls/${id}`);
  expect(body).toMatchObject({ configVersion: 2, config: { maxDepth: 4 } });
  const explained = await ask<Explanation>(
    api.url,
    key,
    'GET',
    `/v1/crawls/${id}/explain?url=https://a.example/`,
  );
  expect(explained.body.decisions).toContainEqual(
    expect.objectContaining({ verdict: 'settings', detail: { version: 2, editing: true } }),
  );
});

it('versions are listed from the latest on, page by page', async () => {
  const id = await newCrawl(pool);
  for (const maxDepth of [1, 2, 3]) await ask(api.url, key, 'PATCH', `/v1/crawls/${id}`, { maxDepth });
  interface Versions {
    items: ConfigVersion[];
    next: string | null;
  }
  const list = async (query: string) =>
    (await ask<Versions>(api.url, key, 'GET', `/v1/crawls/${id}/versions?limit=3${query}`)).body;
  const first = await list('');
  expect(first.items.map(({ version, config, effect }) => [version, config.maxDepth, effect.state])).toEqual([
    [4, 3, 'pending'],
    [3, 2, 'superseded'],
    [2, 1, 'superseded'],
  ]);
  const rest = await list(`&cursor=${String(first.next)}`);
  expect(rest).toMatchObject({
    items: [{ version: 1, author: null, config: { maxDepth: null } }],
    next: null,
  });
});

it('an edit that ends the crawl is refused unless it may, and its preview says so', async () => {
  const id = await newRunningCrawl(pool, { maxSeconds: 900 });
  await addUrl(pool, id, 'https://ending.example/');
  await changeCrawl(pool, id, { started_at: fromNow(-60) });
  const path = `/v1/crawls/${id}`;
  const asked = { maxSeconds: 30 };
  const preview = await ask(api.url, key, 'PATCH', `${path}?dryRun=true`, asked);
  expect(preview.body).toMatchObject({ ends: 'limit:max-seconds', excluded: 1, goesOn: false });
  const refused = await ask(api.url, key, 'PATCH', path, asked);
  expect(refused).toMatchObject({
    status: 409,
    body: {
      detail: expect.stringMatching(/would end crawl \d+ at once \(max-seconds\).*"mayEnd"/) as string,
    },
  });
  expect((await ask(api.url, key, 'GET', path)).body).toMatchObject({ configVersion: 1 });
  const made = await ask(api.url, key, 'PATCH', path, { ...asked, mayEnd: true });
  expect(made).toMatchObject({ status: 200, body: { version: 2, config: { maxSeconds: 30 } } });
  expect(made.body).not.toHaveProperty('config.mayEnd');
});

describe('an edit is refused', () => {
  it.each<[object | null]>([
    [{}],
    [{ note: 'x' }],
    [{ userAgent: 'other' }],
    [{ allowPrivate: [] }],
    [{ maxDepth: -1 }],
    [{ seeds: ['https://example.com/'] }],
    [{ excludeDomains: ['a b'] }],
    [{ exclude: 'x' }],
    [[]],
  ])('that makes no sense or cannot be: %j', async (edit) => {
    expect((await ask(api.url, key, 'PATCH', `/v1/crawls/${await newCrawl(pool)}`, edit)).status).toBe(422);
  });

  it('of a crawl that is over, or back to a version that there is not; one that changes nothing makes none', async () => {
    const path = `/v1/crawls/${await newCrawl(pool)}`;
    const patch = (query: string, maxDepth: number | null) =>
      ask(api.url, key, 'PATCH', path + query, { maxDepth });
    expect((await patch('?dryRun=maybe', 1)).status).toBe(400);
    expect(await patch('', null)).toMatchObject({ status: 200, body: { version: 1 } });
    expect((await ask(api.url, key, 'POST', `${path}/versions/7/restore`)).status).toBe(404);
    expect((await ask(api.url, key, 'POST', `${path}/cancel`)).status).toBe(200);
    for (const query of ['', '?dryRun=true']) expect((await patch(query, 1)).status).toBe(409);
  });

  it('to readers, and to everybody else', async () => {
    const path = `/v1/crawls/${await newCrawl(pool)}`;
    const reader = await newKey(pool, '1', 'reader');
    const stranger = await newKey(pool, await newTenant(pool), 'admin');
    for (const [method, of, body, status] of [
      ['PATCH', '', { maxDepth: 1 }, 403],
      ['PATCH', '?dryRun=true', { maxDepth: 1 }, 403],
      ['POST', '/versions/1/restore', {}, 403],
      ['GET', '/versions', undefined, 200],
      ['GET', '/versions/1', undefined, 200],
    ] as const) {
      expect((await ask(api.url, reader, method, path + of, body)).status).toBe(status);
      expect((await ask(api.url, stranger, method, path + of, body)).status).toBe(404);
    }
  });
});
