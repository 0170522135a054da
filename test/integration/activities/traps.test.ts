/** The quarantine at work: what it keeps back, lets through and gives back, before a real database and a real site. */
import { expect, it } from 'vitest';
import { explainUrlOf } from '../../../engine/explain/explain.ts';
import type { Extracted } from '../../../contracts/extraction.ts';
import { storedKinds } from '../../../domain/url-kind.ts';
import { canonicalize } from '../../../domain/url.ts';
import type { AdmissionRow } from '../../../storage/frontier/index.ts';
import { shapesOf, shortened } from '../../../domain/traps/shape.ts';
import { CrawlQuarantine } from '../../../engine/books/quarantine.ts';
import { crawlStandsAt, settleCrawl } from '../../../engine/crawls/life.ts';
import { removeBatch, viewCrawl } from '../../../storage/crawls/index.ts';
import { printPage } from '../../../domain/traps/text.ts';
import type { Observation } from '../../../domain/traps/watch.ts';
import {
  addWatched,
  giveVerdict,
  holdShape,
  listQuarantine,
  sweepRelease,
  tendQuarantine,
} from '../../../storage/traps/index.ts';
import { fromNow, tables } from '../../support/database/index.ts';
import { expectExact } from '../storage/frontier.ts';
import { withFetching } from './fetching.ts';
import { readBodies } from './reading.ts';
import { page, startSite } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `/c/${String(at)}`);
const shape = '/c/{n}';

/** A page of the shape with words of its own, that brings nothing. */
const novel = (at: number): Observation => {
  const path = `/c/${String(at)}`;
  const text = Array.from({ length: 40 }, (_, word) => `w${((at * 97 + word) * 104_729).toString(36)}x`).join(
    ' ',
  );
  const print = printPage({ title: null, text, pictures: [] }, path, []);
  return { shapes: shapesOf(path), ...shortened(path), print, body: 0, noindex: false, into: {} };
};
const bounds = {
  ...{ maxPages: null, maxPagesPerHost: null, maxSeconds: null },
  ...{ delaySeconds: 1, requestsPerDay: null },
};

async function heldCrawl(urls: number): Promise<{
  readonly crawl: number;
  readonly id: string;
  readonly host: { readonly hostId: string; readonly origin: string };
  readonly paths: () => string[];
  readonly asked: () => string[];
  /** A worker visits the host; one that was started now has no older copy of the verdicts. */
  readonly visit: () => Promise<unknown>;
  readonly states: () => Promise<Record<string, number>>;
}> {
  const site = await startSite();
  site.answers = Object.fromEntries(numbered(urls).map((path) => [path, page(path)]));
  const { host, crawl } = await fetching.queued(
    site.origin,
    [...numbered(urls), '/about.html'],
    { scope: 'host' },
    [`${site.origin}/c/0`],
  );
  const [row] = await holdShape(pool, String(crawl), host.hostId, shape, 'key 1', 3_600);
  return {
    ...{ crawl, host, id: row?.id ?? '' },
    paths: () => site.paths(),
    asked: () => site.paths().filter((path) => path.startsWith('/c/')),
    visit: () => fetching.role().fetchSlice(host),
    states: async () => {
      const rows = await tables.url.rows(pool, { crawl_id: crawl });
      const named = rows.map(({ state, reason }) => `${state} ${reason ?? ''}`.trim());
      return Object.fromEntries(
        [...Map.groupBy(named, (name) => name)].map(([name, all]) => [name, all.length]),
      );
    },
  };
}

it('excludes what was queued before, on its turn and without a request, and explains it', async () => {
  const { crawl, id, host, asked, visit, states } = await heldCrawl(12);
  await visit();
  expect(asked()).toEqual([]);
  expect(await states()).toEqual({ 'excluded trap': 12, 'done fetched': 1 });
  await expectExact(pool, crawl);
  const told = await explainUrlOf(pool, String(crawl), `${host.origin}/c/5`, 'Orbweaver/0.0');
  expect(told?.record).toMatchObject({ state: 'excluded', reason: 'trap', detail: `${id}: ${shape}` });
  expect(told?.decisions.find(({ verdict }) => verdict === 'trap')?.because).toContain(
    'an operator put it there',
  );
});

