/**
 * Settings that change while a crawl runs (G6): in force at once, applied to what was found, told beforehand, undone.
 *
 * @module-tag deep
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrawlEvent } from '../../contracts/http/events.ts';
import type { CrawlView, CreatedCrawl } from '../../contracts/http/crawls.ts';
import type { ConfigVersion, EditPreview } from '../../contracts/http/edits.ts';
import { auditCrawl } from '../../storage/reports/index.ts';
import { startSite, type Answer, type Site } from '../integration/activities/site.ts';
import { ask, newKey, newTenant } from '../integration/api/asking.ts';
import type { Api } from '../integration/api/world.ts';
import { not, tables, urlLines } from '../support/database/index.ts';
import { closedGate } from '../support/gate.ts';
import { until } from '../support/until.ts';
import type { CrawlDesk } from '../support/crawling.ts';
import { startServing, type Serving } from '../support/serving.ts';
import { makeBlobDir } from '../support/worker.ts';
import { expectedOf } from '../web/expected.ts';
import { judge } from '../web/judge.ts';
import { startWeb } from '../web/server.ts';

let serving: Serving;
let desk: CrawlDesk;
let api: Api;
let key: string;
beforeAll(async () => {
  serving = await startServing({ blobDir: makeBlobDir() });
  ({ desk, api, key } = serving);
});
afterAll(() => serving.close());

interface EventList {
  readonly items: readonly CrawlEvent[];
}

const sections = ['news', 'shop', 'talk'] as const;

/** A start page that links to `pages` pages of each section; their links lead to another host where there is one. */
async function site(
  pages: number,
  other?: Site,
  held: (answer: Answer) => Answer = (answer) => answer,
): Promise<Site> {
  const numbers = Array.from({ length: pages }, (_, number) => number);
  const paths = sections.flatMap((section) => numbers.map((number) => `/${section}/${String(number)}.html`));
  const answer =
    (links: readonly string[]): Answer =>
    (response, request) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const anchors = links.map((link) => `<a href="${link}">${link}</a>`).join(' ');
      response.end(`<title>${request.url ?? ''}</title>${anchors} ${String(request.headers.host)}`);
    };
  const made = await startSite();
  made.answers = Object.fromEntries([
    ['/', answer(paths)] as const,
    ...paths.map(
      (path) => [path, held(answer(other === undefined ? [] : [`${other.origin}${path}`]))] as const,
    ),
  ]);
  return made;
}

const post = <T>(path: string, body?: unknown) => ask<T>(api.url, key, 'POST', path, body);
const viewOf = async (id: string) => (await ask<CrawlView>(api.url, key, 'GET', `/v1/crawls/${id}`)).body;
const patch = async <T = ConfigVersion>(id: string, edit: object, dryRun = false): Promise<T> => {
  const path = `/v1/crawls/${id}${dryRun ? '?dryRun=true' : ''}`;
  const { status, body } = await ask<T>(api.url, key, 'PATCH', path, edit);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body;
};
const applied = async (id: string, version: number): Promise<ConfigVersion> => {
  const path = `/v1/crawls/${id}/versions/${String(version)}`;
  const get = async () => (await ask<ConfigVersion>(api.url, key, 'GET', path)).body;
  await until(`version ${String(version)} is applied`, async () => (await get()).effect.state !== 'pending');
  return get();
};
/** A copy of the settings is a second old at most. */
const inForce = (): Promise<void> => new Promise((wake) => setTimeout(wake, 1_300));
async function start(seeds: string | readonly string[], config: object): Promise<string> {
  const wanted = { seeds, allowPrivate: ['127.0.0.0/8'], ...config };
  const { status, body } = await post<CreatedCrawl>('/v1/crawls', wanted);
  expect(status).toBe(201);
  return body.id;
}
const ended = async (id: string): Promise<CrawlView> => {
  await until(`crawl ${id} is over`, async () => (await viewOf(id)).endedAt !== null);
  expect((await auditCrawl(desk.pool, id))?.differences).toEqual([]);
  return viewOf(id);
};
const frontier = (id: string): Promise<string[]> =>
  urlLines(desk.pool, { crawl_id: id }, 'state', 'reason', 'detail', 'priority', 'due_at');
