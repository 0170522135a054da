/**
 * What pages need to be shown: URLs of the frontier of their own kind, so that an archive plays back whole.
 *
 * @module-tag long
 */
import { hash as digest } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { createCrawlActivities } from '../../../activities/crawls.ts';
import type { CrawlConfig } from '../../../contracts/crawl.ts';
import { createExtractor, type Extractor } from '../../../content/extract.ts';
import { storedKinds } from '../../../domain/url-kind.ts';
import { changeCrawlState, crawlStandsAt } from '../../../engine/crawls/life.ts';
import { makeExport } from '../../support/stints.ts';
import { viewCrawl } from '../../../storage/crawls/index.ts';
import { storeEdit } from '../../../storage/edits/index.ts';
import { addExport, exportRows } from '../../../storage/exports/index.ts';
import { exportReaders } from '../../programs/exports.ts';
import { changeCrawl, ledgerPages, setState } from '../../support/database/index.ts';
import { toolsFor } from '../api/exported.ts';
import { asActivity } from '../../support/activity.ts';
import { expectExact } from '../storage/frontier.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { extractBodies, judgeBodies } from './reading.ts';
import { robots, startSite, type Answer, type Site } from './site.ts';
import { ownFolder } from '../../support/given.ts';

const readers = exportReaders();
const fetching = withFetching();
const { pool } = fetching;
const folder = ownFolder();
let extractor: Extractor;
beforeAll(async () => {
  extractor = await createExtractor();
});

/** Temporal is told nothing: what is looked at here stands in Postgres. */
const nobodyIsTold = { signalWithStart: () => Promise.resolve() } as never;

const body =
  (type: string, text: string): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': type });
    response.end(text);
  };
const html = (text: string): Answer => body('text/html', `<!doctype html>${text}`);

interface World {
  readonly site: Site;
  readonly cdn: Site;
  readonly crawl: number;
  readonly hosts: readonly HostRow[];
}

/** A crawl of a site whose pages need what another host has. */
async function begin(
  answers: (cdn: string) => Record<string, Answer>,
  config: Partial<CrawlConfig> = {},
): Promise<World> {
  const cdn = await startSite({
    '/robots.txt': robots('User-agent: *', 'Disallow: /closed'),
    '/a.css': body('text/css', '@import "b.css"; b { background: url(/bg.png) }'),
    '/b.css': body('text/css', '@font-face { src: url(f.woff2) }'),
    ...Object.fromEntries(
      ['/bg.png', '/f.woff2', '/closed.png'].map((each) => [each, body('image/png', each)]),
    ),
  });
  const site = await startSite(answers(cdn.origin));
  const [own, other] = [await fetching.host(site.origin), await fetching.host(cdn.origin)];
  const crawl = await fetching.crawl({ scope: 'host', requisites: true, ...config }, [`${site.origin}/`]);
  await fetching.queue(crawl, own, '/');
  return { site, cdn, crawl, hosts: [own, other] };
}

/** Fetches and reads until nothing comes any more. */
async function run({ site, cdn, hosts }: World, dependencies = fetching.dependencies()): Promise<void> {
  const role = fetching.role();
  for (let before = -1; before !== site.hits.length + cdn.hits.length;) {
    before = site.hits.length + cdn.hits.length;
    for (const host of hosts) {
      await role.fetchSlice(host);
      while (
        (await judgeBodies(dependencies, host)) + (await extractBodies(dependencies, extractor, host)) >
        0
      );
    }
  }
}

const asked = ({ hits }: Site): string[] => [...new Set(hits.map((hit) => hit.path))].sort();

const home = (cdn: string): Record<string, Answer> => ({
  '/': html(
    `<title>Home</title><link rel=stylesheet href="${cdn}/a.css"><img src=/own.png><img src="${cdn}/closed.png">
     <img src=/gone.png><a href=/second>next</a><a href="${cdn}/page">elsewhere</a>`,
  ),
  '/second': html(`<title>Second</title><link rel=stylesheet href="${cdn}/a.css"><img src=/own.png>`),
  '/own.png': body('image/png', 'a picture'),
  '/gone.png': (response) => {
    response.writeHead(404, { 'content-type': 'text/html' });
    response.end('<a href=/trap>no picture</a>');
  },
});

