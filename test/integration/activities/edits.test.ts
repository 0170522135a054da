/**
 * Edits that come in between (G6): whatever is being fetched, read, offered or ended when settings change, nothing is
 * lost, kept out or let in by settings that are no longer in force.
 */
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { noCaps } from '../../../engine/caps/cap-book.ts';
import { endless } from '../../../engine/pressure/pressure.ts';
import { createCrawlActivities } from '../../../activities/crawls.ts';
import { gates } from '../../../engine/visit/gates.ts';
import { assemble, type Parts } from '../../../engine/assemble.ts';
import type { Dependencies } from '../../../engine/dependencies.ts';
import { workOut } from '../../support/stints.ts';
import { editJobs, type EditProgress } from '../../../engine/edits/apply.ts';
import { previewEdit } from '../../../engine/edits/preview.ts';
import { createExtractor } from '../../../content/extract.ts';
import type { ControlActivities } from '../../../contracts/activities.ts';
import { wholeConfig, type CrawlConfig } from '../../../contracts/crawl.ts';
import { storeEdit } from '../../../storage/edits/index.ts';
import { FrontierWriter } from '../../../storage/frontier/index.ts';
import { storeSeeds, readSeeds } from '../../../storage/seeds/index.ts';
import { MemorySeenCache } from '../../../storage/seen/index.ts';
import { loadCrawls } from '../../../storage/crawls/index.ts';
import { admission, expectExact } from '../storage/frontier.ts';
import { asActivity } from '../../support/activity.ts';
import { crawlState, fromNow, like, robotsRead, tables, urlLines } from '../../support/database/index.ts';
import { extractBodies, judgeBodies } from './reading.ts';
import { withFetching } from './fetching.ts';
import { redirect, slowly, startSite, type Answer } from './site.ts';
import { testKeys } from '../../support/keys.ts';

const fetching = withFetching();
const { pool } = fetching;

const parts = (over: Partial<Parts> = {}): Dependencies =>
  assemble({
    pool,
    writer: new FrontierWriter(pool),
    blobs: fetching.blobs,
    folder: null,
    keys: testKeys,
    seen: new MemorySeenCache(10_000),
    fetcher: {
      fetch: () => Promise.reject(new Error('nothing is fetched')),
      addressOf: () => Promise.resolve(null),
      close: () => Promise.resolve(),
    },
    wakeHosts: () => undefined,
    prefetch: () => undefined,
    outage: () => null,
    gates,
    settings: {
      ...{ userAgent: 'Orbweaver/0.0', allowPrivate: [], maxBodyBytes: 1024 * 1024, requestTimeoutMs: 5_000 },
      ...{ sliceMs: 5_000, lingerMs: 0, leaseMs: 4_000, shards: 1, caps: noCaps, capacities: endless },
    },
    log: pino({ level: 'silent' }),
    ...over,
  });
/** Temporal is told nothing: what is looked at here stands in Postgres. */
const nobody = { signalWithStart: () => Promise.resolve() } as never;

const edit = async (crawl: number, changes: Partial<CrawlConfig>): Promise<void> => {
  const outcome = await storeEdit(pool, String(crawl), {
    change: (config) => ({ ...config, ...changes }),
    ...{ seen: null, author: 'key test', note: null, restores: null, mayEnd: false },
  });
  expect(outcome).toMatchObject({ kind: 'stored' });
};
const applied = async (crawl: number, over: Partial<Dependencies> = {}): Promise<EditProgress> => {
  const jobs = editJobs(parts(over), () => Promise.resolve());
  return (await asActivity(() => workOut(jobs, String(crawl)))) as EditProgress;
};
const frontier = (crawl: number): Promise<string[]> => urlLines(pool, { crawl_id: crawl }, 'state', 'reason');

/** Whoever judges links asks it beforehand: what `then` does happens between the judging and the writing. */
class Interrupted extends MemorySeenCache {
  #then: (() => Promise<void>) | null;
  #questions: number;

