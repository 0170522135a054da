/**
 * The life of one crawl: seeding → running ⇄ paused → draining → finished, cancelled or failed. The work itself is the
 * hosts'; this watches, judges when it is over, and carries out what an admin asks.
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
import type { WatchResult } from '../contracts/activities.ts';
import { closedCrawlStates, type CrawlState } from '../contracts/crawl.ts';
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
import { attributeSetter } from './attributes.ts';
import { drainCrawl, setCrawlState, settleCrawl, wakeSchedulers, watchCrawl } from './calls.ts';

const longHistory = 400;
/** One watch: the activity looks every moment and answers when something has changed, or after this. */
const watchMs = 60_000;

/** What an admin wants of the crawl, asked last. */
interface Wish {
  readonly what: 'run' | 'pause' | 'cancel';
  readonly reason: string | null;
}

export async function crawl(input: CrawlInput): Promise<CrawlResult> {
  const { crawlId } = input;
  let state: CrawlState = input.reopened === true ? 'running' : 'seeding';
  let reason: string | null = null;
  let wanted: Wish = { what: input.paused === undefined ? 'run' : 'pause', reason: input.paused ?? null };
  let reopened = false;
  let watching: CancellationScope | null = null;
  const setAttributes = attributeSetter();

  const view = (): CrawlView => ({ state, reason });
  const show = (): void => {
    setAttributes({ CrawlState: state });
    setCurrentDetails(`### Crawl ${crawlId} is ${state}${reason === null ? '' : `\n\n${reason}`}`);
  };
  const enter = async (next: CrawlState, why: string | null, ofLimit = false): Promise<void> => {
    await setCrawlState({ crawlId, state: next, reason: why, ofLimit });
    state = next;
    reason = why;
    show();
  };
  const ask = (what: Wish['what'], reason: string | null): void => {
    wanted = { what, reason };
    watching?.cancel();
  };
  const refuseUnless =
    (allowed: readonly CrawlState[], verb: string) =>
    (_reason: string | null): void => {
      if (wanted.what === 'cancel' || !allowed.includes(state)) {
        throw ApplicationFailure.nonRetryable(`a crawl that is ${state} cannot be ${verb}`, 'WrongState');
      }
    };

  setHandler(
    pauseCrawlUpdate,
    async (why) => {
      ask('pause', why ?? 'an admin asked for it');
      await condition(() => state === 'paused' || wanted.what !== 'pause' || isOver(state));
      return view();
    },
    {
      validator: refuseUnless(['seeding', 'running', 'paused'], 'paused'),
      description: 'Send no more requests for this crawl until `resume`. Input: a reason.',
    },
  );
  setHandler(
    resumeCrawlUpdate,
    async () => {
      ask('run', null);
      await condition(() => state === 'running' || wanted.what !== 'run' || isOver(state));
      return view();
    },
    {
      validator: () => {
        refuseUnless(['running', 'paused'], 'resumed')(null);
      },
      description: 'Go on after `pause`.',
    },
  );
  setHandler(
    cancelCrawlUpdate,
    async (why) => {
      ask('cancel', why ?? 'an admin asked for it');
      await condition(() => state === 'draining' || isOver(state));
      return view();
    },
    {
      validator: refuseUnless(['seeding', 'running', 'paused'], 'cancelled'),
      description: 'End this crawl: what is queued is excluded, what is in flight is kept. Input: a reason.',
    },
  );
  setHandler(
    reopenCrawlSignal,
    () => {
      reopened = true;
    },
    { description: 'A parked host of this crawl is tried again: a crawl that was ending goes on.' },
  );
  setHandler(crawlProgressQuery, view, { description: 'State and reason.' });

  // Temporal Web's own Cancel button means the same as the update.
  CancellationScope.current().cancelRequested.catch(() => {
    ask('cancel', 'cancelled in Temporal Web');
  });
  return CancellationScope.nonCancellable(async () => {
    show();
    for (;;) {
      const result = await step();
      if (result !== null) return result;
      await carryOver();
    }
  });

  /** A long history goes on as a new run. */
  async function carryOver(): Promise<void> {
    const long = workflowInfo().historyLength > longHistory || workflowInfo().continueAsNewSuggested;
    // Never waits for handlers: they wait for this loop, and the next turn looks again.
    if (long && allHandlersFinished()) {
      const { what, reason: why } = wish();
      await continueAsNew<typeof crawl>({
        crawlId,
        reopened: true,
        ...(what === 'pause' ? { paused: why ?? '' } : {}),
      });
    }
  }

  /** Read through a call: handlers change it while the main loop waits. */
  function wish(): Wish {
    return wanted;
  }

  /** Does what is wanted until something changes; a result when the crawl is over. */
  async function step(): Promise<CrawlResult | null> {
    const { what, reason: why } = wish();
    switch (what) {
      case 'cancel':
        return end('cancelled', why ?? 'cancelled', why ?? 'cancelled');
      case 'pause':
        await enter('paused', why);
        await condition(() => wish().what !== 'pause');
        return null;
      case 'run': {
        if (state !== 'running') await enter('running', null);
        await wakeSchedulers();
        const { verdict, met } = await watch();
        if (verdict === 'complete') return end('finished', 'complete', null);
        if (verdict === 'going') return null;
        return end('finished', met === undefined ? verdict : `${verdict}: ${met}`, verdict);
      }
    }
  }

  /** Until something is to be done; 'going' also when an admin asked for something. */
  async function watch(): Promise<WatchResult> {
    if (wish().what !== 'run') return { verdict: 'going' };
    watching = new CancellationScope({ cancellable: true });
    try {
      return await watching.run(() => watchCrawl({ crawlId, watchMs }));
    } catch (error) {
      // Asked to stop watching; a cancellation of the whole workflow is no wish of an admin's and goes through.
      if (wish().what !== 'run' && !CancellationScope.current().consideredCancelled) {
        return { verdict: 'going' };
      }
      throw error;
    } finally {
      watching = null;
    }
  }

  /**
   * @param drainReason why what is still queued will not be fetched; null: nothing is, but at parked hosts.
   * null: the crawl has got work again while it was ending, or its settings do not end it any more.
   */
  async function end(
    final: CrawlState,
    why: string,
    drainReason: string | null,
  ): Promise<CrawlResult | null> {
    reopened = false;
    if (drainReason !== null) {
      await enter('draining', why, final === 'finished');
      await drainCrawl({ crawlId, reason: drainReason });
    }
    const settled = await settleCrawl({ crawlId, state: final, reason: why });
    if (settled.state === 'running') return null;
    state = settled.state;
    reason = settled.reason;
    show();
    await condition(allHandlersFinished);
    if (!wasReopened()) return { crawlId, ...settled };
    // Somebody set it running again in the meantime.
    state = 'running';
    reason = null;
    show();
    return null;
  }

  function wasReopened(): boolean {
    return reopened;
  }
}

const isOver = (state: CrawlState): boolean => closedCrawlStates.includes(state);
