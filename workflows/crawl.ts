/**
 * The life of one crawl: seeding → running ⇄ paused → draining → finished, cancelled or failed. The work itself is the
 * hosts'; this watches, judges when it is over, and carries out what an admin asks. Where the crawl stands is for
 * Postgres to say: whoever is started in the place of a workflow that was lost, or was reset, goes on from there.
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
import type { CrawlGlance, CrawlStanding, WatchResult } from '../contracts/activities.ts';
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
interface Wish {
  readonly what: 'run' | 'pause' | 'cancel';
  readonly reason: string | null;
}

export async function crawl(input: CrawlInput): Promise<CrawlResult> {
  const { crawlId } = input;
  let state: CrawlState = 'seeding';
  let reason: string | null = null;
  /** Of one that drains: what it will be. */
  let endsAs: CrawlState | null = null;
  /** Where it stands has been looked up. */
  let known = false;
  let wanted: Wish = { what: 'run', reason: null };
  let reopened = false;
  let glance: CrawlGlance | null = null;
  let watchMs = firstWatchMs;
  let watching: CancellationScope | null = null;
  const setAttributes = attributeSetter();

  const view = (): CrawlView => ({ state, reason });
  const show = (): void => {
    setAttributes({ CrawlState: state });
    setCurrentDetails(crawlMarkdown({ crawlId, state, reason, glance, namespace: workflowInfo().namespace }));
  };
  const stand = (standing: CrawlStanding): void => {
    ({ state, reason, endsAs } = standing);
    show();
  };
  /** Postgres may say otherwise: then that is where it stands. */
  const enter = async (next: CrawlState, why: string | null, final?: CrawlState): Promise<void> => {
    stand(await setCrawlState({ crawlId, state: next, reason: why, ...(final && { endsAs: final }) }));
  };
  const lookUp = async (): Promise<void> => {
    const { glance: seen, ...standing } = await lookAtCrawl({ crawlId });
    glance = seen ?? glance;
    stand(standing);
    if (state === 'paused' && wanted.what === 'run') wanted = { what: 'pause', reason };
    known = true;
  };
  const ask = (what: Wish['what'], reason: string | null): void => {
    wanted = { what, reason };
    watching?.cancel();
  };
  const refuseUnless = (verb: string): void => {
    const allowed: readonly CrawlState[] =
      verb === 'resumed' ? ['running', 'paused'] : ['seeding', 'running', 'paused'];
    if (known && (wanted.what === 'cancel' || !allowed.includes(state))) {
      throw ApplicationFailure.nonRetryable(`a crawl that is ${state} cannot be ${verb}`, 'WrongState');
    }
  };
  /** Carries out a wish, by the state the crawl is found in. */
  const carryOut = (what: Wish['what'], verb: string, isDone: () => boolean) =>
    uncut(async (why: string | null): Promise<CrawlView> => {
      await condition(() => known);
      refuseUnless(verb);
      ask(what, what === 'run' ? null : (why ?? 'an admin asked for it'));
      await condition(() => isDone() || isOver(state));
      return view();
    });

  const resume = carryOut('run', 'resumed', () => state === 'running' || wish().what !== 'run');

  setHandler(
    pauseCrawlUpdate,
    carryOut('pause', 'paused', () => state === 'paused' || wish().what !== 'pause'),
    {
      validator: (_reason: string | null) => {
        refuseUnless('paused');
      },
      description: 'Send no more requests for this crawl until `resume`. Input: a reason.',
    },
  );
  setHandler(resumeCrawlUpdate, () => resume(null), {
    validator: () => {
      refuseUnless('resumed');
    },
    description: 'Go on after `pause`.',
  });
  setHandler(
    cancelCrawlUpdate,
    carryOut('cancel', 'cancelled', () => state === 'draining'),
    {
      validator: (_reason: string | null) => {
        refuseUnless('cancelled');
      },
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

  // Temporal Web's own button means the same as the update.
  const cancelled = (): void => {
    ask('cancel', 'cancelled in Temporal Web');
  };
  return heedingCancellation(cancelled, async () => {
    await lookUp();
    for (;;) {
      if (isOver(state)) {
        await condition(allHandlersFinished);
        return { crawlId, state, reason: reason ?? state };
      }
      const result = await step();
      if (result !== null) return result;
      await carryOver();
    }
  });

  /** A long history goes on as a new run. */
  async function carryOver(): Promise<void> {
    const long = workflowInfo().historyLength > longHistory || workflowInfo().continueAsNewSuggested;
    // Never waits for handlers: they wait for this loop, and the next turn looks again.
    if (long && allHandlersFinished() && wish().what !== 'cancel')
      await continueAsNew<typeof crawl>({ crawlId });
  }

  /** Read through a call: handlers change it while the main loop waits. */
  function wish(): Wish {
    return wanted;
  }

  /** Does what is wanted until something changes; a result when the crawl is over. */
  async function step(): Promise<CrawlResult | null> {
    const { what, reason: why } = wish();
    if (state === 'draining') return goOnDraining();
    switch (what) {
      case 'cancel':
        return end('cancelled', why ?? 'cancelled', why ?? 'cancelled');
      case 'pause':
        await enter('paused', why);
        await condition(() => wish().what !== 'pause');
        return null;
      case 'run': {
        if (state !== 'running') {
          watchMs = firstWatchMs;
          await enter('running', null);
        }
        if (isOver(state)) return null;
        await wakeSchedulers();
        const watched = await watch();
        switch (watched.verdict) {
          case 'complete':
            return end('finished', 'complete', null);
          case 'going':
            if (watched.glance !== undefined) {
              glance = watched.glance ?? glance;
              watchMs = Math.min(longestWatchMs, 2 * watchMs);
              show();
            }
            return null;
          case 'moved':
            await lookUp();
            return null;
          case 'max-pages':
          case 'max-seconds':
          case 'finish-criteria': {
            const { verdict, met } = watched;
            return end('finished', met === undefined ? verdict : `${verdict}: ${met}`, verdict);
          }
        }
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
      // Asked to stop watching.
      if (wish().what !== 'run') return { verdict: 'going' };
      throw error;
    } finally {
      watching = null;
    }
  }

  /** One that somebody had begun to end is ended as what it was to be. */
  function goOnDraining(): Promise<CrawlResult | null> {
    const final = endsAs ?? 'finished';
    const why = reason ?? final;
    return end(final, why, final === 'finished' ? why.replace(/:.*$/s, '') : why);
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
      await enter('draining', why, final);
      if (state !== 'draining') return null;
      await drainCrawl({ crawlId, reason: drainReason });
    }
    const { glance: seen, ...settled } = await settleCrawl({ crawlId, state: final, reason: why });
    glance = seen ?? glance;
    if (settled.state === 'running') {
      await lookUp();
      return null;
    }
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
