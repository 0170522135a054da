/** The life of a crawl in Postgres: seeding, watching, draining, settling. */
import type { WorkflowClient } from '@temporalio/client';
import type { ControlActivities, WatchResult } from '../contracts/activities.ts';
import { wholeConfig, type CrawlState } from '../contracts/crawl.ts';
import { schedulerWorkflowId, taskQueues, wakeSignal } from '../contracts/workflows.ts';
import { endingInWords, endState, isOver, type CrawlEnding, type CrawlStands } from '../domain/crawl-life.ts';
import { judgeFinish } from '../domain/finish.ts';
import { urlPriority } from '../domain/priority.ts';
import { canonicalize } from '../domain/url.ts';
import { urlKey } from '../contracts/url-key.ts';
import { allowWalk, inTransaction, type Queryable, retrying } from '../storage/postgres/index.ts';
import { askParkedHosts } from '../storage/hosts/index.ts';
import { countShards } from '../storage/feeding/index.ts';
import { claimSeeds, nextSeeds, noteSeeded } from '../storage/seeds/index.ts';
import { chooseCanonicals, markTextDuplicates } from '../storage/pages/index.ts';
import {
  crawlStanding,
  crawlOutlook,
  type CrawlOutlook,
  loadCrawls,
  lockCrawls,
  setCrawlState,
} from '../storage/crawls/index.ts';
import { excludeQueued } from '../storage/frontier/index.ts';
import { candidate, type Candidate } from '../engine/admission/candidates.ts';
import { askHosts } from './ask-hosts.ts';
import type { OpenCrawl } from '../engine/books/crawl-book.ts';
import type { Dependencies } from '../engine/dependencies.ts';
import { withOwnFaults } from './failures.ts';
import { sleep } from '../engine/visit/sleep.ts';
import { glanceAt } from './glance.ts';
import { withHeartbeat } from './heartbeat.ts';
import { SeedingTurns } from '../engine/admission/seeding-turns.ts';
import { startEdit, workflowTaskTimeout } from './open-workflows.ts';

type CrawlActivities = Pick<
  ControlActivities,
  'lookAtCrawl' | 'setCrawlState' | 'watchCrawl' | 'drainCrawl' | 'settleCrawl' | 'wakeSchedulers'
>;

const batch = 1_000;
/** Most batches of seeds that a process admits at a time: each takes a connection and much of the one thread. */
const seedingPlaces = 2;
/** Milliseconds for which seeds are admitted before the watch checks again whether the crawl is over. */
const seedingMs = 1_000;
const quickMs = 250;
const slowMs = 2_000;
/** Fewest milliseconds between two reports that hosts parked or came back: each costs some events of a history. */
const newsMs = 5_000;
/** States of crawls that are watched. */
const watched: readonly CrawlState[] = ['seeding', 'running'];
/** URLs that a quick crawl may fetch between two slow looks. With more queued, looks are slow. */
const many = 3_000;

