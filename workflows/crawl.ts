/**
 * The life of one crawl: seeding → running ⇄ paused → draining → finished, cancelled or failed (domain/crawl-life.ts).
 * The hosts do the work; this workflow watches, judges when the crawl is over, and carries out what an admin asks.
 * Postgres says where the crawl stands: a workflow that takes the place of a lost one, or was reset, goes on from there.
 */
import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
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
  type CrawlStands,
  type CrawlState,
  type PauseCause,
} from '../domain/crawl-life.ts';
import { attributeSetter } from './attributes.ts';
import { drainCrawl, lookAtCrawl, setCrawlState, settleCrawl, wakeSchedulers, watchCrawl } from './calls.ts';
import { heedingCancellation, uncut } from './cancelling.ts';
import { crawlMarkdown } from './crawl-desk.ts';

const longHistory = 400;
/**
 * One watch: the activity looks every moment and answers when something has changed, or after this, so that the page has
 * new numbers. Twice as long each time: a crawl that has just begun is looked at most.
 */
const [firstWatchMs, longestWatchMs] = [5_000, 60_000];

/** What an admin wants of the crawl, asked last. */
type Wish =
  | { readonly what: 'run' }
  | { readonly what: 'pause'; readonly cause: PauseCause; readonly reason: string | null }
  | { readonly what: 'cancel'; readonly reason: string };

export async function crawl({ crawlId }: CrawlInput): Promise<CrawlResult> {
  const watcher = new CrawlWatcher(crawlId);
  watcher.listen();
  // Temporal Web's own button means the same as the update.
  const cancelled = (): void => {
    watcher.ask({ what: 'cancel', reason: 'cancelled in Temporal Web' });
  };
  return heedingCancellation(cancelled, () => watcher.run());
}

class CrawlWatcher {
  readonly #crawlId: string;
  readonly #setAttributes = attributeSetter();
  #stands: CrawlStands = { state: 'seeding', cause: null, reason: null };
  /** Where the crawl stands has been looked up. */
  #known = false;
  #wish: Wish = { what: 'run' };
  /** A parked host of the crawl has answered since the crawl began to end. */
  #reopened = false;
  #glance: CrawlGlance | null = null;
  #watchMs = firstWatchMs;
  /** Set while the crawl is watched. */
  #watching: CancellationScope | null = null;

  constructor(crawlId: string) {
    this.#crawlId = crawlId;
  }

