/**
 * Activities as workflows call them. Histories hold their inputs and results, which must therefore be small and plain;
 * fields may only be added.
 */
import type { CrawlEnding, NumberedStands } from '../domain/crawl-life.ts';
import type { DeadLetterClass, RedriveCounts } from '../domain/dead-letter.ts';
import type { FinishVerdict } from '../domain/finish.ts';
import type { Outage } from '../domain/outage.ts';
import type { ClosedBy } from '../domain/waits/reasons.ts';
import type { FrontState, PlacesGiven } from '../domain/front-queue/front-state.ts';

export interface HostRef {
  readonly hostId: string;
  readonly origin: string;
}

/** The region where visits of a host go (domain/regions.ts). */
export interface VisitRegion {
  readonly name: string;
  /** Milliseconds for which a visit waits for a worker of the region; then the region is chosen anew. */
  readonly patienceMs: number;
}

/** A host that is asked by a worker of a region; without one, the worker says which region is to ask it. */
export interface HostInRegion extends HostRef {
  /** `chosen`: a worker has just named this region, and the host is not sent on once more. */
  readonly region?: { readonly name: string; readonly chosen: boolean };
}

/** A result that only says where to go: set if the host belongs to another region, and nothing was asked. */
interface SentOn {
  readonly region?: VisitRegion;
}

export interface Visit extends HostInRegion {
  /**
   * The workflow shows the host as in trouble. Only then may the trouble be left to Temporal's retries, which show
   * nothing by themselves.
   */
  readonly inTrouble: boolean;
}

/** Crawls with URLs at a host: the ids of some, most queued first, and the number of the others. */
export interface WantedBy {
  readonly crawls: readonly string[];
  readonly more: number;
}

export const nobody: WantedBy = { crawls: [], more: 0 };

/** The result of a slice. Times are relative, so that no two machines' clocks are compared. */
export interface SliceResult extends SentOn {
  /** URLs that got a final outcome. */
  readonly fetched: number;
  /**
   * 'more': URLs are due. 'idle': none is due now, and the host was given back to the scheduler. 'wait': the host must not be visited for `waitMs`. 'trouble': as
   * 'wait', after a failure of the host (`lastError`). 'yield': as 'more' or 'wait', and a crawl with fewer places
   * wants this place. 'held': the host is paused or parked (`lookAtHost`), 'elsewhere': its visits go to `region`, and in
   * both cases the other fields mean nothing.
   */
  readonly next: 'more' | 'idle' | 'wait' | 'trouble' | 'yield' | 'held' | 'elsewhere';
  /** Milliseconds until the host may be visited again (0: now). */
  readonly waitMs: number;
  /** Milliseconds between requests at present; null: not known. */
  readonly delayMs: number | null;
  /** URLs still queued at this host, over all crawls. */
  readonly queued: number;
  readonly deadLetters: number;
  readonly wantedBy: WantedBy;
  readonly lastError: string | null;
  /**
   * Why the host is left alone for `waitMs`, or for good, if the reason is neither its pace nor trouble; otherwise
   * null.
   */
  readonly closedBy: ClosedBy | null;
}

export interface FetchActivities {
  /**
   * Takes the host's lease, fetches queued URLs one after another at the host's pace, commits each result.
   * Throws `HostFailure` (retryable, with the host's own delay) when a host that is shown as failing fails again at once, `HostSpent` (not retryable) when its retries are spent, `InfrastructureFailure` for our own faults.
   */
  fetchSlice(visit: Visit): Promise<SliceResult>;
  /** Asks a parked host for its robots.txt, once and at its pace, to see whether it answers again. */
  probeHost(host: HostInRegion): Promise<ProbeResult>;
}

export interface ProbeResult extends SentOn {
  /**
   * 'answers': robots.txt says what may be fetched. 'fails': robots.txt still cannot be read. 'not-yet': the host must
   * not be asked for `waitMs`. 'pointless': nothing would be fetched, or the host has opted out. 'moved': the host is
   * no longer parked, or is paused. 'elsewhere': its visits go to `region`. Only 'answers' and 'fails' sent a request.
   */
  readonly outcome: 'answers' | 'fails' | 'not-yet' | 'pointless' | 'moved' | 'elsewhere';
  /** The outcome, in one sentence without a full stop. */
  readonly message: string;
  /** Milliseconds for which the host must be left alone, at least. */
  readonly waitMs: number;
}