export function createCrawlActivities(
  dependencies: Dependencies,
  workflows: WorkflowClient,
): CrawlActivities {
  const { pool, writer, settings, books, admission } = dependencies;
  const { crawls } = books;
  const turns = new SeedingTurns(seedingPlaces);

  const outlookOf = async (crawlId: string): Promise<CrawlOutlook> => {
    const [outlook] = await crawlOutlook(pool, Number(crawlId));
    if (outlook === undefined) throw new Error(`there is no crawl ${crawlId}`);
    return outlook;
  };

  /** Marks URLs as seeds that the crawl already knows as links. */
  const claim = async (crawl: OpenCrawl, seeds: readonly Candidate[]): Promise<void> => {
    const verdicts = await crawl.judge(seeds);
    const admitted = seeds.filter((_, at) => verdicts[at]?.verdict === 'admit');
    const places = admitted.map(({ link }) => ({
      origin: link.host,
      key: urlKey(link.canonical).toString('hex'),
    }));
    if (places.length === 0) return;
    const claimed = await retrying(() =>
      claimSeeds(pool, crawl.id, JSON.stringify(places), urlPriority('page', 0)),
    );
    dependencies.wakeHosts(claimed.map(({ host_id }) => host_id));
  };

  /**
   * Admits further seeds for a while. After an abort between two batches, the next call goes on from there. Stops once
   * the crawl is paused or ends, even if this attempt is not aborted. Returns the number of seed lines taken.
   */
  const seed = async (crawlId: string, signal: AbortSignal): Promise<number> => {
    const id = Number(crawlId);
    const until = performance.now() + seedingMs;
    const crawl = await crawls.open(id);
    for (let lines = 0; ;) {
      const taken = await turns.take(crawl.tenantId, signal, async () =>
        signal.aborted || !(await crawls.isRunning(id)) ? 0 : seedBatch(crawlId),
      );
      lines += taken ?? 0;
      // Checked only after a batch, so that each call gets at least one turn.
      if (taken === null || taken === 0 || performance.now() >= until) return lines;
    }
  };

  /** Admits one batch. Returns the number of seed lines taken; 0: none are left. */
  const seedBatch = async (crawlId: string): Promise<number> => {
    const id = Number(crawlId);
    const seeds = await nextSeeds(pool, id, batch);
    const [first] = seeds;
    const last = seeds.at(-1);
    if (first === undefined || last === undefined) return 0;
    const crawl = await crawls.open(id);
    const links = seeds.flatMap(({ url, rejected }): Candidate[] => {
      const link = canonicalize(url);
      if (rejected !== null || !link.ok) return [];
      return [candidate(crawl, link.value, { in: 'seed' })];
    });
    const { admitted } = await admission.store(writer, links);
    if (admitted < links.length) await claim(crawl, links);
    const origins = [...new Set(links.map(({ link }) => link.host))];
    await retrying(() => askParkedHosts(pool, id, origins));
    const rejudged = await noteSeeded(pool, id, first.after, last.line, links.length);
    // If Temporal does not answer now, the patrol starts the edit workflow later.
    if (rejudged.length > 0) await startEdit(workflows, crawlId);
    return seeds.length;
  };

  /** Looks often while few URLs are left, less often while nothing changes, and seldom while much is queued. */
  const watch = async (crawlId: string, watchMs: number, signal: AbortSignal): Promise<WatchResult> => {
    const start = performance.now();
    const until = start + watchMs;
    let parkedFirst: number | null = null;
    let [seen, quietMs] = ['', quickMs];
    for (;;) {
      const outlook = await outlookOf(crawlId);
      const sees = [outlook.queued, outlook.leased, outlook.pending, outlook.done].join();
      quietMs = sees === seen ? Math.min(slowMs, 2 * quietMs) : quickMs;
      seen = sees;
      parkedFirst ??= outlook.parked;
      // Somebody else moved the crawl on: its workflow was reset, or two messages crossed.
      if (!watched.includes(outlook.state)) return { verdict: 'moved' };
      const seeded = outlook.unseeded ? await seed(crawlId, signal) : 0;
      if (outlook.asking) await askHosts(dependencies, workflows, crawlId);
      const { config } = await crawls.open(Number(crawlId));
      const judged = judgeFinish({ ...outlook, runningMs: outlook.running_ms ?? 0 }, config);
      const isOver =
        judged.verdict !== 'going' &&
        !(judged.verdict === 'complete' && (outlook.unseeded || outlook.edited));
      if (isOver) return judged;
      if (signal.aborted) return { verdict: 'going' };
      const isNews = outlook.parked !== parkedFirst && performance.now() >= start + newsMs;
      if (isNews || performance.now() >= until)
        return { verdict: 'going', glance: await glanceAt(dependencies, crawlId) };
      if (seeded > 0) continue;
      const { maxSeconds } = config;
      const leftMs = maxSeconds === null ? Infinity : maxSeconds * 1_000 - (outlook.running_ms ?? 0);
      await sleep(Math.min(outlook.queued > many ? slowMs : quietMs, Math.max(1, leftMs)), signal);
    }
  };

  const drain = async (crawlId: string, reason: string, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      if ((await outlookOf(crawlId)).state === 'running') return;
      const excluded = await retrying(() => excludeQueued(pool, Number(crawlId), reason, batch));
      if (excluded.length > 0) continue;
      const { queued, leased, pending } = await outlookOf(crawlId);
      if (queued + leased + pending === 0) return;
      await sleep(quickMs, signal);
    }
    throw new Error('draining was interrupted');
  };

  return {
    lookAtCrawl: ({ crawlId }) =>
      withOwnFaults(async () => ({
        ...(await standsAt(pool, crawlId)),
        glance: await glanceAt(dependencies, crawlId),
      })),
    setCrawlState: ({ crawlId, ...next }) =>
      withOwnFaults(() =>
        inTransaction(pool, async (db) => {
          const id = Number(crawlId);
          await lockCrawls(db, [id]);
          const now = await standsAt(db, crawlId);
          if (isOver(now.state)) return now;
          const begins = next.state === 'draining' && now.state !== 'draining';
          if (begins && next.cause !== 'cancelled' && !(await isAtLimit(db, id))) return now;
          await setCrawlState(db, id, next.state, next.cause, next.reason);
          return next;
        }),
      ),
    watchCrawl: ({ crawlId, watchMs }) =>
      withOwnFaults(() => withHeartbeat((signal) => watch(crawlId, watchMs, signal))),
    drainCrawl: ({ crawlId, reason }) =>
      withOwnFaults(() => withHeartbeat((signal) => drain(crawlId, reason, signal))),

    /** A crawl that fetched no URL at all has failed; a crawl that fetched any has finished. */
    settleCrawl: ({ crawlId, ending, reason }) =>
      withOwnFaults(() =>
        withHeartbeat(async () => {
          const id = Number(crawlId);
          const settled = await inTransaction(pool, async (db): Promise<CrawlStands> => {
            // Unparking a host reopens crawls under the same lock: either it sees the end, or this code sees the work.
            await lockCrawls(db, [id]);
            const [outlook] = await crawlOutlook(db, id);
            if (outlook === undefined) throw new Error(`there is no crawl ${crawlId}`);
            // Somebody else may have ended the crawl before this workflow came here.
            if (isOver(outlook.state)) return standsOf(outlook);
            if (goesOn(ending, outlook)) return { state: 'running', cause: null, reason: null };
            const nothing = endState(ending) === 'finished' && outlook.done === 0;
            const final: CrawlStands = nothing
              ? { state: 'failed', cause: 'nothing-fetched', reason: endingInWords('nothing-fetched') }
              : { state: endState(ending), cause: ending, reason };
            await allowWalk(db);
            await chooseCanonicals(db, id);
            await markTextDuplicates(db, id);
            await setCrawlState(db, id, final.state, final.cause, final.reason);
            return final;
          });
          return { ...settled, glance: await glanceAt(dependencies, crawlId) };
        }),
      ),

    wakeSchedulers: () =>
      withOwnFaults(async () => {
        // Hosts keep their shard when the setting is lowered, so higher shards may still have hosts.
        const [given] = await countShards(pool);
        for (let shard = 0; shard < Math.max(settings.shards, given?.shards ?? 0); shard++) {
          await workflows.signalWithStart('scheduler', {
            workflowId: schedulerWorkflowId(shard),
            taskQueue: taskQueues.crawl,
            args: [{ shard }],
            signal: wakeSignal,
            workflowTaskTimeout,
          });
        }
      }),
  };
}