  /** @param at which question it happens, from 1 */
  constructor(then: () => Promise<void>, at = 1) {
    super(10_000);
    this.#then = then;
    this.#questions = at;
  }

  override async known(crawl: string, keys: readonly Buffer[]): Promise<readonly boolean[]> {
    if (--this.#questions > 0) return super.known(crawl, keys);
    const then = this.#then;
    this.#then = null;
    await then?.();
    return super.known(crawl, keys);
  }
}
const linking =
  (...links: readonly string[]): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<title>x</title>${links.map((link) => `<a href="${link}">x</a>`).join('')}`);
  };

describe('a wider scope that comes in between', () => {
  it.each([
    ['the link', 1, 1],
    ['the last of 4,500 links, which go in three batches', 4_500, 3],
  ])(
    'loses no link of a page that is just being read, though all of them were outside: before %s',
    async (_, many, at) => {
      const links = Array.from({ length: many }, (__, n) => `https://elsewhere.example/found/${String(n)}`);
      const site = await startSite({ '/': linking(...links) });
      const { host, crawl } = await fetching.queued(site.origin, ['/'], { scope: 'host' }, [
        `${site.origin}/`,
      ]);
      await fetching.role().fetchSlice(host);
      // The job has walked all pages there are before this one is stored.
      const seen = new Interrupted(async () => {
        await edit(crawl, { scope: 'any' });
        expect(await applied(crawl)).toMatchObject({ state: 'applied', reread: 0 });
      }, at);
      const reading = parts({ seen });
      const extractor = await createExtractor();
      await judgeBodies(reading, host);
      expect(await extractBodies(reading, extractor, host)).toBe(1);
      const queued = await frontier(crawl);
      for (const link of links) expect(queued).toContain(`${link} queued`);
      await expectExact(pool, crawl);
    },
  );

  it('loses no redirect whose answer is on its way', async () => {
    const site = await startSite({ '/': slowly(500, redirect('https://elsewhere.example/target')) });
    const { host, crawl } = await fetching.queued(site.origin, ['/'], { scope: 'host' }, [`${site.origin}/`]);
    const slice = fetching.role().fetchSlice(host);
    await expect.poll(() => site.paths()).toContain('/');
    await edit(crawl, { scope: 'any' });
    expect(await applied(crawl)).toMatchObject({ state: 'applied' });
    await slice;
    expect(await frontier(crawl)).toContain('https://elsewhere.example/target queued');
    await expectExact(pool, crawl);
  });
});

describe('a limit that is raised when it has just been reached', () => {
  const steps = (): ControlActivities => createCrawlActivities(parts(), nobody) as ControlActivities;
  const queued = async (crawl: number): Promise<number> =>
    (await frontier(crawl)).filter((line) => line.endsWith(' queued')).length;

  it.each([
    ['before the crawl is set to end', false],
    ['too late', true],
  ])('%s', async (_, late) => {
    const { crawl } = await fetching.queued(`https://limit-${String(late)}.example`, ['/a', '/b', '/c'], {
      maxPages: 1,
    });
    await tables.url.change(
      pool,
      { crawl_id: crawl, url: like('%/a') },
      { state: 'done', status: 200, reason: 'fetched', fetches: 1, fetched_at: fromNow() },
    );
    const crawlId = String(crawl);
    const activities = steps();
    const { verdict } = await asActivity(() => activities.watchCrawl({ crawlId, watchMs: 1_000 }));
    expect(verdict).toBe('limit:max-pages');
    if (!late) await edit(crawl, { maxPages: 2 });
    const draining = { state: 'draining', cause: 'limit:max-pages', reason: 'a limit' } as const;
    const { revision } = await asActivity(() => activities.lookAtCrawl({ crawlId }));
    const now = await asActivity(() => activities.setCrawlState({ crawlId, ...draining, revision }));
    expect(now).toMatchObject(
      late ? { ...draining, revision: revision + 1 } : { state: 'running', revision },
    );
    if (late) {
      const change = (config: CrawlConfig) => ({ ...config, maxPages: 2 });
      const asked = { change, seen: null, author: 'key test', note: null, restores: null, mayEnd: false };
      expect(await storeEdit(pool, crawlId, asked)).toMatchObject({ kind: 'over' });
    }
    await asActivity(() => activities.drainCrawl({ crawlId, reason: 'max-pages' }));
    const settled = await asActivity(() =>
      activities.settleCrawl({
        ...{ crawlId, ending: 'limit:max-pages', reason: 'a limit', revision: now.revision },
      }),
    );
    expect(settled).toMatchObject({ state: late ? 'finished' : 'running' });
    expect(await queued(crawl)).toBe(late ? 0 : 3);
    expect(await crawlState(pool, crawl)).toBe(settled.state);
    await expectExact(pool, crawl);
  });
});

