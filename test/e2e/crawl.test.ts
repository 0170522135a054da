/** A whole crawl through the real stack; the synthetic web's own log is the judge. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { UrlState } from '../../contracts/crawl.ts';
import type { PageView } from '../../contracts/http/results.ts';
import { auditCrawl } from '../../storage/reports/index.ts';
import { countShards, listSplits, splitShard } from '../../storage/feeding/index.ts';
import { explainUrlOf } from '../../engine/explain/explain.ts';
import { addHost, hostIdOf, ledgerPages, not, tables } from '../support/database/index.ts';
import { allPages } from '../support/all-pages.ts';
import { withDesk } from '../support/crawling.ts';
import { makeBlobDir, startWorker, type WorkerProcess } from '../support/worker.ts';
import { withWorld } from '../support/world.ts';
import { expectedOf } from '../web/expected.ts';
import { complaints, judge } from '../web/judge.ts';
import { mostRedirects } from '../web/misfits.ts';
import { misfits, type Misfit } from '../web/options.ts';
import { startWeb } from '../web/server.ts';
import { until } from '../support/until.ts';

const maxBodyBytes = 2 * 1024 ** 2;
const blobDir = makeBlobDir();

const world = withWorld();
const desk = withDesk(world);
let worker: WorkerProcess;
beforeAll(async () => {
  worker = await startWorker(world, { blobDir, maxBodyBytes });
});
afterAll(async () => {
  expect(await worker.drain()).toBe(0);
});

describe('a web with every wrinkle', () => {
  it('is fetched whole: each reachable page once, robots.txt first and obeyed, one at a time, never too soon', async () => {
    const web = await startWeb({ seed: 11, hosts: 5, pages: 20, wrinkles: 2, sitemap: true, latencyMs: 5 });
    try {
      const id = await desk.start(web.seeds, { scope: 'any', delaySeconds: 0.2 });
      expect(await desk.ended(id)).toMatchObject({ state: 'finished', reason: 'complete' });
      const verdict = judge(web.log(), { delayMs: 200, expected: expectedOf(web.plan) });
      expect(complaints(verdict)).toEqual([]);
      expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [] });
    } finally {
      await web.stop();
    }
  });

  it(
    'is fetched also where hosts have a shard from when there were more of them',
    { tags: ['deep'] },
    async () => {
      const web = await startWeb({ seed: 13, hosts: 2, pages: 4 });
      try {
        await countShards(desk.pool, 4);
        await addHost(desk.pool, web.origins[0] ?? '', { shard: 3 });
        const id = await desk.start(web.seeds, { scope: 'any', delaySeconds: 0 });
        expect(await desk.ended(id)).toMatchObject({ state: 'finished', reason: 'complete' });
        expect(complaints(judge(web.log(), { delayMs: 0, expected: expectedOf(web.plan) }))).toEqual([]);
      } finally {
        await web.stop();
      }
    },
  );

  it(
    'is fetched whole while shards of its hosts are split, and split again (F09)',
    { tags: ['deep'] },
    async () => {
      // A quarter of the hosts comes into each of the new shards, by their origins, whose ports are of this run: with forty
      // one of them is empty once in 50,000 runs.
      const web = await startWeb({ seed: 14, hosts: 40, pages: 5, latencyMs: 5 });
      try {
        const id = await desk.start(web.seeds, { scope: 'any', delaySeconds: 3 });
        const fetched = (pages: number) =>
          until('pages', async () => (await ledgerPages(desk.pool, id)) >= pages);
        const split = async (shard: number): Promise<number> => {
          const into = (await splitShard(desk.pool, shard, 1))[0]?.into;
          if (into === undefined) throw new Error('the shard is being split already');
          await until('the split', async () => (await listSplits(desk.pool)).every(({ done }) => done));
          return into;
        };
        await fetched(40);
        const into = await split(0);
        await fetched(80);
        const further = await split(into);
        expect(await ledgerPages(desk.pool, id)).toBeLessThan(200);
        expect(await desk.ended(id)).toMatchObject({ state: 'finished', reason: 'complete' });
        const hosts = await tables.host.rows(desk.pool, { origin: web.origins });
        expect(new Set(hosts.map(({ shard }) => shard))).toEqual(new Set([0, into, further]));
        expect(complaints(judge(web.log(), { delayMs: 3_000, expected: expectedOf(web.plan) }))).toEqual([]);
        expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [] });
      } finally {
        await web.stop();
      }
    },
  );

  it('obeys a Crawl-delay of the robots.txt', { tags: ['deep'] }, async () => {
    const web = await startWeb({ seed: 12, hosts: 2, pages: 4, crawlDelay: 0.5 });
    try {
      const id = await desk.start(web.seeds, { scope: 'any' });
      await desk.ended(id);
      expect(complaints(judge(web.log(), { delayMs: 500, expected: expectedOf(web.plan) }))).toEqual([]);
    } finally {
      await web.stop();
    }
  });
});

/** A URL of a misbehaving host and what must be said of it. */
interface Ending {
  readonly path: string;
  readonly state: UrlState;
  readonly reason: string;
  readonly status: number | null;
  /** The evidence: of the dead letter, of the last attempt, or of the record itself. */
  readonly because?: RegExp;
}

const cut = { state: 'excluded', reason: 'too-large', status: 200, because: /body too-large/ } as const;

