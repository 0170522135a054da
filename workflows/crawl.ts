/**
 * The life of one crawl: seeding → running ⇄ paused → draining → finished, cancelled or failed (domain/crawl-life.ts).
 * The hosts do the work. This workflow watches, judges when the crawl is over, and carries out what an admin asks.
 * Postgres holds the crawl's state: a workflow that replaces a lost one, or was reset, goes on from there.
 */
import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  patched,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { CrawlGlance, WatchResult } from '../contracts/activities.ts';
import {
  cancelCrawlUpdate,
  crawlProgressQuery,
  pauseCrawlUpdate,
  reopenCrawlSignal,
  resumeCrawlUpdate,
  type CrawlInput,
  type CrawlResult,
  type CrawlView,
} from '../contracts/workflows.ts';
import {
  endingInWords,
  isOver,
  type CrawlEnding,
  type NumberedStands,
  type CrawlStands,
  type CrawlState,
  type PauseCause,
} from '../domain/crawl-life.ts';
import { attributeSetter } from './attributes.ts';
import {
  changeAtOnce,
  closeAccounts,
  drainCrawl,
  lookAtCrawl,
  lookAtOnce,
  setCrawlState,
  settleCrawl,
  wakeSchedulers,
  watchCrawl,
} from './calls.ts';
import { heedingCancellation, uncut } from './cancelling.ts';
import { crawlMarkdown } from './crawl-desk.ts';

const longHistory = 400;
/**
 * Milliseconds of one watch. The activity looks often, and returns when the workflow must act, or after this time, so
 * that the page in Temporal Web has new numbers. Each watch is twice as long as the last, since people look most at a
 * crawl that has just begun.
 */
const [firstWatchMs, longestWatchMs] = [5_000, 60_000];

/** What an admin last asked of the crawl. */
type Command =
  | { readonly what: 'run' }
  | { readonly what: 'pause'; readonly cause: PauseCause; readonly reason: string | null }
  | { readonly what: 'cancel'; readonly reason: string };

export async function crawl({ crawlId }: CrawlInput): Promise<CrawlResult> {
  const watcher = new CrawlWatcher(crawlId);
  watcher.listen();
  // Temporal Web's own button does the same as the update `cancel`.
  const cancelled = (): void => {
    watcher.ask({ what: 'cancel', reason: 'cancelled in Temporal Web' });
  };
  return heedingCancellation(cancelled, () => watcher.run());
}

class CrawlWatcher {
  readonly #crawlId: string;
  readonly #setAttributes = attributeSetter();
  #stands: NumberedStands = { state: 'seeding', cause: null, reason: null, revision: 0 };
  /** The crawl's state has been read from Postgres. */
  #known = false;
  #command: Command = { what: 'run' };
  /** The command that was last carried out; the present one, or else it is still being carried out. */
  #served: Command | null = null;
  /** A signal said that the crawl has work again, since the crawl began to end. */
  #reopened = false;
  #glance: CrawlGlance | null = null;
  #watchMs = firstWatchMs;
  /** The running watch; null: none. */
  #watching: CancellationScope | null = null;

  constructor(crawlId: string) {
    this.#crawlId = crawlId;
  }

  listen(): void {
    setHandler(
      pauseCrawlUpdate,
      uncut((reason: string | null, cause: PauseCause = 'asked') =>
        this.#carryOut('paused', { what: 'pause', cause, reason: reason ?? 'an admin asked for it' }),
      ),
      {
        validator: (_reason: string | null, _cause?: PauseCause) => {
          this.#refuseUnless('paused');
        },
        description: 'Pause this crawl: send no more requests for it until `resume`. Input: a reason.',
      },
    );
    setHandler(
      resumeCrawlUpdate,
      uncut(() => this.#carryOut('resumed', { what: 'run' })),
      {
        validator: () => {
          this.#refuseUnless('resumed');
        },
        description: 'Resume the crawl after `pause`.',
      },
    );
    setHandler(
      cancelCrawlUpdate,
      uncut((reason: string | null) =>
        this.#carryOut('cancelled', { what: 'cancel', reason: reason ?? 'an admin asked for it' }),
      ),
      {
        validator: (_reason: string | null) => {
          this.#refuseUnless('cancelled');
        },
        description:
          'Cancel this crawl: its queued URLs are excluded, and answers to requests in flight are kept. Input: a reason.',
      },
    );
    setHandler(
      reopenCrawlSignal,
      () => {
        this.#reopened = true;
      },
      {
        description: 'Says that a parked host of this crawl is tried again: a crawl that was ending goes on.',
      },
    );
    setHandler(crawlProgressQuery, () => this.#view(), {
      description: 'State of the crawl, and the reason.',
    });
  }