describe('a longer delay', () => {
  it('holds a second later, also within a slice that began before', { tags: ['long'] }, async () => {
    const { site, host, crawl } = await fetching.site(
      Array.from({ length: 40 }, (_, n) => `/${String(n)}`),
      { config: { delaySeconds: 0.2 } },
    );
    const role = fetching.role({ sliceMs: 6_000 });
    const slice = role.fetchSlice(host);
    await expect.poll(() => site.hits.length).toBeGreaterThan(3);
    await edit(crawl, { delaySeconds: 2 });
    const heldFrom = performance.now() + 1_100;
    const since = (): number[] => site.hits.filter(({ at }) => at > heldFrom).map(({ at }) => at);
    await slice;
    do await role.fetchSlice(host);
    while (since().length < 2);
    const later = since();
    const gaps = later.slice(1).map((at, before) => at - (later[before] ?? at));
    expect(later.length).toBeGreaterThan(1);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_990);
  });

  it('and another filter, hold for a URL that waits for its time already', { tags: ['long'] }, async () => {
    const site = await startSite();
    const host = await fetching.host(site.origin);
    // So long that the edit is there before the next one is due, however busy the machine is.
    const crawl = await fetching.crawl({ delaySeconds: 8 });
    await robotsRead(pool, host.hostId);
    await fetching.queue(crawl, host, '/1', '/2', '/3');
    const role = fetching.role();
    const slice = role.fetchSlice(host);
    await expect.poll(() => site.paths()).toContain('/1');
    await edit(crawl, { exclude: ['*/2'] });
    await slice;
    while ((await role.fetchSlice(host)).queued > 0);
    expect(site.paths()).toEqual(['/1', '/3']);
    expect(await frontier(crawl)).toContain(`${site.origin}/2 excluded pattern`);
    await expectExact(pool, crawl);
  });
});

describe('a higher limit for a host', () => {
  it('lets in no URL that a rule keeps out, and gives its room to others', async () => {
    const { host, crawl } = await fetching.queued('https://roomy.example', ['/1', '/2'], {
      maxPagesPerHost: 2,
    });
    const late = ['shop/3', 'shop/4', 'news/5', 'news/6', 'news/7'].map((path, at) =>
      admission(Number(host.hostId), crawl, `${host.origin}/${path}`, {
        priority: 0.1 / (1 + at),
        host_limit: 2,
      }),
    );
    await new FrontierWriter(pool).write({ admissions: late });
    const before = await frontier(crawl);
    const wanted = { maxPagesPerHost: 4, exclude: ['*/shop/*'] };
    const [row] = await loadCrawls(pool, [crawl]);
    const config = wholeConfig(row?.config ?? {});
    const preview = await previewEdit(pool, { id: String(crawl), config }, { ...config, ...wanted }, 9_000);
    await edit(crawl, wanted);
    const done = await applied(crawl);
    expect(done).toMatchObject({ readmitted: 2, excluded: 0 });
    expect(preview).toMatchObject({ readmitted: 2, excluded: 0 });
    expect(await frontier(crawl)).toEqual(
      before.map((line) => line.replace(/(news\/[56]) excluded host-limit/, '$1 queued')),
    );
    await expectExact(pool, crawl);
  });
});