const fetchedOf = (from: Site, section: string): number =>
  from.paths().filter((path) => path.startsWith(`/${section}/`)).length;

describe('an edit', () => {
  it('holds for the next request, and what it kept out comes back when it is undone', async () => {
    // The one request that is on its way meanwhile has no answer until the edit is in force.
    const edited = closedGate();
    const web = await site(
      30,
      undefined,
      (answer) =>
        (...request) =>
          (web.paths().length > 8 ? edited.behind(answer) : answer)(...request),
    );
    const id = await start(`${web.origin}/`, { delaySeconds: 0.1 });
    await until('some pages are fetched', () => web.paths().length > 8);
    const edit = await patch(id, { exclude: ['*/shop/*'], note: 'no shops' });
    expect(edit).toMatchObject({
      version: 2,
      note: 'no shops',
      author: expect.stringMatching(/^key /) as string,
    });
    await inForce();
    const before = fetchedOf(web, 'shop');
    edited.open();
    const { effect } = await applied(id, 2);
    expect(effect).toMatchObject({ state: 'applied', readmitted: 0 });
    await until('the others are fetched', () => fetchedOf(web, 'news') + fetchedOf(web, 'talk') === 60);
    expect(fetchedOf(web, 'shop')).toBe(before);
    const first = await ended(id);
    expect(first.ledger).toMatchObject({ excluded: 30 - before, done: 61 + before });

    const restored = await post<ConfigVersion>(`/v1/crawls/${id}/versions/1/restore`);
    expect(restored).toMatchObject({ status: 200, body: { version: 3, restores: 1 } });
    expect((await applied(id, 3)).effect).toMatchObject({ readmitted: 30 - before, excluded: 0 });
    await until('the shops are fetched', () => fetchedOf(web, 'shop') === 30);
    expect((await ended(id)).ledger).toMatchObject({ excluded: 0, done: 91 });
    const { items } = (await ask<EventList>(api.url, key, 'GET', `/v1/crawls/${id}/events`)).body;
    expect(items.filter(({ kind }) => kind === 'crawl.edited').map(({ data }) => data)).toEqual([
      { version: 2, restores: null },
      { version: 3, restores: 1 },
    ]);
    expect(new Set(web.paths()).size).toBe(web.paths().length);
  });

  it('does what its preview says, and its undoing leaves the frontier as it was', async () => {
    const web = await site(40);
    const id = await start(`${web.origin}/`, { delaySeconds: 0.1, maxDepth: 3, exclude: ['*/talk/3*'] });
    await until('some pages are fetched', () => web.paths().length > 5);
    expect((await post(`/v1/crawls/${id}/pause`)).status).toBe(200);
    await until('nothing is in flight', async () => (await viewOf(id)).ledger.leased === 0);
    const before = await frontier(id);

    const edit = { include: ['*/news/*', '*/talk/*'], exclude: ['*/news/1*'] };
    const preview = await patch<EditPreview>(id, edit, true);
    expect(await frontier(id)).toEqual(before);
    expect((await viewOf(id)).configVersion).toBe(1);
    const { version } = await patch(id, edit);
    const { effect } = await applied(id, version);
    expect(preview).toMatchObject({
      complete: true,
      links: null,
      queued: (await viewOf(id)).ledger.queued + effect.excluded - effect.readmitted,
    });
    expect([preview.judged, preview.excluded, preview.readmitted]).toEqual([
      effect.judged, effect.excluded, effect.readmitted,
    ]); // prettier-ignore
    expect(effect.readmitted).toBe(11);
    expect(effect.excluded).toBeGreaterThan(20);
    expect(preview.byRule).toContainEqual({
      reason: 'pattern',
      rule: '*/talk/3*',
      excluded: 0,
      readmitted: 11,
    });
    expect(preview.byHost).toEqual([
      { origin: web.origin, excluded: preview.excluded, readmitted: preview.readmitted },
    ]);

    const undone = await post<ConfigVersion>(`/v1/crawls/${id}/versions/1/restore`, { note: 'as it was' });
    expect((await applied(id, undone.body.version)).effect).toMatchObject({
      excluded: effect.readmitted,
      readmitted: effect.excluded,
    });
    expect(await frontier(id)).toEqual(before);
    expect((await auditCrawl(desk.pool, id))?.differences).toEqual([]);
    expect((await post(`/v1/crawls/${id}/cancel`)).status).toBe(200);
  });

  it('that widens the scope brings in what stored pages link to, also where the crawl had ended', async () => {
    const other = await site(0);
    const web = await site(5, other);
    const id = await start(`${web.origin}/`, { delaySeconds: 0 });
    expect(await ended(id)).toMatchObject({ state: 'finished', ledger: { done: 16, discovered: 16 } });
    expect(other.paths()).toEqual([]);
    const preview = await patch<EditPreview>(id, { scope: 'any' }, true);
    expect(preview).toMatchObject({ links: 15, excluded: 0, readmitted: 0, complete: true });
    await patch(id, { scope: 'any' });
    expect((await applied(id, 2)).effect).toMatchObject({ pagesReread: 16, admitted: 15 });
    expect(await ended(id)).toMatchObject({ state: 'finished', ledger: { done: 31, discovered: 31 } });
    expect(other.paths().filter((path) => path !== '/robots.txt').sort()).toEqual(
      web.paths().filter((path) => path.endsWith('.html')).sort(),
    ); // prettier-ignore
  });

  it('of the limit for a host, or of the types that are taken, queues again what these had kept out', async () => {
    const web = await site(20);
    const limits = { maxPagesPerHost: 30, contentTypes: ['image/*', 'text/html'] };
    const id = await start(`${web.origin}/`, { delaySeconds: 0, ...limits });
    expect((await ended(id)).ledger).toMatchObject({ done: 30, excluded: 31 });
    expect(await patch<EditPreview>(id, { maxPagesPerHost: 40 }, true)).toMatchObject({
      readmitted: 10,
      excluded: 0,
      byRule: [{ reason: 'host-limit', rule: null, readmitted: 10, excluded: 0 }],
    });
    await patch(id, { contentTypes: ['image/*'] });
    expect((await applied(id, 2)).effect).toMatchObject({ readmitted: 0, excluded: 0 });
    await inForce();
    await patch(id, { maxPagesPerHost: 40 });
    expect((await applied(id, 3)).effect).toMatchObject({ readmitted: 10, excluded: 0 });
    expect((await ended(id)).ledger).toMatchObject({ done: 30, excluded: 31 });
    const edit = { contentTypes: ['text/html'] };
    expect(await patch<EditPreview>(id, edit, true)).toMatchObject({
      byRule: [{ reason: 'content-type', rule: 'text/html', readmitted: 10, excluded: 0 }],
    });
    await patch(id, edit);
    await inForce();
    expect((await applied(id, 4)).effect).toMatchObject({ readmitted: 10 });
    expect((await ended(id)).ledger).toMatchObject({ done: 40, excluded: 21 });
  });

  it('may follow another, and another: in the end all is fetched that the last one admits, each once', async () => {
    const web = await startWeb({ seed: 88, hosts: 3, pages: 50, latencyMs: 5 });
    try {
      const id = await start(web.seeds, { scope: 'any', delaySeconds: 0.1 });
      const filters = [['*1*'], ['*.html'], [], ['*articles*', '*news*'], ['*docs*'], ['*2*', '*3*'], ['*']];
      for (let turn = 0; turn < 21; turn++) {
        const exclude = filters[turn % filters.length] ?? [];
        await patch(id, { exclude, maxUrlLength: turn % 3 === 0 ? 60 : 2_048 });
        await new Promise((wake) => setTimeout(wake, 150 + (turn % 5) * 120));
        if (turn === 10) {
          await serving.killWorker();
          await serving.nextWorker();
        }
      }
      const last = await patch(id, { exclude: [], maxUrlLength: 2_048 });
      expect((await applied(id, last.version)).effect.state).toBe('applied');
      const view = await ended(id);
      expect(view).toMatchObject({ state: 'finished', reason: 'complete', ledger: { failed: 0 } });
      expect(
        await tables.url.count(desk.pool, { crawl_id: id, state: 'excluded', reason: not('robots') }),
      ).toBe(0);
      const verdict = judge(web.log(), { delayMs: 100, expected: expectedOf(web.plan) });
      // The request that a killed worker had in flight may be repeated.
      expect(verdict).toMatchObject({
        overlaps: [],
        tooSoon: [],
        missing: [],
        unexpected: [],
        disallowed: [],
      });
      expect([...verdict.repeated.values()].filter((times) => times > 2)).toEqual([]);
      expect(verdict.repeated.size).toBeLessThanOrEqual(3);
    } finally {
      await web.stop();
    }
  });
});

