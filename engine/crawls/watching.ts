/** Watches a crawl until there is something to tell its workflow: seeds it, and judges whether it is over. */
import type { WatchResult } from '../../contracts/activities.ts';
import type { CrawlState } from '../../contracts/crawl.ts';
import { judgeFinish, waitsForNeeds } from '../../domain/finish.ts';
import type { CrawlOutlook } from '../../storage/crawls/index.ts';
import type { Ear } from '../bells.ts';
import type { Dependencies } from '../dependencies.ts';
import { retrying } from '../../storage/postgres/index.ts';
import { sleep } from '../visit/sleep.ts';
import { glanceAt } from './glance.ts';
import { crawlOutlookOf, excludeSurplus } from './life.ts';
import { Seeding } from './seeding.ts';

const quickMs = 250;
const slowMs = 2_000;
/** Fewest milliseconds between two reports that hosts parked or came back: each costs some events of a history. */
const newsMs = 5_000;
/** States of crawls that are watched. */
const watched: readonly CrawlState[] = ['seeding', 'running'];
/** URLs that a quick crawl may fetch between two slow looks. With more queued, looks are slow. */
const many = 3_000;
/** With more queued, no visit that has nothing more to do brings the end of a crawl near. */
const few = 100;

/**
 * The share of the time that a watch may look for what a full crawl has queued in vain: what its pages need is gone over
 * each time, however much it is.
 */
const surplusShare = 0.05;

/** Between two looks at a standing crawl of which nothing is due, and until such a watch ends. */
const [restLookMs, restMs] = [10_000, 600_000];

const isIdle = ({ queued, parked, leased, pending }: CrawlOutlook): boolean =>
  queued - parked + leased + pending === 0;

/** What a watch asks of workflows. */
export interface CrawlMessages {
  /** Starts the job that applies edited settings; if it cannot be started now, the patrol starts it later. */
  startEdit(crawlId: string): Promise<void>;
  /** Asks the parked hosts at which the crawl has seeds for one probe each. */
  askHosts(crawlId: string): Promise<void>;
}

export class Watching {
  readonly #dependencies: Dependencies;
  readonly #messages: CrawlMessages;
  readonly #seeding: Seeding;

  constructor(dependencies: Dependencies, messages: CrawlMessages) {
    this.#dependencies = dependencies;
    this.#messages = messages;
    this.#seeding = new Seeding(dependencies, (crawlId) => messages.startEdit(crawlId));
  }

  /**
   * Looks often while few URLs are left, less often while nothing changes, and seldom while much is queued. Near the end
   * also once a visit has nothing more to do for the crawl.
   */
  async watch(crawlId: string, watchMs: number, signal: AbortSignal): Promise<WatchResult> {
    const { bells } = this.#dependencies;
    const ear = bells.listen(['spent'], (id) => id === Number(crawlId));
    try {
      return await this.#watchBy(ear, crawlId, watchMs, signal);
    } finally {
      bells.silence(ear);
    }
  }

  async #watchBy(ear: Ear, crawlId: string, watchMs: number, signal: AbortSignal): Promise<WatchResult> {
    const { pool, books } = this.#dependencies;
    const start = performance.now();
    const until = start + watchMs;
    let parkedFirst: number | null = null;
    let [seen, quietMs] = ['', quickMs];
    let nextSurplusAt = start;
    for (;;) {
      ear.forget();
      const outlook = await crawlOutlookOf(pool, crawlId);
      const sees = [outlook.queued, outlook.leased, outlook.pending, outlook.done].join();
      quietMs = sees === seen ? Math.min(slowMs, 2 * quietMs) : quickMs;
      seen = sees;
      parkedFirst ??= outlook.parked;
      // Somebody else moved the crawl on: its workflow was reset, or two messages crossed.
      if (!watched.includes(outlook.state)) return { verdict: 'moved' };
      const seeded = outlook.unseeded ? await this.#seeding.admitSome(crawlId, signal) : 0;
      if (outlook.asking) await this.#messages.askHosts(crawlId);
      const { config } = await books.crawls.open(Number(crawlId));
      const rests = config.keepFresh !== null && isIdle(outlook);
      const progress = { ...outlook, runningMs: outlook.running_ms ?? 0 };
      const judged = judgeFinish(progress, config);
      const isOver =
        judged.verdict !== 'going' &&
        !(judged.verdict === 'complete' && (outlook.unseeded || outlook.edited || config.keepFresh !== null));
      if (isOver) return judged;
      if (signal.aborted) return { verdict: 'going' };
      if (waitsForNeeds(progress, config) && performance.now() >= nextSurplusAt) {
        const from = performance.now();
        if ((await retrying(() => excludeSurplus(pool, crawlId))) > 0) continue;
        nextSurplusAt = from + (performance.now() - from) / surplusShare;
      }
      const isNews = outlook.parked !== parkedFirst && performance.now() >= start + newsMs;
      if (isNews || performance.now() >= (rests ? start + restMs : until))
        return { verdict: 'going', glance: await glanceAt(this.#dependencies, crawlId) };
      if (seeded > 0) continue;
      const { maxSeconds } = config;
      const leftMs = maxSeconds === null ? Infinity : maxSeconds * 1_000 - (outlook.running_ms ?? 0);
      const lookMs = rests ? restLookMs : outlook.queued > many ? slowMs : quietMs;
      const sleepMs = Math.min(lookMs, Math.max(1, leftMs));
      await (outlook.queued - outlook.parked > few ? sleep(sleepMs, signal) : ear.sleep(sleepMs, signal));
    }
  }
}
