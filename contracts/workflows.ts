/**
 * Names that cross a process boundary or live in a history: workflow types and ids, task queues, search attributes,
 * messages. Changing one after release needs a patch and a saved history (docs/design.md, "The workflows").
 */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { PauseCause } from '../domain/crawl-life.ts';
import type { DeadLetterClass } from '../domain/dead-letter.ts';
import type { FrontState, PlacesGiven } from '../domain/front-queue/front-state.ts';
import type { LoadMode } from '../domain/front-queue/tiers.ts';
import type { VisitRegion, WantedBy } from './activities.ts';
import type { CrawlState } from './crawl.ts';

/** One queue per kind of work, so that each kind can be scaled, and can run short of slots, on its own. */
export const taskQueues = {
  /** Crawls, schedulers and most jobs, with their activities: never short of slots, however much work hosts have. */
  crawl: 'crawl',
  /** Workflows of hosts and webhooks, and the activities that change the rows of hosts. */
  control: 'control',
  fetch: 'fetch',
  /**
   * Fetching from hosts that were in trouble at their last visit: these have slots of their own, and none of the
   * others.
   */
  trouble: 'trouble',
  dedup: 'dedup',
  extract: 'extract',
  /** Renders pages that say nothing without their scripts. */
  render: 'render',
  /** Reads bodies again to index their texts, a few crawls at a time. */
  search: 'search',
  webhook: 'webhook',
  export: 'export',
  /** Reads stored bodies again, after those that were just fetched. */
  reextract: 'reextract',
  /** Backs up the data folder, on the machine that has it. */
  backup: 'backup',
} as const;
/** The queue of a region's own workers: `fetch-eu`. The queue without a region is everybody's who fetches. */
export const regionalQueue = <Q extends 'fetch' | 'trouble'>(queue: Q, region: string) =>
  `${queue}-${region}` as const;
export type TaskQueue =
  | (typeof taskQueues)[keyof typeof taskQueues]
  | ReturnType<typeof regionalQueue<'fetch' | 'trouble'>>;

export const hostWorkflowId = (origin: string): string => `host/${origin}`;
export const schedulerWorkflowId = (shard: number): string => `scheduler/${String(shard)}`;
export const crawlWorkflowId = (crawlId: string): string => `crawl/${crawlId}`;

/** Custom search attributes of host workflows (`CrawlState` also of crawls). */
export const searchAttributes = {
  CrawlState: 'KEYWORD',
  QueueDepth: 'INT',
  DeadLetters: 'INT',
  NextFetchTime: 'DATETIME',
  LastError: 'KEYWORD',
} as const;

/** The value of `CrawlState` on a host workflow. */
export type HostMode = 'active' | 'backoff' | 'closed' | 'opted-out' | 'paused' | 'parked';

// Host -------------------------------------------------------------------------------------------------------------

export interface HostInput {
  /** Id of the host row, decimal. */
  readonly hostId: string;
  /** scheme + authority, e.g. `https://example.com`. */
  readonly origin: string;
  /** Why the host's retries are spent: it was asked before its workflow was started, and is parked at once. */
  readonly spent?: string;
  /** The workflow replaces a lost one: it looks how the host stands before anything else. */
  readonly adopted?: boolean;
  /** What survives continue-as-new; absent at the first start. */
  readonly carried?: HostCarried;
}

export interface HostCarried {
  readonly version: 1;
  readonly paused: boolean;
  readonly parked: boolean;
  readonly pausedReason: string | null;
  readonly lastError: string | null;
  /** Epoch milliseconds the current trouble began, or null. */
  readonly troubleSince: number | null;
  readonly fetched: number;
  readonly deadLetters: number;
  readonly queued: number;
  readonly wantedBy: WantedBy;
  readonly delayMs: number;
  /** Milliseconds from parking to the first probe; doubled for each further one. */
  readonly probeMs: number;
  /** Probes since a page of the host was last fetched. */
  readonly probes: number;
  /** Epoch milliseconds of the next probe, or null. */
  readonly probeAt: number | null;
  /** The outcome of the last probe, or null. */
  readonly lastProbe: string | null;
  /** The region where visits of the host go; absent: a worker that fetches is to say. */
  readonly region?: VisitRegion | undefined;
}

