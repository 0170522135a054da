/**
 * Settings that change while a crawl runs (G6): in force at once, applied to what was found, told beforehand, undone.
 *
 * @module-tag deep
 */
import { describe, expect, it } from 'vitest';
import type { CrawlEvent } from '../../contracts/http/events.ts';
import type { CrawlView, CreatedCrawl } from '../../contracts/http/crawls.ts';
import type { ConfigVersion } from '../../contracts/http/edits.ts';
import { auditCrawl } from '../../storage/reports/index.ts';
import { startSite, type Answer, type Site } from '../integration/activities/site.ts';
import { ask } from '../integration/api/asking.ts';
import { closedGate } from '../support/gate.ts';
import { until } from '../support/until.ts';
import { withServing } from '../support/serving.ts';
import { makeBlobDir } from '../support/worker.ts';

const serving = withServing({ blobDir: makeBlobDir() });
const { desk, api } = serving;

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

const post = <T>(path: string, body?: unknown) => ask<T>(api.url, serving.key, 'POST', path, body);
const viewOf = async (id: string) =>
  (await ask<CrawlView>(api.url, serving.key, 'GET', `/v1/crawls/${id}`)).body;
const patch = async <T = ConfigVersion>(id: string, edit: object, dryRun = false): Promise<T> => {
  const path = `/v1/crawls/${id}${dryRun ? '?dryRun=true' : ''}`;
  const { status, body } = await ask<T>(api.url, serving.key, 'PATCH', path, edit);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body;
};
const applied = async (id: string, version: number): Promise<ConfigVersion> => {
  const path = `/v1/crawls/${id}/versions/${String(version)}`;
  const get = async () => (await ask<ConfigVersion>(api.url, serving.key, 'GET', path)).body;
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
    const { items } = (await ask<EventList>(api.url, serving.key, 'GET', `/v1/crawls/${id}/events`)).body;
    expect(items.filter(({ kind }) => kind === 'crawl.edited').map(({ data }) => data)).toEqual([
      { version: 2, restores: null },
      { version: 3, restores: 1 },
    ]);
    expect(new Set(web.paths()).size).toBe(web.paths().length);
  });
});