  listen(): void {
    setHandler(
      pauseCrawlUpdate,
      uncut((reason: string | null, cause: PauseCause = 'asked') =>
        this.#carryOut(
          'paused',
          { what: 'pause', cause, reason: reason ?? 'an admin asked for it' },
          () => this.#stands.state === 'paused' || this.#wish.what !== 'pause',
        ),
      ),
      {
        validator: (_reason: string | null, _cause?: PauseCause) => {
          this.#refuseUnless('paused');
        },
        description: 'Send no more requests for this crawl until `resume`. Input: a reason.',
      },
    );
    setHandler(
      resumeCrawlUpdate,
      uncut(() =>
        this.#carryOut(
          'resumed',
          { what: 'run' },
          () => this.#stands.state === 'running' || this.#wish.what !== 'run',
        ),
      ),
      {
        validator: () => {
          this.#refuseUnless('resumed');
        },
        description: 'Go on after `pause`.',
      },
    );
    setHandler(
      cancelCrawlUpdate,
      uncut((reason: string | null) =>
        this.#carryOut(
          'cancelled',
          { what: 'cancel', reason: reason ?? 'an admin asked for it' },
          () => this.#stands.state === 'draining',
        ),
      ),
      {
        validator: (_reason: string | null) => {
          this.#refuseUnless('cancelled');
        },
        description:
          'End this crawl: what is queued is excluded, what is in flight is kept. Input: a reason.',
      },
    );
    setHandler(
      reopenCrawlSignal,
      () => {
        this.#reopened = true;
      },
      { description: 'A parked host of this crawl is tried again: a crawl that was ending goes on.' },
    );
    setHandler(crawlProgressQuery, () => this.#view(), { description: 'State and reason.' });
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

  ask(wish: Wish): void {
    this.#wish = wish;
    this.#watching?.cancel();
  }

  /** Does what is wanted until something changes; a result when the crawl is over. */
  async #step(): Promise<CrawlResult | null> {
    const { state, cause, reason } = this.#stands;
    // Somebody began to end the crawl.
    if (state === 'draining') return this.#end(endingOf(cause), reason);
    const wish = this.#wish;
    switch (wish.what) {
      case 'cancel':
        return this.#end('cancelled', wish.reason);
      case 'pause':
        await this.#enter({ state: 'paused', cause: wish.cause, reason: wish.reason });
        await condition(() => this.#wish.what !== 'pause');
        return null;
      case 'run':
        return this.#run();
    }
  }

  async #run(): Promise<CrawlResult | null> {
    if (this.#stands.state !== 'running') {
      this.#watchMs = firstWatchMs;
      await this.#enter({ state: 'running', cause: null, reason: null });
    }
    if (isOver(this.#stands.state)) return null;
    await wakeSchedulers();
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

  /** Until something is to be done; 'going' also when an admin asked for something. */
  async #watch(): Promise<WatchResult> {
    if (this.#wish.what !== 'run') return { verdict: 'going' };
    this.#watching = new CancellationScope({ cancellable: true });
    try {
      return await this.#watching.run(() => watchCrawl({ crawlId: this.#crawlId, watchMs: this.#watchMs }));
    } catch (error) {
      // Asked to stop watching.
      if (this.#wants() !== 'run') return { verdict: 'going' };
      throw error;
    } finally {
      this.#watching = null;
    }
  }

  /** Null: the crawl has got work again while it was ending, or its settings do not end it any more. */
  async #end(ending: CrawlEnding, reason: string | null): Promise<CrawlResult | null> {
    const crawlId = this.#crawlId;
    this.#reopened = false;
    const why = reason ?? endingInWords(ending);
    // Of one that is complete nothing is queued, but at parked hosts.
    if (ending !== 'complete') {
      await this.#enter({ state: 'draining', cause: ending, reason: why });
      if (this.#stands.state !== 'draining') return null;
      // Of each URL it is noted which limit it was, not how that was met.
      await drainCrawl({ crawlId, reason: ending === 'cancelled' ? why : endingInWords(ending) });
    }
    const { glance, ...settled } = await settleCrawl({ crawlId, ending, reason: why });
    this.#glance = glance ?? this.#glance;
    if (settled.state === 'running') {
      await this.#lookUp();
      return null;
    }
    this.#stand(settled);
    await condition(allHandlersFinished);
    if (!this.#wasReopened()) return { crawlId, state: settled.state, reason: settled.reason ?? why };
    this.#stand({ state: 'running', cause: null, reason: null });
    return null;
  }

  /** A long history goes on as a new run. */
  async #carryOver(): Promise<void> {
    const long = workflowInfo().historyLength > longHistory || workflowInfo().continueAsNewSuggested;
    // Never waits for handlers: they wait for this loop, and the next turn looks again.
    if (long && allHandlersFinished() && this.#wish.what !== 'cancel')
      await continueAsNew<typeof crawl>({ crawlId: this.#crawlId });
  }

  /** Carries out a wish, by the state the crawl is found in. */
  async #carryOut(verb: string, wish: Wish, isDone: () => boolean): Promise<CrawlView> {
    await condition(() => this.#known);
    this.#refuseUnless(verb);
    this.ask(wish);
    await condition(() => isDone() || isOver(this.#stands.state));
    return this.#view();
  }

  #refuseUnless(verb: string): void {
    const { state } = this.#stands;
    const allowed: readonly CrawlState[] =
      verb === 'resumed' ? ['running', 'paused'] : ['seeding', 'running', 'paused'];
    if (this.#known && (this.#wish.what === 'cancel' || !allowed.includes(state))) {
      throw ApplicationFailure.nonRetryable(`a crawl that is ${state} cannot be ${verb}`, 'WrongState');
    }
  }

  async #lookUp(): Promise<void> {
    const { glance, ...stands } = await lookAtCrawl({ crawlId: this.#crawlId });
    this.#glance = glance ?? this.#glance;
    this.#stand(stands);
    const { state, cause, reason } = stands;
    if (state === 'paused' && this.#wish.what === 'run')
      this.#wish = { what: 'pause', cause: cause === 'quota' ? cause : 'asked', reason };
    this.#known = true;
  }

  /** Postgres may say otherwise: then that is where it stands. */
  async #enter(next: CrawlStands): Promise<void> {
    this.#stand(await setCrawlState({ crawlId: this.#crawlId, ...next }));
  }

  #stand(stands: CrawlStands): void {
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

  /** Read through calls: handlers change them while the main loop waits. */
  #wants(): Wish['what'] {
    return this.#wish.what;
  }
  #wasReopened(): boolean {
    return this.#reopened;
  }
}

const endingOf = (cause: CrawlStands['cause']): CrawlEnding =>
  cause === null || cause === 'asked' || cause === 'quota' ? 'cancelled' : cause;