export interface HostView {
  readonly mode: HostMode;
  readonly fetched: number;
  readonly queued: number;
  readonly deadLetters: number;
  readonly delayMs: number;
  readonly lastError: string | null;
  /** Epoch milliseconds of the next visit, or null. */
  readonly nextVisit: number | null;
}

/** URLs are due: look again. */
export const wakeSignal = defineSignal('wake');
/**
 * The worker of the visit under way is gone. `lease`: the token of the lease that nobody returned; null: the visit had
 * none yet.
 */
export const lostVisitSignal = defineSignal<[lease: number | null]>('lost');
/** Send no request until `resume`; a request in flight is finished first. */
export const pauseHostSignal = defineSignal<[reason: string | null]>('pause');
export const resumeHostSignal = defineSignal('resume');
/** Forget backoff and failures and try now (the host's delay still holds). Answers in one sentence what was done. */
export const retryHostUpdate = defineUpdate<string>('retry');
/** As the update, but on record at once: for callers that do not wait for a worker. */
export const retryHostSignal = defineSignal('retry');
/** Exclude every queued URL of this host. Answers the number in one sentence. */
export const dropHostUpdate = defineUpdate<string, [reason: string | null]>('drop');
/** Set the host's delay in seconds (for hosts one owns), or null to go back to robots.txt and the default. */
export const setDelayUpdate = defineUpdate<string, [seconds: number | null]>('setDelay');
export interface RedriveChoice {
  /** A class of dead letters; absent or null: any. */
  readonly class?: DeadLetterClass | null;
  /** One URL, in any spelling; absent or null: any. */
  readonly url?: string | null;
}
/** Queue dead letters of this host again; with neither class nor URL a parked host is tried again. */
export const redriveHostUpdate = defineUpdate<string, [choice: RedriveChoice | null]>('redrive');
/**
 * A crawl that was started anew has seeds here: a parked host is asked once whether it answers, as soon as it may be
 * asked.
 */
export const askHostSignal = defineSignal('ask');
export const hostStateQuery = defineQuery<HostView>('state');

// Scheduler --------------------------------------------------------------------------------------------------------

export interface SchedulerInput {
  readonly shard: number;
  /** What survives continue-as-new; absent at the first start. */
  readonly carried?: SchedulerCarried;
}

export interface SchedulerCarried {
  readonly version: 1;
  readonly front: FrontState;
  readonly given: PlacesGiven;
  readonly decisions: readonly SchedulerDecision[];
}

/** A tick that gave places or asked for some back. */
export interface SchedulerDecision extends PlacesGiven {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly mode: LoadMode;
  readonly askedBack: number;
}

export interface SchedulerView {
  readonly shard: number;
  readonly activeHosts: number;
  /** Hosts that are worked at the same time, at most. */
  readonly cap: number;
  /** Hosts started since this run of the workflow began. */
  readonly fed: number;
  readonly ticks: number;
  /** Is the shard under load? Then the tiers share the places by other weights (domain/front-queue/). */
  readonly mode: LoadMode;
  /** Places given since the workflow first began. */
  readonly given: PlacesGiven;
  /** The latest first. */
  readonly decisions: readonly SchedulerDecision[];
}
export const schedulerStateQuery = defineQuery<SchedulerView>('state');

// Crawl ------------------------------------------------------------------------------------------------------------

/**
 * Postgres holds how far the crawl is, and the workflow looks it up: a caller that starts one need not know whether
 * there was one before.
 */
export interface CrawlInput {
  readonly crawlId: string;
}

export interface CrawlView {
  readonly state: CrawlState;
  readonly reason: string | null;
}

export interface CrawlResult {
  readonly crawlId: string;
  readonly state: CrawlState;
  readonly reason: string;
}

/** URLs of this crawl wait again at a host that had been parked: go on if it was ending. */
export const reopenCrawlSignal = defineSignal('reopen');
export const pauseCrawlUpdate = defineUpdate<CrawlView, [reason: string | null, cause?: PauseCause]>('pause');
export const resumeCrawlUpdate = defineUpdate<CrawlView>('resume');
export const cancelCrawlUpdate = defineUpdate<CrawlView, [reason: string | null]>('cancel');
export const crawlProgressQuery = defineQuery<CrawlView>('progress');
