/**
 * A fetcher written in another language crawls the same hosts as Orbweaver's own workers (F37); the web's log is the
 * judge of both together.
 *
 * @module-tag deep
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wakeHost } from '../../activities/wake-host.ts';
import { auditCrawl } from '../../storage/reports/index.ts';
import { ask } from '../integration/api/asking.ts';
import { withServed } from '../integration/api/world.ts';
import { withDesk } from '../support/crawling.ts';
import { fromNow, hostRow, tables } from '../support/database/index.ts';
import { makeBlobDir, startWorker, type WorkerProcess } from '../support/worker.ts';
import { withWorld } from '../support/world.ts';
import { expectedOf, pageKey } from '../web/expected.ts';
import { complaints, judge } from '../web/judge.ts';
import { startWeb } from '../web/server.ts';
import { until } from '../support/until.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;
const script = fileURLToPath(new URL('./foreign-fetcher/fetcher.py', import.meta.url));

interface Said {
  readonly event: 'fetched' | 'acked' | 'links' | 'nothing';
  readonly url?: string;
  readonly result?: string;
}

interface Fetcher {
  readonly child: ChildProcess;
  readonly said: readonly Said[];
  /** What went wrong, if anything did. */
  readonly errors: readonly string[];
  kill(): Promise<void>;
}

const world = withWorld();
const desk = withDesk(world);
const api = withServed(desk.pool, { wakeHost: (origin) => wakeHost(desk.client.workflow, origin) });
let worker: WorkerProcess;
const blobDir = makeBlobDir();
const startOwn = (): Promise<WorkerProcess> => startWorker(world, { blobDir });

beforeAll(async () => {
  if (!hasPython) return;
  worker = await startOwn();
});

afterAll(async () => {
  if (!hasPython) return;
  expect(await worker.drain()).toBe(0);
});

