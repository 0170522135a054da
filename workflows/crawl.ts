/**
 * The life of one crawl: seeding → running ⇄ paused → draining → finished, cancelled or failed (domain/crawl-life.ts).
 * The hosts do the work. This workflow watches, judges when the crawl is over, and carries out what an admin asks.
 * Postgres holds the crawl's state: a workflow that replaces a lost one, or was reset, goes on from there.
 */
import type { UpdateDefinition } from '@temporalio/common';
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
  type CrawlStands,
  type NumberedStands,
} from '../domain/crawl-life.ts';
import {
  endOf,
  firstPhase,
  isAnswered,
  next,
  refusalOf,
  type CrawlCommand,
  type CrawlEvent,
} from '../domain/crawl-phase.ts';
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
/** The reason of a command that gives none. */
const unnamed = 'an admin asked for it';

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
  #phase = firstPhase;
  #glance: CrawlGlance | null = null;
  #watchMs = firstWatchMs;
  /** The running watch; null: none. */
  #watching: CancellationScope | null = null;

  constructor(crawlId: string) {
    this.#crawlId = crawlId;
  }

  listen(): void {
    this.#hear(
      pauseCrawlUpdate,
      (reason, cause = 'asked') => ({ what: 'pause', cause, reason: reason ?? unnamed }),
      'Pause this crawl: send no more requests for it until `resume`. Input: a reason.',
    );
    this.#hear(resumeCrawlUpdate, () => ({ what: 'run' }), 'Resume the crawl after `pause`.');
    this.#hear(
      cancelCrawlUpdate,
      (reason) => ({ what: 'cancel', reason: reason ?? unnamed }),
      'Cancel this crawl: its queued URLs are excluded, and answers to requests in flight are kept. Input: a reason.',
    );
    setHandler(
      reopenCrawlSignal,
      () => {
        this.#phase = next(this.#phase, { kind: 'reopens' });
      },
      {
        description: 'Says that a parked host of this crawl is tried again: a crawl that was ending goes on.',
      },
    );
    setHandler(crawlProgressQuery, () => this.#view(), {
      description: 'State of the crawl, and the reason.',
    });
  }

  #hear<Given extends unknown[]>(
    update: UpdateDefinition<CrawlView, Given>,
    commandOf: (...given: Given) => CrawlCommand,
    description: string,
  ): void {
    const validator = (...given: Given): void => {
      this.#refuse(commandOf(...given));
    };
    setHandler(
      update,
      uncut((...given: Given) => this.#carryOut(commandOf(...given))),
      { validator, description },
    );
  }

  async run(): Promise<CrawlResult> {
    await this.#lookUp();
    for (;;) {
      const { state, reason } = this.#phase.stands;
      if (isOver(state)) {
        await condition(allHandlersFinished);
        return { crawlId: this.#crawlId, state, reason: reason ?? state };
      }
      const result = await this.#step();
      if (result !== null) return result;
      await this.#carryOver();
    }
  }

  ask(command: CrawlCommand): void {
    this.#phase = next(this.#phase, { kind: 'asked', command });
    this.#watching?.cancel();
  }

  /** Does what is wanted until something changes. Returns a result if the crawl is over, otherwise null. */
  async #step(): Promise<CrawlResult | null> {
    const end = endOf(this.#phase);
    if (end !== null) return this.#end(end.ending, end.reason);
    const { command } = this.#phase;
    if (command.what !== 'pause') return this.#run();
    await this.#enter({ state: 'paused', cause: command.cause, reason: command.reason });
    await condition(() => this.#phase.command !== command);
    return null;
  }

  async #run(): Promise<CrawlResult | null> {
    const { stands, command } = this.#phase;
    if (stands.state !== 'running') {
      this.#watchMs = firstWatchMs;
      await this.#enter({ state: 'running', cause: null, reason: null });
    } else this.#phase = next(this.#phase, { kind: 'obeyed', command });
    if (isOver(this.#phase.stands.state)) return null;
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
    const { command } = this.#phase;
    if (command.what !== 'run') return { verdict: 'going' };
    this.#watching = new CancellationScope({ cancellable: true });
    try {
      return await this.#watching.run(() => watchCrawl({ crawlId: this.#crawlId, watchMs: this.#watchMs }));
    } catch (error) {
      // A command of an admin cancelled the watch.
      if (this.#phase.command !== command) return { verdict: 'going' };
      throw error;
    } finally {
      this.#watching = null;
    }
  }

  /** Ends the crawl. Null: it got work again meanwhile, or its settings do not end it any more. */
  async #end(ending: CrawlEnding, reason: string | null): Promise<CrawlResult | null> {
    const crawlId = this.#crawlId;
    this.#phase = next(this.#phase, { kind: 'ends' });
    const why = reason ?? endingInWords(ending);
    // A complete crawl has nothing to drain: URLs are queued only at parked hosts.
    if (ending !== 'complete') {
      await this.#enter({ state: 'draining', cause: ending, reason: why });
      if (this.#phase.stands.state !== 'draining') return null;
      // Each excluded URL gets the limit as its reason, without how the limit was met.
      await drainCrawl({ crawlId, reason: ending === 'cancelled' ? why : endingInWords(ending) });
    }
    const { revision } = this.#phase.stands;
    const { glance, ...settled } = await settleCrawl({ crawlId, ending, reason: why, revision });
    this.#glance = glance ?? this.#glance;
    if (settled.state === 'running') {
      await this.#lookUp();
      return null;
    }
    this.#stand({ kind: 'changed', stands: settled });
    await condition(allHandlersFinished);
    if (this.#phase.at !== 'reopened')
      return { crawlId, state: settled.state, reason: settled.reason ?? why };
    this.#stand({ kind: 'found', stands: { ...settled, state: 'running', cause: null, reason: null } });
    return null;
  }

  /** Continues as a new run if the history is long. */
  async #carryOver(): Promise<void> {
    const long = workflowInfo().historyLength > longHistory || workflowInfo().continueAsNewSuggested;
    // Must not wait for handlers, since they wait for this loop. The next turn of the loop checks again.
    const { isObeyed, command } = this.#phase;
    if (long && allHandlersFinished() && isObeyed && command.what !== 'cancel')
      await continueAsNew<typeof crawl>({ crawlId: this.#crawlId });
  }

  /** Answers once the command is carried out, or a later one asks for something else. */
  async #carryOut(command: CrawlCommand): Promise<CrawlView> {
    await condition(() => this.#phase.at !== 'unknown');
    this.#refuse(command);
    this.ask(command);
    await condition(() => isAnswered(this.#phase, command));
    return this.#view();
  }

  #refuse(command: CrawlCommand): void {
    const refusal = refusalOf(this.#phase, command);
    if (refusal !== null) throw ApplicationFailure.nonRetryable(refusal, 'WrongState');
  }

  async #lookUp(): Promise<void> {
    const look = patched('all-at-once') ? lookAtOnce : lookAtCrawl;
    const { glance, ...stands } = await look({ crawlId: this.#crawlId });
    this.#glance = glance ?? this.#glance;
    this.#stand({ kind: 'found', stands });
  }

  /**
   * Asks for a new state. Postgres may decide otherwise: what it returns holds. If others have changed the state since
   * this workflow last knew it, it asks again. Whoever asked is answered before the accounts of the hosts are closed,
   * which takes long where there are many.
   */
  async #enter(wanted: CrawlStands): Promise<void> {
    const crawlId = this.#crawlId;
    const { command } = this.#phase;
    let [known, now] = [this.#phase.stands, this.#phase.stands];
    do {
      known = now;
      const { state: from, revision } = known;
      // What a local activity has done is lost if Temporal is killed before the task is answered. Who watches a running
      // crawl finds it moved; a paused one has no watch, and would run on unwatched.
      const atOnce = from === 'running' || (patched('all-at-once') && from !== 'paused');
      now = await (atOnce ? changeAtOnce : setCrawlState)({ crawlId, ...wanted, revision });
      this.#stand({ kind: 'changed', stands: now });
    } while (now.revision !== known.revision && now.state !== wanted.state && !isOver(now.state));
    this.#phase = next(this.#phase, { kind: 'obeyed', command });
    const { state } = now;
    if (state === 'paused' || state === 'draining') await closeAccounts({ crawlId });
  }

  #stand(event: Extract<CrawlEvent, { readonly stands: NumberedStands }>): void {
    this.#phase = next(this.#phase, event);
    this.#show();
  }

  #show(): void {
    const { state, reason } = this.#phase.stands;
    this.#setAttributes({ CrawlState: state });
    const { namespace, memo } = workflowInfo();
    const [crawlId, glance, screen] = [this.#crawlId, this.#glance, memo?.['console']];
    setCurrentDetails(crawlMarkdown({ crawlId, state, reason, glance, namespace, screen }));
  }

  #view(): CrawlView {
    const { state, reason } = this.#phase.stands;
    return { state, reason };
  }
}