/** One of `lanes` shares of the hosts of a shard, counted from 0. Bodies of a host are read in one lane at a time. */
export interface ReadingLane {
  readonly shard: number;
  readonly lane: number;
  readonly lanes: number;
}

export interface DedupActivities {
  /**
   * Judges fetched bodies, of many hosts together, until none has come for a moment: a page with the same body as another
   * becomes an alias and is not extracted again.
   */
  dedup(lane: ReadingLane): Promise<{ readonly bodies: number }>;
}

export interface ExtractActivities {
  /**
   * Reads originals, of many hosts together, until none has come for a moment: stores their content and admits their
   * links.
   */
  extract(lane: ReadingLane): Promise<{ readonly bodies: number }>;
}

export interface RenderActivities {
  /**
   * Gives pages that wait for it a round of the browser, until none has come for a moment. What a page asked for and nobody
   * has is admitted, and the page waits for it elsewhere.
   */
  render(lane: ReadingLane): Promise<{ readonly bodies: number }>;
}

export interface ControlActivities {
  /**
   * Starts workflows for hosts with due URLs, up to the worker's cap of active hosts. `lost`: also looks for hosts that
   * lost their workflow. `front`: as the last call left it. If all places are taken, marks the hosts that must give
   * their places back.
   */
  feed(input: {
    readonly shard: number;
    readonly lost: boolean;
    readonly front: FrontState;
  }): Promise<FeedResult>;
  /**
   * Gives the host back to the scheduler, unless URLs are due and it need not yield. `retired: false`: the workflow
   * goes on.
   */
  retireHost(host: HostRef): Promise<{ readonly retired: boolean }>;
  /** How the host stands, whatever its workflow believes. */
  lookAtHost(host: HostRef): Promise<HostCounts & HostHoldView>;
  /** Has the visit under way, if there is one, end within two seconds. */
  cutVisit(host: HostRef): Promise<void>;
  /** Stores an operator's pause, or its end (`reason` null). */
  setHostPause(input: HostRef & { readonly reason: string | null }): Promise<void>;
  /** Marks the host parked and turns the URLs that were tried into dead letters; the other URLs stay queued. */
  parkHost(input: HostRef & { readonly reason: string }): Promise<HostCounts & ProbePlan>;
  /**
   * Forgets backoff, failures and parking, drives the dead letters again that the host caused, and wakes crawls that
   * had ended without this host.
   */
  unparkHost(host: HostRef): Promise<HostCounts>;
  /** Excludes the host's queued URLs with the reason given. */
  dropHost(input: HostRef & { readonly reason: string }): Promise<HostCounts & { readonly dropped: number }>;
  setHostDelay(input: HostRef & { readonly seconds: number | null }): Promise<void>;
  /** The numbers of URLs that wait at a host and that were given up there. */
  countHost(host: HostRef): Promise<HostCounts>;
  /**
   * Drives dead letters again, for some seconds; `next` says where to go on. Crawls that had ended run again; parked
   * hosts stay parked.
   */
  redriveLetters(
    input: RedriveInput & { readonly after: string | null },
  ): Promise<RedriveCounts & { readonly next: string | null }>;
  /** Where the crawl stands, whatever its workflow believes. */
  lookAtCrawl(input: {
    readonly crawlId: string;
  }): Promise<NumberedStands & { readonly glance: CrawlGlance | null }>;
  /**
   * Answers the state that results. Nothing changes if the crawl is over, or if its state has changed since `revision`;
   * a workflow that began before states had numbers names none, and learns it from the answer. A crawl that should drain
   * for a limit goes on if its settings have changed and no limit is reached any more.
   */
  setCrawlState(input: NumberedStands & { readonly crawlId: string }): Promise<NumberedStands>;
  /** Counts what the crawl has waited for at all of its hosts until it was paused or began to drain. */
  closeAccounts(input: { readonly crawlId: string }): Promise<void>;
  /**
   * Watches a crawl until it has nothing left to do, a limit is reached, hosts were parked or came back, or `watchMs`
   * have passed.
   */
  watchCrawl(input: { readonly crawlId: string; readonly watchMs: number }): Promise<WatchResult>;
  /**
   * Excludes the queued URLs (reason: the limit that ended the crawl) and waits until the work in hand is committed.
   * Does nothing to a crawl that does not drain.
   */
  drainCrawl(input: { readonly crawlId: string; readonly reason: string }): Promise<void>;
  /** Starts or wakes the scheduler of each shard. */
  wakeSchedulers(): Promise<void>;
  /**
   * Chooses the canonical page of each group of duplicates and writes the closing event. Answers the final state, or
   * 'running' if the crawl goes on: a complete crawl has got work again meanwhile (a parked host came back), the limit
   * that ended the crawl was raised before it was set to drain, or its state has changed since `revision`.
   */
  settleCrawl(input: {
    readonly crawlId: string;
    readonly ending: CrawlEnding;
    readonly reason: string;
    readonly revision: number;
  }): Promise<NumberedStands & { readonly glance: CrawlGlance | null }>;
}