function startFetcher(...options: readonly string[]): Fetcher {
  const child = spawn('python3', ['-u', script, '--api', api.url, '--key', api.key, ...options]);
  const said: Said[] = [];
  const errors: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => said.push(JSON.parse(line) as Said));
  createInterface({ input: child.stderr }).on('line', (line) => errors.push(line));
  const exited = new Promise<void>((done) => child.once('exit', () => { done(); })); // prettier-ignore
  return {
    child,
    said,
    errors,
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

const fetched = (fetcher: Fetcher | undefined): number =>
  fetcher?.said.filter(({ event }) => event === 'fetched').length ?? 0;

const delaySeconds = 0.2;
const delayMs = delaySeconds * 1_000;

describe.skipIf(!hasPython)('a fetcher in Python beside our own workers', () => {
  it('crawls a web with them: each page once, one at a time, never too soon, and neither starves', async () => {
    const web = await startWeb({ seed: 51, hosts: 4, pages: 30, wrinkles: 1, latencyMs: 20 });
    // Long enough for any report to come in time.
    const fetcher = startFetcher('--lease-seconds', '300');
    try {
      await expect.poll(() => fetcher.said.length).toBeGreaterThan(0);
      const id = await desk.start(web.seeds, { scope: 'any', delaySeconds });
      expect(await desk.ended(id)).toMatchObject({ state: 'finished', cause: 'complete' });
      expect(complaints(judge(web.log(), { delayMs, expected: expectedOf(web.plan) }))).toEqual([]);
      expect(fetcher.errors).toEqual([]);
      const done = { crawl_id: id, state: 'done' };
      const theirs = await tables.url.count(desk.pool, { ...done, reason: 'fetched-elsewhere' });
      const ours = await tables.url.count(desk.pool, { ...done, reason: 'fetched' });
      expect(theirs).toBeGreaterThan(3);
      expect(ours).toBeGreaterThan(10);
      expect(new Set(fetcher.said.flatMap(({ result }) => result ?? []))).toEqual(new Set(['accepted']));
      expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [] });
    } finally {
      await fetcher.kill();
      await web.stop();
    }
  });

  it('kill -9 in the middle, and others that report late or never: nothing is lost, nobody is hurried', async () => {
    const web = await startWeb({ seed: 52, hosts: 4, pages: 120, latencyMs: 50 });
    const fetchers = [startFetcher('--lease-seconds', '4')];
    try {
      const id = await desk.start(web.seeds, { scope: 'any', delaySeconds });
      await expect.poll(() => fetched(fetchers[0])).toBeGreaterThan(2);
      await fetchers[0]?.kill();
      fetchers.push(startFetcher('--lease-seconds', '4', '--ack', 'never'));
      /** As if ten minutes had passed, for which hosts of loans that ran out are not lent to their tenant again. */
      const laterOn =
        <T>(look: () => T) =>
        async (): Promise<T> => {
          for (const { id: batch, until_ms: ms } of await tables.lentBatch.rows(desk.pool))
            if (ms < 0)
              await tables.lentBatch.change(desk.pool, { id: batch }, { until: fromNow(ms / 1_000 - 660) });
          return look();
        };
      await expect.poll(laterOn(() => fetched(fetchers[1]))).toBeGreaterThan(0);
      await fetchers[1]?.kill();
      fetchers.push(startFetcher('--lease-seconds', '4', '--ack', 'late'));
      const late = () => fetchers[2]?.said.some(({ result }) => result === 'late');
      await expect.poll(laterOn(late)).toBe(true);
      await fetchers[2]?.kill();
      expect(await desk.ended(id)).toMatchObject({ state: 'finished', cause: 'complete' });
      const verdict = judge(web.log(), { delayMs, expected: expectedOf(web.plan) });
      expect(verdict).toMatchObject({
        overlaps: [],
        tooSoon: [],
        missing: [],
        disallowed: [],
        unexpected: [],
      });
      // Only what was cut off or never committed was asked for again.
      const accepted = new Set(
        fetchers.flatMap(({ said }) =>
          said.flatMap(({ result, url }) =>
            result === 'accepted' && url !== undefined ? [pageKey(url)] : [],
          ),
        ),
      );
      expect([...verdict.repeated.keys()].filter((key) => accepted.has(key))).toEqual([]);
      expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [] });
    } finally {
      await Promise.all(fetchers.map((each) => each.kill()));
      await web.stop();
    }
  });

  it('two of them and a worker on the same hosts, killed again and again: one at a time, never too soon', async () => {
    const web = await startWeb({ seed: 77, hosts: 2, pages: 40, latencyMs: 60 });
    const fetchers = [startFetcher('--lease-seconds', '4'), startFetcher('--lease-seconds', '6')];
    try {
      const id = await desk.start(web.seeds, { scope: 'any', delaySeconds });
      for (const requests of [10, 30]) {
        await expect.poll(() => web.log().length).toBeGreaterThan(requests);
        await worker.kill();
        await fetchers[0]?.kill();
        fetchers.unshift(startFetcher('--lease-seconds', '4'));
        worker = await startOwn();
      }
      expect(await desk.ended(id)).toMatchObject({ state: 'finished', cause: 'complete' });
      const verdict = judge(web.log(), { delayMs, expected: expectedOf(web.plan) });
      const clean = { overlaps: [], tooSoon: [], missing: [], disallowed: [], unexpected: [] };
      expect(verdict).toMatchObject(clean);
      expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [] });
    } finally {
      await Promise.all(fetchers.map((each) => each.kill()));
      await web.stop();
    }
  });

  it('is waited for where a crawl is cancelled, until its lease has run out', async () => {
    // Our own worker must not be done with the host before it is lent.
    const web = await startWeb({ seed: 78, hosts: 1, pages: 200, latencyMs: 5 });
    try {
      const id = await desk.start(web.seeds, { scope: 'any', delaySeconds: 0.5 });
      await expect.poll(() => web.log().length).toBeGreaterThan(1);
      const post = (path: string, body: object) =>
        ask<{ lease_id: string | null; urls: { url: string }[]; results: { result: string }[] }>(
          api.url, api.key, 'POST', `/frontier/0/${path}`, body,
        ); // prettier-ignore
      const lease = () =>
        post('lease_batch', { fetcher_id: 'dead', batch_size: 1, lease_seconds: 8, crawl_id: id });
      let batch: Awaited<ReturnType<typeof lease>>['body'] | undefined;
      await expect.poll(async () => (batch = (await lease()).body).urls.length).toBe(1);
      await desk.client.workflow.getHandle(`crawl/${id}`).executeUpdate('cancel', { args: ['a test'] });
      expect(await desk.ended(id)).toMatchObject({ state: 'cancelled', reason: 'a test' });
      const late = { lease_id: batch?.lease_id, results: [{ url: batch?.urls[0]?.url, status: 200 }] };
      expect((await post('ack', late)).body.results[0]?.result).toBe('late');
      expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [] });
    } finally {
      await web.stop();
    }
  });

  it('gets nothing of a host whose workflow an operator has paused', async () => {
    // The pause must come before our own worker is done with the host.
    const web = await startWeb({ seed: 53, hosts: 1, pages: 30, latencyMs: 5 });
    const [origin = ''] = web.origins;
    try {
      const id = await desk.start(web.seeds, { scope: 'any', delaySeconds: 0.5 });
      await expect.poll(() => web.log().length).toBeGreaterThan(2);
      await desk.client.workflow.getHandle(`host/${origin}`).signal('pause', 'a test');
      await until('it is paused', async () => (await hostRow(desk.pool, origin)).paused_at !== null);
      const before = web.log().length;
      const fetcher = startFetcher();
      const [first, ...others] = await tables.url.rows(desk.pool, { crawl_id: id, state: 'queued' });
      const left = others.length + Number(first !== undefined);
      expect(left).toBeGreaterThan(0);
      const explain = `${api.url}/v1/crawls/${id}/explain?url=${encodeURIComponent(first?.url ?? '')}`;
      const explained = await fetch(explain);
      expect(await explained.json()).toMatchObject({
        next: {
          at: null,
          because: expect.arrayContaining([
            expect.stringContaining('An operator has paused the host since'),
          ]) as unknown,
        },
      });
      // Asked ten times a second, for several times the delay.
      await expect.poll(() => fetcher.said.length).toBeGreaterThan(25);
      await fetcher.kill();
      expect(fetcher.errors).toEqual([]);
      expect(web.log().length).toBe(before);
      await desk.client.workflow.getHandle(`host/${origin}`).signal('resume');
      expect(await desk.ended(id)).toMatchObject({ state: 'finished' });
    } finally {
      await web.stop();
    }
  });
});