it('ends a crawl with a cause of its own that says what it kept back', async () => {
  const { crawl, id, visit } = await heldCrawl(4);
  await visit();
  const { revision } = await crawlStandsAt(pool, String(crawl));
  await tables.url.change(pool, { crawl_id: crawl }, { stage: 0 });
  await tables.crawl.change(pool, { id: crawl }, { seeded_line: 1 });
  const end = () => settleCrawl(pool, String(crawl), 'complete', 'complete', revision);
  expect(await end()).toMatchObject({
    ...{ state: 'finished', cause: 'kept-back' },
    reason: '1 part of a site was kept back, what lies behind it is not known',
  });
  expect(await viewCrawl(pool, String(crawl))).toMatchObject({ keptBack: 1, excluded: { trap: 4 } });
  // It goes on once the part is released.
  await giveVerdict(pool, String(crawl), [id], 'released', 'key 1');
  expect((await sweepRelease(pool, id, performance.now() + 60_000)).urls).toBe(4);
  expect((await tables.crawl.row(pool, { id: crawl })).state).toBe('running');
});

it('asks for what is suspected after all others, and explains it', async () => {
  const { crawl, id, host, visit, states, paths } = await heldCrawl(6);
  await giveVerdict(pool, String(crawl), [id], 'suspected', null);
  const told = await explainUrlOf(pool, String(crawl), `${host.origin}/c/5`, 'Orbweaver/0.0');
  expect(told?.decisions.find(({ verdict }) => verdict === 'suspected')?.because).toContain(
    'go behind the others',
  );
  await visit();
  const order = paths().filter((path) => path !== '/robots.txt');
  expect(order).toHaveLength(7);
  // It was queued among the others, with the same priority.
  expect(order[0]).toBe('/about.html');
  expect(await states()).toEqual({ 'done fetched': 7 });
  await expectExact(pool, crawl);
});

it('asks for pages that ask not to be indexed after all others, and explains it', async () => {
  const site = await startSite();
  // By `meta` or by a header field. The last version that is named first leads to further ones, and to good pages.
  const version = (at: number): string => `/v?oldid=${String(at)}`;
  const versions = Array.from({ length: 60 }, (_, at) => version(at));
  const good = Array.from({ length: 10 }, (_, at) => `/a/deep/place/of/page-${'abcdefghij'[at] ?? ''}`);
  const [early, late] = [versions.slice(0, 40), versions.slice(40)];
  const linked = (paths: readonly string[]): string =>
    paths.map((path) => `<a href="${path}">${path}</a>`).join(' ');
  site.answers = Object.fromEntries(
    versions.map((path, at) => {
      const links = linked(at === 39 ? [...late, ...good] : []);
      const text = `version w${((at + 1) * 104_729).toString(36)}x ${links}`;
      return [
        path,
        at % 2 === 0
          ? page(text, { 'x-robots-tag': 'noindex' })
          : page(`<meta name=robots content=noindex>${text}`),
      ];
    }),
  );
  const { host, crawl } = await fetching.queued(site.origin, early, { scope: 'host' }, [`${site.origin}/`]);
  await fetching.role().fetchSlice(host);
  await readBodies(fetching, host);
  const before = site.paths().length;
  await fetching.role().fetchSlice(host);
  const order = site
    .paths()
    .slice(before)
    .filter((path) => path !== '/robots.txt');
  expect(order).toHaveLength(30);
  expect(order.slice(0, 10).toSorted()).toEqual(good.toSorted());
  expect(order.slice(10).toSorted()).toEqual(late.toSorted());
  const found = () => tables.quarantine.rows(pool, { crawl_id: crawl });
  expect((await found()).map(({ shape, rule, verdict }) => [shape, rule, verdict])).toEqual([
    ['/v?oldid={n}', 'noindex', 'suspected'],
  ]);
  await expectExact(pool, crawl);
  const told = await explainUrlOf(pool, String(crawl), `${site.origin}${version(70)}`, 'Orbweaver/0.0');
  expect(told?.decisions.find(({ verdict }) => verdict === 'suspected')?.because).toMatch(
    /^URLs of its shape \(\/v\?oldid=\{n\}\) go behind the others: the last \d+ pages of the shape ask not to be indexed\.$/,
  );
  // One that may be indexed lifts it.
  const seen = { ...novel(1), shapes: shapesOf(version(71)) };
  await addWatched(pool, [{ host_id: Number(host.hostId), crawl_id: crawl, pages: [seen], bounds }]);
  expect((await found()).map(({ verdict }) => verdict)).toEqual(['cleared']);
});