describe('what a preview says of links that come in', () => {
  it('is how many are queued', async () => {
    const others = ['a', 'b', 'shop/c', 'shop/d', 'shop/e'].map((path) => `https://linked.example/${path}`);
    const site = await startSite({ '/': linking(...others) });
    const { host, crawl } = await fetching.queued(
      site.origin,
      ['/'],
      { scope: 'host', exclude: ['*/shop/*'] },
      [`${site.origin}/`],
    );
    await fetching.role().fetchSlice(host);
    const reading = parts();
    const extractor = await createExtractor();
    await judgeBodies(reading, host);
    await extractBodies(reading, extractor, host);
    const [row] = await loadCrawls(pool, [crawl]);
    const config = wholeConfig(row?.config ?? {});
    const preview = await previewEdit(
      pool,
      { id: String(crawl), config },
      { ...config, scope: 'any' },
      9_000,
    );
    await edit(crawl, { scope: 'any' });
    expect([preview.links, (await applied(crawl)).admitted]).toEqual([2, 2]);
  });
});

describe('seeds that are added while the job is at work', () => {
  it('are judged with the others: nothing is kept out that they have made part of the crawl', async () => {
    const { crawl } = await fetching.queued(
      'https://late.example',
      Array.from({ length: 1_500 }, (_, n) => `/${String(n)}`),
      { scope: 'any' },
      ['https://seed.example/'],
    );
    await edit(crawl, { scope: 'host' });
    let woken = 0;
    const pool = new Proxy(fetching.pool, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (name !== 'query') return typeof value === 'function' ? (value.bind(target) as unknown) : value;
        return async (query: { readonly name?: string }) => {
          const asked: unknown = target.query(query as never);
          const answer: unknown = await asked;
          // After the first thousand were looked at, and before they are moved.
          if (query.name === 'urls-to-judge' && woken++ === 0)
            expect(
              await storeSeeds(fetching.pool, 1, String(crawl), readSeeds(['https://late.example/'])),
            ).toMatchObject({ kind: 'added' });
          return answer;
        };
      },
    });
    await applied(crawl, { pool });
    expect(woken).toBeGreaterThan(1);
    expect((await frontier(crawl)).filter((line) => line.includes('excluded'))).toEqual([]);
    await expectExact(fetching.pool, crawl);
  });
});

describe('other media types, undone', () => {
  it('leave every row as it was, and what failed for other reasons alone', async () => {
    const { crawl } = await fetching.queued('https://types.example', ['/pdf', '/png', '/failed', '/new'], {
      contentTypes: ['text/html'],
    });
    const put = (path: string, columns: object) =>
      tables.url.change(pool, { crawl_id: crawl, url: like(`%/${path}`) }, columns);
    const refused = {
      state: 'excluded',
      reason: 'content-type',
      status: 200,
      fetches: 1,
      fetched_at: fromNow(),
    };
    await put('pdf', { ...refused, content_type: 'application/pdf', detail: 'application/pdf' });
    await put('png', { ...refused, content_type: 'image/png', detail: 'image/png' });
    await put('failed', { status: 503, content_type: 'text/plain', reason: 'server-error' });
    const rows = () =>
      urlLines(pool, { crawl_id: crawl }, 'state', 'reason', 'detail', 'status', 'content_type');
    const before = await rows();
    await edit(crawl, { contentTypes: ['text/html', 'application/pdf'] });
    expect(await applied(crawl)).toMatchObject({ readmitted: 1, excluded: 0 });
    await edit(crawl, { contentTypes: ['text/html'] });
    expect(await applied(crawl)).toMatchObject({ readmitted: 0, excluded: 1 });
    expect(await rows()).toEqual(before);
    await expectExact(pool, crawl);
  });
});