  async run(): Promise<CrawlResult> {
    await this.#lookUp();
    for (;;) {
      const { state, reason } = this.#stands;
      if (isOver(state)) {
        await condition(allHandlersFinished);
        return { crawlId: this.#crawlId, state, reason: reason ?? state };
      }
      const result = await this.#step();
      if (result !== null) return result;
      await this.#carryOver();
    }
  }

  ask(command: Command): void {
    this.#command = command;
    this.#watching?.cancel();
  }

  /** Does what is wanted until something changes. Returns a result if the crawl is over, otherwise null. */
  async #step(): Promise<CrawlResult | null> {
    const { state, cause, reason } = this.#stands;
    // The crawl has begun to end already.
    if (state === 'draining') return this.#end(endingOf(cause), reason);
    const command = this.#command;
    switch (command.what) {
      case 'cancel':
        return this.#end('cancelled', command.reason);
      case 'pause':
        await this.#enter({ state: 'paused', cause: command.cause, reason: command.reason });
        await condition(() => this.#command !== command);
        return null;
      case 'run':
        return this.#run();
    }
  }

  async #run(): Promise<CrawlResult | null> {
    if (this.#stands.state !== 'running') {
      this.#watchMs = firstWatchMs;
      await this.#enter({ state: 'running', cause: null, reason: null });
    } else this.#served = this.#command;
    if (isOver(this.#stands.state)) return null;
    const waking = wakeSchedulers();
    // The watch admits the seeds, and need not wait for the schedulers to be awake.
    if (!patched('all-at-once')) await waking;
    const watched = await this.#watch();
    const { verdict, met, glance } = watched;
    if (verdict !== 'going' && verdict !== 'moved') return this.#end(verdict, endingInWords(verdict, met));
    if (verdict === 'moved') await this.#lookUp();
    else if (glance !== undefined) {
      this.#glance = glance ?? this.#glance;
      this.#watchMs = Math.min(longestWatchMs, 2 * this.#watchMs);
      this.#show();
    }
    return null;
  }

  /** Watches until the workflow must act. 'going' also if an admin asked for something. */
  async #watch(): Promise<WatchResult> {
    const command = this.#command;
    if (command.what !== 'run') return { verdict: 'going' };
    this.#watching = new CancellationScope({ cancellable: true });
    try {
      return await this.#watching.run(() => watchCrawl({ crawlId: this.#crawlId, watchMs: this.#watchMs }));
    } catch (error) {
      // A command of an admin cancelled the watch.
      if (this.#command !== command) return { verdict: 'going' };
      throw error;
    } finally {
      this.#watching = null;
    }
  }

  /** Ends the crawl. Null: it got work again meanwhile, or its settings do not end it any more. */
  async #end(ending: CrawlEnding, reason: string | null): Promise<CrawlResult | null> {
    const crawlId = this.#crawlId;
    this.#reopened = false;
    const why = reason ?? endingInWords(ending);
    // A complete crawl has nothing to drain: URLs are queued only at parked hosts.
    if (ending !== 'complete') {
      await this.#enter({ state: 'draining', cause: ending, reason: why });
      if (this.#stands.state !== 'draining') return null;
      // Each excluded URL gets the limit as its reason, without how the limit was met.
      await drainCrawl({ crawlId, reason: ending === 'cancelled' ? why : endingInWords(ending) });
    }
    const { revision } = this.#stands;
    const { glance, ...settled } = await settleCrawl({ crawlId, ending, reason: why, revision });
    this.#glance = glance ?? this.#glance;
    if (settled.state === 'running') {
      await this.#lookUp();
      return null;
    }
    this.#stand(settled);
    await condition(allHandlersFinished);
    if (!this.#wasReopened()) return { crawlId, state: settled.state, reason: settled.reason ?? why };
    this.#stand({ ...settled, state: 'running', cause: null, reason: null });
    return null;
  }

  /** Continues as a new run if the history is long. */
  async #carryOver(): Promise<void> {
    const long = workflowInfo().historyLength > longHistory || workflowInfo().continueAsNewSuggested;
    // Must not wait for handlers, since they wait for this loop. The next turn of the loop checks again.
    if (long && allHandlersFinished() && this.#served === this.#command && this.#command.what !== 'cancel')
      await continueAsNew<typeof crawl>({ crawlId: this.#crawlId });
  }

  /** Answers once the command is carried out, or a later one asks for something else. */
  async #carryOut(verb: string, command: Command): Promise<CrawlView> {
    await condition(() => this.#known);
    this.#refuseUnless(verb);
    this.ask(command);
    await condition(
      () =>
        this.#served === this.#command || this.#command.what !== command.what || isOver(this.#stands.state),
    );
    return this.#view();
  }

  #refuseUnless(verb: string): void {
    const { state } = this.#stands;
    const allowed: readonly CrawlState[] =
      verb === 'resumed' ? ['running', 'paused'] : ['seeding', 'running', 'paused'];
    if (this.#known && (this.#command.what === 'cancel' || !allowed.includes(state))) {
      throw ApplicationFailure.nonRetryable(`a crawl that is ${state} cannot be ${verb}`, 'WrongState');
    }
  }

  async #lookUp(): Promise<void> {
    const look = patched('all-at-once') ? lookAtOnce : lookAtCrawl;
    const { glance, ...stands } = await look({ crawlId: this.#crawlId });
    this.#glance = glance ?? this.#glance;
    this.#stand(stands);
    const { state, cause, reason } = stands;
    if (state === 'paused' && this.#command.what === 'run')
      this.#command = { what: 'pause', cause: cause === 'quota' ? cause : 'asked', reason };
    this.#known = true;
  }

  /**
   * Asks for a new state. Postgres may decide otherwise: what it returns holds. If others have changed the state since
   * this workflow last knew it, it asks again. Whoever asked is answered before the accounts of the hosts are closed,
   * which takes long where there are many.
   */
  async #enter(next: CrawlStands): Promise<void> {
    const crawlId = this.#crawlId;
    const command = this.#command;
    let known: number;
    do {
      known = this.#stands.revision;
      // What a local activity has done is lost if Temporal is killed before the task is answered. Who watches a running
      // crawl finds it moved; a paused one has no watch, and would run on unwatched.
      const { state: from } = this.#stands;
      const atOnce = from === 'running' || (patched('all-at-once') && from !== 'paused');
      this.#stand(await (atOnce ? changeAtOnce : setCrawlState)({ crawlId, ...next, revision: known }));
    } while (
      this.#stands.revision !== known &&
      this.#stands.state !== next.state &&
      !isOver(this.#stands.state)
    );
    this.#served = command;
    const { state } = this.#stands;
    if (state === 'paused' || state === 'draining') await closeAccounts({ crawlId });
  }

  #stand(stands: NumberedStands): void {
    this.#stands = stands;
    this.#show();
  }

  #show(): void {
    const { state, reason } = this.#stands;
    this.#setAttributes({ CrawlState: state });
    const { namespace } = workflowInfo();
    setCurrentDetails(
      crawlMarkdown({ crawlId: this.#crawlId, state, reason, glance: this.#glance, namespace }),
    );
  }

  #view(): CrawlView {
    const { state, reason } = this.#stands;
    return { state, reason };
  }

  /** Read through a call, since a handler changes it while the main loop waits. */
  #wasReopened(): boolean {
    return this.#reopened;
  }
}

const endingOf = (cause: CrawlStands['cause']): CrawlEnding =>
  cause === null || cause === 'asked' || cause === 'quota' ? 'cancelled' : cause;