it('lets three URLs through when samples are due, and frees the shape once they say something new', async () => {
  const { crawl, id, asked, visit, states } = await heldCrawl(12);
  await visit();
  await tendQuarantine(pool, 10, 5_000);
  expect(await states()).toMatchObject({ 'excluded trap': 12 });
  await tables.quarantine.change(pool, { id: Number(id) }, { sample_at: fromNow(-1) });
  // Two processes find it at once: the samples are let through by one of them.
  const tend = (): Promise<void> => tendQuarantine(pool, 10, 5_000);
  await Promise.all([tend(), tend(), tend()]);
  expect(await states()).toMatchObject({ 'queued sample': 3, 'excluded trap': 9 });
  await visit();
  expect(asked()).toHaveLength(3);
  expect(await tables.quarantine.row(pool, { id: Number(id) })).toMatchObject({ let_through: 3 });

  const { host_id } = await tables.quarantine.row(pool, { id: Number(id) });
  const add = (...pages: Observation[]): Promise<number> =>
    addWatched(pool, [{ host_id, crawl_id: crawl, pages, bounds }]);
  // Two processes at a time: neither loses what the other one adds.
  await Promise.all([add(novel(1), novel(2)), add(novel(3), novel(4))]);
  expect(await tables.quarantine.row(pool, { id: Number(id) })).toMatchObject({
    ...{ verdict: 'held', sampled: 4, novel: 4 },
  });
  await add(novel(5));
  expect(await tables.quarantine.row(pool, { id: Number(id) })).toMatchObject({
    ...{ verdict: 'released', judged_by: null, settled_at: null },
  });
  await tendQuarantine(pool, 10, 5_000);
  expect(await states()).toMatchObject({ queued: 9, 'done fetched': 4 });
  await visit();
  expect(new Set(asked()).size).toBe(12);
  await expectExact(pool, crawl);
});

it('reopens a crawl that had ended when it gives URLs back, and none that was cancelled', async () => {
  for (const [state, cause, after] of [
    ['finished', 'complete', 'running'],
    ['cancelled', 'cancelled', 'cancelled'],
  ] as const) {
    const { crawl, id, visit, states } = await heldCrawl(5);
    await visit();
    await tables.crawl.change(pool, { id: crawl }, { state, cause, ended_at: fromNow() });
    await giveVerdict(pool, String(crawl), [id], 'released', 'key 1');
    const { urls } = await sweepRelease(pool, id, performance.now() + 60_000);
    expect([urls, (await tables.crawl.row(pool, { id: crawl })).state]).toEqual([
      after === 'running' ? 5 : 0,
      after,
    ]);
    expect((await states())['excluded trap'] ?? 0).toBe(5 - urls);
    if (after === 'running') await expectExact(pool, crawl);
  }
});

it('keeps nothing back in a crawl that does not look for traps', async () => {
  const { crawl, asked, visit } = await heldCrawl(4);
  const { config } = await tables.crawl.row(pool, { id: crawl });
  await tables.crawl.change(pool, { id: crawl }, { config: { ...config, traps: false } });
  await visit();
  expect(asked()).toHaveLength(4);
});

it('forgets what pages of a deleted crawl showed, though it comes late', async () => {
  const { crawl, host } = await heldCrawl(3);
  const place = { host_id: Number(host.hostId), crawl_id: crawl };
  const watches = async (): Promise<number> => (await tables.trapWatch.rows(pool, place)).length;
  await addWatched(pool, [{ ...place, pages: [novel(1)], bounds }]);
  expect(await watches()).toBe(1);
  await tables.crawl.change(pool, { id: crawl }, { state: 'cancelled', removed_at: fromNow(0) });
  while (await removeBatch(pool));
  await addWatched(pool, [{ ...place, pages: [novel(2)], bounds }]);
  expect(await watches()).toBe(0);
});