async function standsAt(db: Queryable, crawlId: string): Promise<CrawlStands> {
  const [row] = await crawlStanding(db, Number(crawlId));
  if (row === undefined) throw new Error(`there is no crawl ${crawlId}`);
  return row;
}

const standsOf = ({ state, cause, reason }: CrawlStands): CrawlStands => ({ state, cause, reason });

/** Does an ending crawl go on: has it got work meanwhile, or was its limit raised before it began to drain? */
function goesOn(ending: CrawlEnding, outlook: CrawlOutlook): boolean {
  if (endState(ending) !== 'finished') return false;
  if (outlook.queued - outlook.parked + outlook.leased + outlook.pending > 0) return true;
  return ending === 'complete' ? outlook.unseeded || outlook.edited : outlook.state === 'running';
}

/**
 * Does a limit end the crawl by its current settings? The watch may use settings that are a second old, but an edit that
 * was accepted before the crawl began to drain must count. The caller must lock the crawl's row.
 */
async function isAtLimit(db: Queryable, crawlId: number): Promise<boolean> {
  const [outlook] = await crawlOutlook(db, crawlId);
  const [crawl] = await loadCrawls(db, [crawlId]);
  if (outlook === undefined || crawl === undefined) throw new Error(`there is no crawl ${String(crawlId)}`);
  const standing = { ...outlook, runningMs: outlook.running_ms ?? 0 };
  const { verdict } = judgeFinish(standing, wholeConfig(crawl.config));
  return verdict !== 'going' && verdict !== 'complete';
}