describe('a crawl with requisites', () => {
  it('fetches what its pages need, wherever it lies, by its robots.txt, and follows nothing there', async () => {
    const world = await begin(home);
    await run(world);
    expect(asked(world.site)).toEqual(['/', '/gone.png', '/own.png', '/robots.txt', '/second']);
    expect(asked(world.cdn)).toEqual(['/a.css', '/b.css', '/bg.png', '/f.woff2', '/robots.txt']);
    const urls = await fetching.urls(world.crawl, world.site.origin);
    const told = Object.entries(urls).map(([url, { kind, state, reason }]) => [
      url.replace(world.cdn.origin, 'cdn:'),
      `${String(kind)} ${state} ${reason ?? ''}`,
    ]);
    expect(Object.fromEntries(told)).toEqual({
      ...{ '/': '0 done fetched', '/second': '0 done fetched', '/own.png': '3 done fetched' },
      ...{
        '/gone.png': '3 dead gone',
        'cdn:/closed.png': '3 excluded robots',
        'cdn:/a.css': '3 done fetched',
      },
      ...{
        'cdn:/b.css': '3 done fetched',
        'cdn:/bg.png': '3 done fetched',
        'cdn:/f.woff2': '3 done fetched',
      },
    });
    expect(await expectExact(pool, world.crawl)).toMatchObject({ done: 7, queued: 0 });
    expect(await ledgerPages(pool, world.crawl)).toBe(2);
  });

  it('fetches what a page also links to, where the link leads out of the crawl or is excluded by a rule for pages', async () => {
    const world = await begin(
      (cdn) => ({
        '/': html(
          `<title>Home</title><a href="${cdn}/bg.png"><img src="${cdn}/bg.png"></a><a href=/large.png><img src=/large.png></a>
           <a href=/both><img src=/both></a>`,
        ),
        '/large.png': body('image/png', 'large'),
        '/both': html('<title>A page that is a picture somewhere</title>'),
      }),
      { include: ['*/both'] },
    );
    await run(world);
    expect(asked(world.cdn)).toEqual(['/bg.png', '/robots.txt']);
    const urls = await fetching.urls(world.crawl, world.site.origin);
    expect(urls).toMatchObject({
      '/large.png': { kind: storedKinds.requisite, state: 'done' },
      '/both': { kind: storedKinds.page, state: 'done' },
    });
    expect((await viewCrawl(pool, String(world.crawl)))?.cut).toEqual({
      outside: { places: 1, leftOut: 1 },
    });
    await expectExact(pool, world.crawl);
  });

  it('fetches what a page needs though a link to it was excluded by a rule for pages before', async () => {
    const world = await begin(
      () => ({
        '/': html('<a href=/second>next</a><a href=/p.png>a picture</a><a href=/no.png>another</a>'),
        '/second': html('<img src=/p.png><img src=/no.png>'),
        '/p.png': body('image/png', 'a picture'),
      }),
      { include: ['*/second'], exclude: ['*/no.png'] },
    );
    await run(world);
    expect(asked(world.site)).toEqual(['/', '/p.png', '/robots.txt', '/second']);
    expect(await fetching.urls(world.crawl, world.site.origin)).toMatchObject({
      '/p.png': { kind: storedKinds.requisite, state: 'done', reason: 'fetched' },
      '/no.png': { kind: storedKinds.page, state: 'excluded', reason: 'pattern' },
    });
    await expectExact(pool, world.crawl);
  });

  it('makes it a page after all where a link names it that an edit takes', async () => {
    const world = await begin(
      () => ({
        '/': html('<a href=/second>next</a><a href=/both>on</a>'),
        '/second': html('<img src=/both>'),
        '/both': html('<a href=/third>on</a>'),
        '/third': html('the last'),
        '/late': html('<a href=/both>on</a>'),
      }),
      { include: ['*/second'] },
    );
    const dependencies = fetching.dependencies();
    await run(world, dependencies);
    const of = async (path: string) => (await fetching.urls(world.crawl, world.site.origin))[path];
    expect(await of('/both')).toMatchObject({ kind: storedKinds.requisite, state: 'done' });
    await fetching.queue(world.crawl, world.hosts[0] as HostRow, '/late');
    await storeEdit(pool, String(world.crawl), {
      change: (config) => ({ ...config, include: [] }),
      ...{ seen: null, author: 'key test', note: null, restores: null, mayEnd: false },
    });
    // The process has come to know of it.
    dependencies.books.crawls.forget(world.crawl);
    await run(world, dependencies);
    for (const path of ['/both', '/third'])
      expect(await of(path)).toMatchObject({ kind: storedKinds.page, state: 'done' });
    await expectExact(pool, world.crawl);
  });

  it('says how many files wait, until none is left', async () => {
    const world = await begin(home);
    const [host] = world.hosts;
    if (host === undefined) throw new Error('no host');
    await fetching.role().fetchSlice(host);
    const dependencies = fetching.dependencies();
    while (
      (await judgeBodies(dependencies, host)) + (await extractBodies(dependencies, extractor, host)) >
      0
    );
    expect(await viewCrawl(pool, String(world.crawl))).toMatchObject({ needed: 4 });
    await run(world);
    expect(await viewCrawl(pool, String(world.crawl))).toMatchObject({ needed: 0 });
  });

  it('keeps to what it excludes, and without the setting needs nothing', async () => {
    const narrow = await begin(home, { exclude: ['*.png'], maxDepth: 0, include: ['*/second'] });
    await run(narrow);
    expect(asked(narrow.cdn)).toEqual(['/a.css', '/b.css', '/f.woff2', '/robots.txt']);
    expect(asked(narrow.site)).toEqual(['/', '/robots.txt']);
    const without = await begin(home, { requisites: false });
    await run(without);
    expect(without.cdn.paths()).toEqual([]);
    expect(asked(without.site)).toEqual(['/', '/robots.txt', '/second']);
  });

  it('reads as a page what a link names, though a page needed it before', async () => {
    const world = await begin(() => ({
      '/': html('<img src=/both><img src=/from><a href=/second>next</a>'),
      '/second': html('<a href=/both>a page</a><a href=/from>moved</a>'),
      '/both': html('<a href=/third>on</a>'),
      '/from': (response) => {
        response.writeHead(302, { location: '/to' });
        response.end();
      },
      '/to': html('<a href=/fourth>on</a>'),
    }));
    await run(world);
    const urls = await fetching.urls(world.crawl, world.site.origin);
    for (const url of ['/both', '/third', '/to', '/fourth'])
      expect(urls[url], url).toMatchObject({ kind: storedKinds.page, state: 'done', reason: 'fetched' });
    await expectExact(pool, world.crawl);
  });

  it('reads a page though what a page needs has the same bytes', async () => {
    const missing = html('<title>Shop</title><a href=/third>on</a>');
    const world = await begin(() => ({
      '/': html('<img src=/missing.png><a href=/second>next</a>'),
      '/missing.png': missing,
      '/second': missing,
    }));
    await run(world);
    const urls = await fetching.urls(world.crawl, world.site.origin);
    expect(urls['/third']).toMatchObject({ kind: storedKinds.page, state: 'done' });
  });

  it('has all that its last page needs, though the limit of pages is reached', async () => {
    const world = await begin(home, { maxPages: 1 });
    await run(world);
    expect(asked(world.site)).toEqual(['/', '/gone.png', '/own.png', '/robots.txt']);
    expect(asked(world.cdn)).toEqual(['/a.css', '/b.css', '/bg.png', '/f.woff2', '/robots.txt']);
    const urls = await fetching.urls(world.crawl, world.site.origin);
    expect(urls['/second']).toMatchObject({ state: 'queued' });
  });

  it('gives hosts of nothing but pages back, once the limit of pages is reached', async () => {
    const world = await begin(home, { maxPages: 1 });
    const [own] = world.hosts as [HostRow];
    const [dependencies, role, crawlId] = [fetching.dependencies(), fetching.role(), String(world.crawl)];
    await changeCrawl(pool, world.crawl, { seeded_line: 1 });
    const { watchCrawl } = createCrawlActivities(dependencies, nobodyIsTold);
    const watch = () => asActivity(() => watchCrawl({ crawlId, watchMs: 1 }));
    await role.fetchSlice(own);
    await judgeBodies(dependencies, own);
    await extractBodies(dependencies, extractor, own);
    await role.fetchSlice(own);
    expect(await watch()).toMatchObject({ verdict: 'going' });
    expect(await role.fetchSlice(own)).toMatchObject({ next: 'idle', queued: 0 });
    const of = async (path: string) => (await fetching.urls(world.crawl, world.site.origin))[path];
    expect(await of('/second')).toMatchObject({ state: 'excluded', reason: 'crawl-limit' });
    // What is found later comes to the same.
    await fetching.queue(world.crawl, own, '/late');
    expect(await watch()).toMatchObject({ verdict: 'going' });
    expect(await of('/late')).toMatchObject({ state: 'excluded', reason: 'crawl-limit' });
    await run(world);
    expect(asked(world.cdn)).toEqual(['/a.css', '/b.css', '/bg.png', '/f.woff2', '/robots.txt']);
    expect(await watch()).toMatchObject({ verdict: 'limit:max-pages' });
    const { revision } = await crawlStandsAt(pool, crawlId);
    const drains = { state: 'draining', cause: 'limit:max-pages', reason: null, revision } as const;
    expect(await changeCrawlState(pool, crawlId, drains)).toMatchObject({ state: 'draining' });
    await expectExact(pool, world.crawl);
  });

  it.skipIf(readers === null)(
    'plays back whole (needs `npm run test-programs`)',
    { tags: ['long'] },
    async () => {
      const world = await begin(home);
      await run(world);
      await setState(pool, String(world.crawl), 'finished', 'complete');
      const tools = toolsFor(pool, fetching.blobs, folder);
      const asked = { format: 'wacz', choice: { fields: [], filter: {} }, target: 'folder' } as const;
      const [added] = await addExport(pool, String(world.crawl), asked, 10);
      await makeExport(tools, added?.id ?? '', () => true, new AbortController().signal);
      const [row] = await exportRows.find(pool, String(world.crawl), added?.id ?? '');
      if (row === undefined) throw new Error('the export is gone');
      const name = `crawl-${String(world.crawl)}-export-${added?.id ?? ''}.wacz`;
      const chunks: Buffer[] = [];
      for await (const chunk of tools.files.read(row, name, 0, row.progress.bytes)) chunks.push(chunk);
      const file = path.join(folder, name);
      writeFileSync(file, Buffer.concat(chunks));
      const wanted = [
        ...['/', '/second', '/own.png', '/gone.png', '/robots.txt'].map((each) => world.site.origin + each),
        ...['/a.css', '/b.css', '/bg.png', '/f.woff2', '/robots.txt'].map((each) => world.cdn.origin + each),
      ];
      const player = fileURLToPath(new URL('../../programs/play-wacz.ts', import.meta.url));
      const { stdout, stderr } = spawnSync(process.execPath, [player, readers?.wabac ?? '', file], {
        ...{ input: wanted.join('\n'), encoding: 'utf8' },
      });
      const played = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { status: number; sha: string } | null);
      expect(
        played.map((each) => each?.status),
        stderr.slice(-2_000),
      ).toEqual([...[200, 200, 200, 404, 404], ...[200, 200, 200, 200, 200]]);
      expect(played[2]?.sha).toBe(digest('sha256', 'a picture'));
    },
  );
});