describe('a seed that is added', () => {
  it.each<[string, string, Partial<CrawlConfig>]>([
    ['out of the scope', 'https://seed.example/', { scope: 'host' }],
    ['too deep', 'https://deep.example/', { maxDepth: 0 }],
  ])('is fetched, though as a link it was %s', async (_, first, then) => {
    const host = await fetching.host(
      then.scope === undefined ? 'https://deep.example' : 'https://far.example',
    );
    const crawl = await fetching.crawl({}, [first]);
    await new FrontierWriter(pool).write({
      admissions: [
        admission(Number(host.hostId), crawl, `${host.origin}/wanted`),
        admission(Number(host.hostId), crawl, `${host.origin}/other`),
      ],
    });
    await edit(crawl, then);
    expect(await applied(crawl)).toMatchObject({ excluded: 2 });
    const seeds = readSeeds([`${host.origin}/wanted`]);
    expect(await storeSeeds(pool, 1, String(crawl), seeds)).toMatchObject({ kind: 'added' });
    const { watchCrawl } = createCrawlActivities(parts(), nobody);
    await asActivity(() => watchCrawl({ crawlId: String(crawl), watchMs: 0 }));
    expect(await frontier(crawl)).toContain(`${host.origin}/wanted queued`);
    // The scope is wider by the seed: what is judged once more comes back as well.
    await applied(crawl);
    expect(await frontier(crawl)).toContain(
      `${host.origin}/other ${then.scope === undefined ? 'excluded depth' : 'queued'}`,
    );
    expect(await frontier(crawl)).toContain(`${host.origin}/wanted queued`);
    await expectExact(pool, crawl);
  });
});

describe('edited weights (F02)', () => {
  it('give URLs that wait new scores, and move their hosts to other queues', async () => {
    const crawl = await fetching.crawl({ priority: { depth: 1 } });
    const host = await fetching.host('http://weighed.example');
    const writer = new FrontierWriter(pool);
    const at = (path: string, over: object) =>
      admission(Number(host.hostId), crawl, `${host.origin}${path}`, over);
    await writer.write({
      admissions: [
        at('/', { depth: 9, priority: 0.1 }),
        at('/deep/er/page', { depth: 9, priority: 0.1 }),
        at('/seed', { depth: 0, priority: 1, seed: true }),
        at('/failed', { depth: 1, priority: -3.5 }),
      ],
    });
    const scores = async (): Promise<Record<string, number>> =>
      Object.fromEntries(
        Object.entries(await fetching.urls(crawl, host.origin)).map(([path, { priority }]) => [
          path,
          priority,
        ]),
      );
    const place = { host_id: Number(host.hostId), crawl_id: crawl };
    await edit(crawl, { maxDepth: 50 });
    await applied(crawl);
    expect((await scores())['/']).toBeCloseTo(0.1);

    await tables.url.change(pool, { ...place, seed: true }, { state: 'done' });
    await edit(crawl, { priority: { home: 0.9, nesting: 0.1 } });
    // An edit of something else comes before this one is applied.
    await edit(crawl, { maxDepth: 40 });
    await applied(crawl);
    const after = await scores();
    expect(after['/']).toBeCloseTo(1);
    expect(after['/deep/er/page']).toBeCloseTo(0.025);
    expect([after['/seed'], after['/failed']]).toEqual([1, -3.5]);
    expect((await tables.queue.row(pool, place)).tier).toBe(0);
    await edit(crawl, { priority: { nesting: 1 } });
    await applied(crawl);
    await edit(crawl, { priority: { internal: 1 } });
    await applied(crawl);
    expect((await tables.queue.row(pool, place)).tier).toBe(2);
    await expectExact(pool, crawl);
  });
});