describe('an edit is refused', () => {
  it('with settings that make no sense, cannot change, or change nothing', async () => {
    const web = await site(0);
    const id = await start(`${web.origin}/`, { delaySeconds: 60 });
    for (const edit of [
      {},
      { note: 'x' },
      { userAgent: 'other' },
      { allowPrivate: [] },
      { maxDepth: -1 },
      { seeds: ['https://example.com/'] },
      { excludeDomains: ['a b'] },
      { exclude: 'x' },
      [],
    ])
      // prettier-ignore
      expect([edit, (await ask(api.url, key, 'PATCH', `/v1/crawls/${id}`, edit)).status]).toEqual([edit, 422]);
    expect((await ask(api.url, key, 'PATCH', `/v1/crawls/${id}?dryRun=maybe`, { maxDepth: 1 })).status).toBe(
      400,
    );
    // Nothing new: no version is made.
    expect(await patch(id, { maxDepth: null })).toMatchObject({ version: 1 });
    expect((await post(`/v1/crawls/${id}/versions/7/restore`)).status).toBe(404);
    expect((await post(`/v1/crawls/${id}/cancel`)).status).toBe(200);
    await until('it is over', async () => (await viewOf(id)).endedAt !== null);
    expect((await ask(api.url, key, 'PATCH', `/v1/crawls/${id}`, { maxDepth: 1 })).status).toBe(409);
    expect((await ask(api.url, key, 'PATCH', `/v1/crawls/${id}?dryRun=true`, { maxDepth: 1 })).status).toBe(
      409,
    );
  });

  it('to readers, and to everybody else', async () => {
    const web = await site(0);
    const id = await start(`${web.origin}/`, { delaySeconds: 60 });
    const reader = await newKey(desk.pool, '1', 'reader');
    const stranger = await newKey(desk.pool, await newTenant(desk.pool), 'admin');
    const asked: readonly [string, string, object?][] = [
      ['PATCH', `/v1/crawls/${id}`, { maxDepth: 1 }],
      ['PATCH', `/v1/crawls/${id}?dryRun=true`, { maxDepth: 1 }],
      ['POST', `/v1/crawls/${id}/versions/1/restore`, {}],
    ];
    for (const [method, path, body] of asked) {
      expect((await ask(api.url, reader, method, path, body)).status).toBe(403);
      expect((await ask(api.url, stranger, method, path, body)).status).toBe(404);
    }
    for (const path of [`/v1/crawls/${id}/versions`, `/v1/crawls/${id}/versions/1`]) {
      expect((await ask(api.url, reader, 'GET', path)).status).toBe(200);
      expect((await ask(api.url, stranger, 'GET', path)).status).toBe(404);
    }
    expect((await post(`/v1/crawls/${id}/cancel`)).status).toBe(200);
  });

  it('where somebody else was first: of two with the same ETag one wins', async () => {
    const web = await site(0);
    const id = await start(`${web.origin}/`, { delaySeconds: 60 });
    const { headers } = await ask(api.url, key, 'GET', `/v1/crawls/${id}`);
    const etag = headers.get('etag') ?? '';
    const edit = (maxDepth: number) =>
      fetch(`${api.url}/v1/crawls/${id}`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'if-match': etag },
        body: JSON.stringify({ maxDepth }),
      });
    const answers = await Promise.all([edit(3), edit(4)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    const { items } = (
      await ask<{ items: ConfigVersion[] }>(api.url, key, 'GET', `/v1/crawls/${id}/versions`)
    ).body;
    expect(items.map(({ version }) => version)).toEqual([2, 1]);
    const won = answers.find(({ status }) => status === 200);
    expect(won?.headers.get('etag')).toMatch(/^"2\./);
    expect((await post(`/v1/crawls/${id}/cancel`)).status).toBe(200);
  });
});