/** Whose every sound page is in the result besides is told by the web itself (test/web/misfits.ts). */
const endings: Readonly<Record<Misfit, readonly Ending[]>> = {
  slow: [],
  patient: [],
  busy: [],
  limited: [],
  flaky: [],
  reluctant: [],
  calendar: [],
  failing: [{ path: '/', state: 'failed', reason: 'server-error', status: 500, because: /answered 500/ }],
  refused: [
    {
      ...{ path: '/', state: 'failed', reason: 'connect-refused', status: null },
      because: /refused the connection/,
    },
  ],
  unruly: [
    {
      ...{ path: '/', state: 'queued', reason: 'robots-unreachable', status: null },
      because: /robots\.txt answers 500, so nothing may be fetched/,
    },
  ],
  hang: [
    {
      ...{ path: '/trap', state: 'failed', reason: 'timeout', status: null },
      because: /did not answer within 3000 ms/,
    },
  ],
  endless: [{ path: '/trap', ...cut }],
  huge: [{ path: '/trap', ...cut }],
  bomb: [{ path: '/trap', ...cut }],
  header: [
    {
      ...{ path: '/trap', state: 'failed', reason: 'protocol', status: null },
      because: /response head of more than 65536 bytes/,
    },
  ],
  nested: [{ path: '/trap', state: 'done', reason: 'fetched', status: 200 }],
  carousel: [
    { path: '/turn/0', state: 'done', reason: 'redirect', status: 302 },
    {
      ...{ path: `/turn/${String(mostRedirects)}`, state: 'failed', reason: 'too-many-redirects' },
      ...{ status: 302, because: /answered 302/ },
    },
  ],
  // What came each of three times is kept, marked as cut.
  reset: [{ path: '/trap', state: 'done', reason: 'fetched', status: 200 }],
  garbage: [
    {
      ...{ path: '/trap', state: 'failed', reason: 'protocol', status: null },
      because: /does not speak HTTP properly/,
    },
  ],
};

describe('hosts that misbehave', () => {
  it(
    'stop nobody else, are not hurried, and each URL of theirs has a clear end',
    { tags: ['deep'] },
    async () => {
      // One that says nothing is to be given up soon.
      expect(await worker.drain()).toBe(0);
      worker = await startWorker(world, { blobDir, requestTimeoutSeconds: 3, maxBodyBytes });
      const web = await startWeb({ seed: 13, hosts: 3, pages: 10, misfits, slowMs: 300, latencyMs: 2 });
      const originOf = (misfit: Misfit): string => web.origins[3 + misfits.indexOf(misfit)] ?? '';
      try {
        const id = await desk.start(web.seeds, { scope: 'any', delaySeconds: 0.05 });
        const { must } = expectedOf(web.plan);
        const isDone = (keys: readonly string[]) =>
          until('they are fetched', async () => {
            const where = { crawl_id: id, url: keys, state: 'done', fetched_at: not(null) };
            return (await tables.url.count(desk.pool, where)) === keys.length;
          });
        // The well-behaved hosts are done long before the others have had all their tries.
        const good = [...must].filter((url) => web.origins.slice(0, 3).includes(new URL(url).origin));
        await isDone(good);
        await isDone([...must]);
        // Only the host whose robots.txt cannot be read still has something to wait for.
        const unruly = await hostIdOf(desk.pool, originOf('unruly'));
        await until('all but that are through', async () =>
          (await tables.url.rows(desk.pool, { crawl_id: id })).every(({ host_id: host, attempts, state }) =>
            String(host) === unruly ? attempts > 0 : state !== 'queued' && state !== 'leased',
          ),
        );
        for (const misfit of misfits) {
          for (const { path, because, ...ending } of endings[misfit]) {
            // One that waits for its robots.txt is leased for a moment whenever that is tried again.
            const told = await vi.waitFor(async () => {
              const now = await explainUrlOf(desk.pool, id, originOf(misfit) + path, 'Orbweaver');
              expect({ misfit, path, record: now?.record }).toMatchObject({ misfit, path, record: ending });
              return now;
            }, 60_000);
            // Who failed is a dead letter of that class, to be driven again.
            expect(told?.deadLetter?.class).toBe(ending.state === 'failed' ? ending.reason : undefined);
            // An earlier try may have ended otherwise: its time was up, on a busy machine.
            const evidence =
              told?.deadLetter?.message ?? told?.record?.detail ?? told?.attempts.at(-1)?.message;
            if (because !== undefined) expect(evidence).toMatch(because);
          }
        }
        const verdict = judge(web.log(), { delayMs: 50, expected: expectedOf(web.plan) });
        expect(complaints(verdict)).toEqual([]);

        await desk.client.workflow
          .getHandle(`crawl/${id}`)
          .executeUpdate('cancel', { args: ['enough seen'] });
        expect(await desk.ended(id)).toMatchObject({ state: 'cancelled', reason: 'enough seen' });
        expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [] });
        const pages = new Map<string, PageView>();
        for await (const page of allPages(desk.pool, id)) pages.set(page.url, page);
        expect(pages.get(`${originOf('nested')}/trap`)).toMatchObject({ title: 'Deep' });
        // A wheel that turns on: the last stop led somewhere, where nobody went.
        const stops = [...pages.keys()].filter((url) => url.startsWith(`${originOf('carousel')}/turn/`));
        expect(stops).toHaveLength(mostRedirects + 1);
      } finally {
        await web.stop();
      }
    },
  );
});

describe('limits', () => {
  it('stop a crawl at exactly the pages asked for', { tags: ['long'] }, async () => {
    const web = await startWeb({ seed: 14, hosts: 6, pages: 30 });
    try {
      const id = await desk.start(web.seeds, { scope: 'any', delaySeconds: 0, maxPages: 50 });
      expect(await desk.ended(id)).toMatchObject({ state: 'finished', reason: 'max-pages' });
      expect(await ledgerPages(desk.pool, id)).toBe(50);
      expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [] });
    } finally {
      await web.stop();
    }
  });
});
