/** The life of a crawl in Postgres: seeding, watching, draining, settling. */
import type { WorkflowClient } from '@temporalio/client';
import type { ControlActivities } from '../contracts/activities.ts';
import { schedulerWorkflowId, taskQueues, wakeSignal } from '../contracts/workflows.ts';
import { judgeFinish, type FinishVerdict } from '../domain/finish.ts';
import { canonicalize } from '../domain/url.ts';
import { inTransaction } from '../storage/pool.ts';
import { retrying } from '../storage/retry.ts';
import { chooseCanonicals } from '../storage/statements/choose-canonicals.ts';
import { crawlOutlook, type CrawlOutlook } from '../storage/statements/crawl-outlook.ts';
import { excludeQueued } from '../storage/statements/exclude-queued.ts';
import { nextSeeds } from '../storage/statements/next-seeds.ts';
import { noteSeeded } from '../storage/statements/note-seeded.ts';
import { markTextDuplicates } from '../storage/statements/mark-text-duplicates.ts';
import { lockCrawls } from '../storage/statements/lock-crawls.ts';
import { setCrawlState } from '../storage/statements/set-crawl-state.ts';
import { Admission, type Candidate } from './admission.ts';
import { CrawlBook } from './crawl-book.ts';
import type { Dependencies } from './dependencies.ts';
import { withOwnFaults } from './failures.ts';
import { sleep } from './fetch/sleep.ts';
import { withHeartbeat } from './heartbeat.ts';
import { HostBook } from './host-book.ts';
import { OptOutBook } from './opt-out-book.ts';

type CrawlActivities = Pick<
  ControlActivities,
  'seedCrawl' | 'setCrawlState' | 'watchCrawl' | 'drainCrawl' | 'settleCrawl' | 'wakeSchedulers'
>;

const batch = 1_000;
const quickMs = 250;
const slowMs = 2_000;
/** URLs that a crawl in a hurry may fetch in a slow look: with fewer left, looks are quick. */
const many = 3_000;

export function createCrawlActivities(
  dependencies: Dependencies,
  workflows: WorkflowClient,
): CrawlActivities {
  const { pool, writer, settings } = dependencies;
  const crawls = new CrawlBook(pool, settings);
  const admission = new Admission(
    dependencies,
    new HostBook(pool, settings.shards),
    new OptOutBook(pool),
    crawls,
  );

  const outlookOf = async (crawlId: string): Promise<CrawlOutlook> => {
    const [outlook] = await crawlOutlook(pool, Number(crawlId));
    if (outlook === undefined) throw new Error(`there is no crawl ${crawlId}`);
    return outlook;
  };

  /** Admits what seeds were not admitted yet; cut off between two batches, it goes on there. */
  const seed = async (crawlId: string, signal: AbortSignal): Promise<{ admitted: number }> => {
    for (let admitted = 0; ;) {
      const seeds = await nextSeeds(pool, Number(crawlId), batch);
      const last = seeds.at(-1);
      if (last === undefined || signal.aborted) return { admitted };
      const crawl = await crawls.open(Number(crawlId));
      const links = seeds.flatMap(({ url, rejected }): Candidate[] => {
        const link = canonicalize(url);
        if (rejected !== null || !link.ok) return [];
        return [{ crawl, link: link.value, kind: 'page', seed: true, depth: 0, hops: 0, parent: null }];
      });
      admitted += (await admission.admit(links, (admissions) => writer.write({ admissions }))).admitted;
      await noteSeeded(pool, Number(crawlId), last.line);
    }
  };

  /** Polls quickly while the crawl is small or near its end, more slowly while much is queued. */
  const watch = async (crawlId: string, watchMs: number, signal: AbortSignal): Promise<FinishVerdict> => {
    const until = performance.now() + watchMs;
    for (;;) {
      const outlook = await outlookOf(crawlId);
      if (outlook.unseeded) await seed(crawlId, signal);
      const { config } = await crawls.open(Number(crawlId));
      const judged = judgeFinish({ ...outlook, runningMs: outlook.running_ms ?? 0 }, config);
      const isOver =
        judged.verdict !== 'going' &&
        !(judged.verdict === 'complete' && (outlook.unseeded || outlook.edited));
      if (isOver) return judged;
      if (performance.now() >= until || signal.aborted) return { verdict: 'going' };
      await sleep(outlook.queued > many ? slowMs : quickMs, signal);
    }
  };

  const drain = async (crawlId: string, reason: string, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const excluded = await retrying(() => excludeQueued(pool, Number(crawlId), reason, batch));
      if (excluded.length > 0) continue;
      const { queued, leased, pending } = await outlookOf(crawlId);
      if (queued + leased + pending === 0) return;
      await sleep(quickMs, signal);
    }
    throw new Error('draining was interrupted');
  };

  return {
    seedCrawl: ({ crawlId }) => withOwnFaults(() => withHeartbeat((signal) => seed(crawlId, signal))),
    setCrawlState: ({ crawlId, state, reason }) =>
      withOwnFaults(async () => {
        await setCrawlState(pool, Number(crawlId), state, reason);
      }),
    watchCrawl: ({ crawlId, watchMs }) =>
      withOwnFaults(() => withHeartbeat((signal) => watch(crawlId, watchMs, signal))),
    drainCrawl: ({ crawlId, reason }) =>
      withOwnFaults(() => withHeartbeat((signal) => drain(crawlId, reason, signal))),

    /** A crawl that reached nothing at all has failed; one that reached anything has finished. */
    settleCrawl: ({ crawlId, state, reason }) =>
      withOwnFaults(async () => {
        const id = Number(crawlId);
        return inTransaction(pool, async (db) => {
          // Whoever unparks a host reopens crawls under this lock too: either it sees the end, or this sees the work.
          await lockCrawls(db, [id]);
          const [outlook] = await crawlOutlook(db, id);
          const live =
            outlook === undefined ? 0 : outlook.queued - outlook.parked + outlook.leased + outlook.pending;
          const more = reason === 'complete' && (outlook?.unseeded === true || outlook?.edited === true);
          if (state === 'finished' && (live > 0 || more)) return { state: 'running', reason } as const;
          const nothing = state === 'finished' && outlook?.done === 0;
          const final = nothing
            ? ({ state: 'failed', reason: 'no URL could be fetched' } as const)
            : { state, reason };
          await chooseCanonicals(db, id);
          await markTextDuplicates(db, id);
          await setCrawlState(db, id, final.state, final.reason);
          return final;
        });
      }),

    wakeSchedulers: () =>
      withOwnFaults(async () => {
        for (let shard = 0; shard < settings.shards; shard++) {
          await workflows.signalWithStart('scheduler', {
            workflowId: schedulerWorkflowId(shard),
            taskQueue: taskQueues.control,
            args: [{ shard }],
            signal: wakeSignal,
            workflowTaskTimeout: '5 seconds',
          });
        }
      }),
  };
}