it('is read once for each change, also for one that changed no verdict', async () => {
  const { crawl } = await heldCrawl(1);
  const book = new CrawlQuarantine(crawl);
  const { quarantine_revision: first } = await tables.crawl.row(pool, { id: crawl });
  await giveVerdict(pool, String(crawl), ['999999'], 'released', 'key 1');
  const { quarantine_revision: revision } = await tables.crawl.row(pool, { id: crawl });
  expect(revision).toBeGreaterThan(first);
  let reads = 0;
  const counting = new Proxy(pool, {
    get: (pool, name) => {
      if (name === 'query') reads++;
      return Reflect.get(pool, name, pool) as unknown;
    },
  });
  await book.follow(counting, revision);
  expect(reads).toBeGreaterThan(0);
  const before = reads;
  await book.follow(counting, revision);
  expect(reads).toBe(before);
});

it('holds ever further hosts below a domain, explains that, and gives all of them back', async () => {
  // With a limit of 320 pages, 32 of a kind are enough.
  const crawl = await fetching.crawl({ maxPages: 320 });
  const { traps, books } = fetching.dependencies();
  const open = await books.crawls.open(crawl);
  const names = Array.from({ length: 120 }, (_, at) => `http://h${String(at)}.spam-farm.com`);
  const hosts = await Promise.all(names.map((origin) => fetching.host(origin)));
  const next = (at: number): string => `http://h${String(at + 1_000)}.spam-farm.com/`;
  for (const [at, { hostId, origin }] of hosts.entries()) {
    const staged = {
      ...{
        host_id: Number(hostId),
        origin,
        crawl_id: crawl,
        key: '00',
        url: `${origin}/`,
        kind: storedKinds.page,
        seed: false,
      },
      ...{
        depth: 1,
        priority: 1,
        content_hash: Buffer.alloc(32, at),
        content_id: at,
        content_type: null,
        robots_tag: null,
        link_fields: null,
      },
      ...{ fetches: 1, took_ms: 5, rendered_without: null, record: null },
    } as const;
    const text = `Welcome to host ${String(at)} of our farm`;
    const extracted = { title: null, text, whole: { text, words: 7 }, links: [next(at)], pictures: [] };
    const fresh = [{ host_id: 1_000_000 + at, url: next(at) }] as unknown as AdmissionRow[];
    traps.read(open, staged, extracted as unknown as Extracted, fresh);
    await traps.save();
  }
  const [row] = await tables.quarantine.rows(pool, { crawl_id: crawl });
  expect(row).toMatchObject({ verdict: 'held', rule: 'nothing-new', shape: 'hosts below spam-farm.com' });

  const book = new CrawlQuarantine(crawl);
  await book.follow(pool, 1_000);
  const verdicts = (url: string): string | undefined => {
    const link = canonicalize(url);
    return link.ok ? book.verdict(link.value)?.kind : undefined;
  };
  expect([next(5), 'http://spam-farm.com/', 'http://other.com/'].map(verdicts)).toEqual([
    'held',
    undefined,
    undefined,
  ]);
  const [one, other] = [hosts[3], hosts[7]];
  if (one === undefined || other === undefined) throw new Error('there are no hosts');
  // One of them under two origins: all of a name come one after another.
  const port = await fetching.host(`${one.origin}:8080`);
  for (const host of [one, other, port]) await fetching.queue(crawl, host, '/');
  const trap = {
    state: 'excluded',
    reason: 'trap',
    detail: `${String(row?.id)}: ${row?.shape ?? ''}`,
  } as const;
  await tables.url.change(pool, { crawl_id: crawl }, trap);
  const told = await explainUrlOf(pool, String(crawl), `${one.origin}/`, 'Orbweaver/0.0');
  expect(JSON.stringify(told)).toContain('say what others said');
  const listed = await listQuarantine(pool, {
    crawlId: String(crawl),
    verdicts: ['held'],
    limit: 10,
    counted: 100,
  });
  expect(listed.map(({ urls }) => urls)).toEqual([3]);

  await giveVerdict(pool, String(crawl), [String(row?.id)], 'released', 'key 1');
  expect(await sweepRelease(pool, String(row?.id), Infinity)).toEqual({ urls: 3, more: false });
  await expectExact(pool, crawl);
});