/** A crawl in numbers, for its page in Temporal Web; a field is null if the number could not be read. */
export interface CrawlGlance {
  /** When it was taken, and what of this installation was out then; absent in histories of earlier versions. */
  readonly at?: string;
  readonly outages?: readonly Outage[];
  readonly label: string | null;
  readonly pages: number;
  readonly discovered: number;
  readonly queued: number;
  readonly deadLetters: number;
  /** URLs answered a second, recently. */
  readonly perSecond: number;
  readonly hosts: { readonly total: number; readonly working: number; readonly parked: number };
  /** Hosts with queued URLs that cannot be asked now, parked ones among them, and some of them by name. */
  readonly waiting: number;
  readonly waitsFor: readonly { readonly origin: string; readonly why: string; readonly queued: number }[];
}

export interface FeedResult {
  readonly started: number;
  /** How the places were given that were free, and what the next call must know. */
  readonly given: PlacesGiven;
  readonly front: FrontState;
  /** Hosts that were asked to give their places back. */
  readonly askedBack: number;
  readonly active: number;
  /** Hosts that are worked at the same time, at most. */
  readonly cap: number;
  /** A crawl is running, bodies wait to be read, or the shard is being split. */
  readonly running: boolean;
  /**
   * Milliseconds for which there is nothing to do as far as known; 0: work waits. A scheduler that rests longer than a
   * tick is woken if work comes.
   */
  readonly restMs: number;
  /** Bodies wait to be read. */
  readonly unread: boolean;
  /** Worker processes that read bodies; at least 1, even if none has reported yet. */
  readonly readers: number;
  /** Worker processes that render pages, if pages wait for it; absent in histories of earlier versions. */
  readonly renderers?: number;
}

export interface HostCounts {
  readonly queued: number;
  readonly deadLetters: number;
  readonly wantedBy: WantedBy;
}

export interface HostHoldView {
  /** Why an operator has paused the host; null: it is not paused. */
  readonly paused: string | null;
  /** Null: the host is not parked. `forMs`: how long its trouble has lasted. */
  readonly parked: { readonly reason: string; readonly forMs: number } | null;
}

/** When a parked host is probed; times are in milliseconds. */
export interface ProbePlan {
  /** Time before the first probe; doubled for each further probe. */
  readonly probeMs: number;
  /** Time for which the host must not be asked. */
  readonly restMs: number;
}

/**
 * Which dead letters: those of a crawl, or, if `crawlId` is null, those of the host `origin`. A null field stands for
 * any.
 */
export interface RedriveInput {
  readonly crawlId: string | null;
  readonly origin: string | null;
  readonly class: DeadLetterClass | null;
  /** Any spelling of one URL; null: any URL. */
  readonly url: string | null;
}

/** 'complete': nothing is left that could be fetched. 'going': watch on. 'moved': the crawl does not run any more. */
export interface WatchResult extends Pick<FinishVerdict, 'met'> {
  readonly verdict: FinishVerdict['verdict'] | 'moved';
  /** How the crawl stands, if it goes on. */
  readonly glance?: CrawlGlance | null;
}
