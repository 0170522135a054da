/** Edits while Temporal is away: they are in force at once, and their job waits for the patrol. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ControlError, type CrawlControl } from '../../../api/crawls/crawl-control.ts';
import type { Explanation } from '../../../contracts/http/explain.ts';
import type { ConfigVersion } from '../../../contracts/http/edits.ts';
import { ask, newKey } from './asking.ts';
import { addUrl, changeCrawl, fromNow } from '../../support/database/index.ts';
import {
  newCrawl,
  newRunningCrawl,
  noteTaker,
  serve,
  startServices,
  type Api,
  type Services,
} from './world.ts';

let services: Services;
let api: Api;
let key: string;
let control: CrawlControl;
beforeAll(async () => {
  services = await startServices();
  control = {
    ...noteTaker(services.pool),
    wakeJob: () => Promise.reject(new ControlError('unavailable', 'Temporal does not answer', null)),
  };
  api = await serve(services.pool, control, 1e6, undefined, { anonymous: true });
  key = await newKey(services.pool, '1', 'operator');
});
afterAll(async () => {
  await api.stop();
  await services.stop();
});

it('an edit is stored and in force', async () => {
  const id = await newCrawl(services.pool);
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
  const id = await newCrawl(services.pool);
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
  const id = await newRunningCrawl(services.pool, { maxSeconds: 900 });
  await addUrl(services.pool, id, 'https://ending.example/');
  await changeCrawl(services.pool, id, { started_at: fromNow(-60) });
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
