/**
 * The back queue of one host, across all crawls (docs/design.md §3, §4).
 *
 * Modes, and what leaves them:
 *   active   visits the host slice by slice; an idle one waits a moment for URLs, then gives the host back and ends;
 *   backoff  sleeps on a durable timer, or in a fetch activity that Temporal will retry, until the host may be visited;
 *   paused   sends nothing until `resume`;
 *   parked   retries are spent: stays open, to be found in Temporal Web, until `retry` or `resume`.
 * At any time at most one fetch activity is out, and the reading of its bodies is at most one slice behind.
 */
import {
  allHandlersFinished,
  ApplicationFailure,
  ActivityFailure,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { SliceResult } from '../contracts/activities.ts';
import { failureTypes } from '../contracts/failures.ts';
import {
  dropHostUpdate,
  hostStateQuery,
  pauseHostSignal,
  resumeHostSignal,
  retryHostUpdate,
  setDelayUpdate,
  wakeSignal,
  type HostCarried,
  type HostInput,
  type HostMode,
} from '../contracts/workflows.ts';
import { attributeSetter } from './attributes.ts';
import {
  dedup,
  dropHost,
  extract,
  fetchSlice,
  parkHost,
  retireHost,
  setHostDelay,
  unparkHost,
} from './calls.ts';
import { deskMarkdown } from './host-desk.ts';

/** A history this long is carried over to a fresh run. */
const longHistory = 400;
/** How long an idle host waits for URLs before it looks again; then it retires. */
const lingerMs = [1_000, 3_000] as const;
/** How long it waits while its own bodies are still being read. */
const busyLookMs = 4_000;

const fresh: HostCarried = {
  version: 1,
  paused: false,
  parked: false,
  pausedReason: null,
  lastError: null,
  troubleSince: null,
  fetched: 0,
  deadLetters: 0,
  queued: 0,
  delayMs: 0,
};

export async function host(input: HostInput): Promise<void> {
  const me = { hostId: input.hostId, origin: input.origin };
  const state = { ...(input.carried ?? fresh) };
  let mode: HostMode = 'active';
  let nextVisit: number | null = null;
  let woken = false;
  let retryAsked = 0;
  let retryDone = 0;
  let visit: CancellationScope | null = null;
  let digesting: Promise<void> | null = null;
  let digested = false;
  const setAttributes = attributeSetter();

  const view = () => ({ ...state, mode, nextVisit });
  const show = (now: HostMode, until: number | null = null): void => {
    mode = now;
    nextVisit = until;
    setCurrentDetails(deskMarkdown({ ...state, ...me, mode, nextVisit }));
    setAttributes({
      CrawlState: now,
      DeadLetters: state.deadLetters,
      LastError: state.lastError === null ? null : state.lastError.slice(0, 200),
      QueueDepth: magnitude(state.queued),
      // Of a host at work it would change with every slice.
      ...(now === 'active' ? {} : { NextFetchTime: until === null ? null : new Date(until) }),
    });
  };
  const wasWoken = (): boolean => woken;
  const interrupted = (): boolean => state.paused || retryAsked > retryDone;
  const isLong = (): boolean =>
    workflowInfo().historyLength > longHistory || workflowInfo().continueAsNewSuggested;

  setHandler(wakeSignal, () => {
    woken = true;
  });
  setHandler(
    pauseHostSignal,
    (reason: string | null) => {
      state.paused = true;
      state.pausedReason = reason ?? 'an operator asked for it';
      visit?.cancel();
    },
    {
      description:
        'Send no request to this host until `resume`; one in flight is finished first. Input: a reason.',
    },
  );
  setHandler(
    resumeHostSignal,
    () => {
      state.paused = false;
      state.pausedReason = null;
      if (state.parked) retryAsked++;
    },
    { description: 'End a pause; a parked host is tried again.' },
  );
  setHandler(
    retryHostUpdate,
    async () => {
      const mine = ++retryAsked;
      visit?.cancel();
      await condition(() => retryDone >= mine);
      return `${input.origin} is tried again now; ${String(state.queued)} URLs are queued`;
    },
    { description: 'Forget backoff and failures and try now; the crawl-delay still holds.' },
  );
  setHandler(
    dropHostUpdate,
    async (reason) => {
      const dropped = await dropHost({ ...me, reason: reason ?? 'dropped by an operator' });
      Object.assign(state, { queued: dropped.queued, deadLetters: dropped.deadLetters });
      show(mode, nextVisit);
      return `${String(dropped.dropped)} queued URLs of ${input.origin} are excluded`;
    },
    { description: 'Exclude every queued URL of this host. Input: a reason.' },
  );
  setHandler(
    setDelayUpdate,
    async (seconds) => {
      await setHostDelay({ ...me, seconds });
      return seconds === null
        ? 'the delay is robots.txt’s again'
        : `the delay is ${String(seconds)} s from the next slice on`;
    },
    {
      validator: (seconds) => {
        const valid = seconds === null || (typeof seconds === 'number' && seconds >= 0 && seconds <= 86_400);
        if (!valid)
          throw ApplicationFailure.nonRetryable('the delay is a number of seconds from 0 to 86400, or null');
      },
      description:
        'Seconds between requests for a host one owns (0 to 86400), or null for robots.txt and default.',
    },
  );
  setHandler(hostStateQuery, view, { description: 'Mode, counts and next visit.' });

  /** Judges and reads what was fetched; runs beside the next visit. */
  const digest = async (): Promise<void> => {
    digested = false;
    await dedup(me);
    while ((await extract(me)).more);
    digested = true;
  };
  const isDigested = (): boolean => digested;

  /** One slice. null: it was interrupted, or the host has just been parked. */
  const visitHost = async (): Promise<SliceResult | null> => {
    const scope = new CancellationScope({ cancellable: true });
    visit = scope;
    try {
      return await scope.run(() => fetchSlice(me));
    } catch (error) {
      const spent = spentFailure(error);
      if (spent !== null) {
        state.lastError = spent.message;
        state.troubleSince ??= Date.now();
        Object.assign(state, await parkHost({ ...me, reason: spent.message }));
        state.parked = true;
        // What was fetched before the trouble is still owed its reading.
        await digesting;
        digesting = digest();
        return null;
      }
      // Asked to stop, a slice that fails is not tried again by the server and comes back as what failed it.
      const asked = isCancellation(error) || scope.consideredCancelled;
      if (asked && !CancellationScope.current().consideredCancelled) return null;
      throw error;
    } finally {
      visit = null;
    }
  };

  const learn = (result: SliceResult): void => {
    state.fetched += result.fetched;
    state.queued = result.queued;
    state.deadLetters = result.deadLetters;
    state.delayMs = result.delayMs;
    state.lastError = result.lastError;
    state.troubleSince = result.lastError === null ? null : (state.troubleSince ?? Date.now());
  };

  let idleLooks = 0;
  for (;;) {
    if (isLong()) {
      await digesting;
      // Never waits for handlers: they may wait for this loop, and the next turn looks again.
      if (allHandlersFinished() && retryAsked === retryDone) {
        await continueAsNew<typeof host>({ ...input, carried: state });
      }
    }
    if (retryAsked > retryDone) {
      const asked = retryAsked;
      Object.assign(state, await unparkHost(me), { parked: false, lastError: null, troubleSince: null });
      retryDone = asked;
      continue;
    }
    if (state.paused) {
      show('paused');
      await condition(() => !state.paused || retryAsked > retryDone || (isLong() && allHandlersFinished()));
      continue;
    }
    if (state.parked) {
      show('parked');
      await condition(() => retryAsked > retryDone || (isLong() && allHandlersFinished()));
      continue;
    }
    show(state.lastError === null ? 'active' : 'backoff');
    woken = false;
    const result = await visitHost();
    if (result === null) continue;
    learn(result);
    if (result.pending) {
      // Never more than one slice behind: where reading is slower than fetching, fetching waits.
      await digesting;
      digesting = digest();
    }
    switch (result.next) {
      case 'more':
        idleLooks = 0;
        break;
      case 'wait':
      case 'trouble': {
        const until = Date.now() + result.waitMs;
        show(result.next === 'wait' ? 'active' : 'backoff', until);
        await condition(interrupted, Math.max(1, result.waitMs), {
          summary: `until ${input.origin} may be visited`,
        });
        break;
      }
      case 'idle': {
        show('active');
        if (digesting !== null) {
          // What is being read may bring URLs for this very host; so may other hosts meanwhile.
          await condition(() => isDigested() || wasWoken() || interrupted(), busyLookMs, {
            summary: 'idle: reading',
          });
          if (isDigested()) digesting = null;
          break;
        }
        const linger = lingerMs[idleLooks++];
        if (linger !== undefined) {
          await condition(() => wasWoken() || interrupted(), linger, { summary: 'idle: waits for URLs' });
          break;
        }
        idleLooks = 0;
        const { retired } = await retireHost(me);
        if (retired && !wasWoken() && !interrupted() && allHandlersFinished()) return;
      }
    }
  }
}

/** Rounded down to a power of ten: the attribute changes a few times in a host's life and not with every slice. */
const magnitude = (count: number): number => (count < 1 ? 0 : 10 ** Math.floor(Math.log10(count)));

function spentFailure(error: unknown): ApplicationFailure | null {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof ApplicationFailure)) return null;
  return error.cause.type === failureTypes.spent ? error.cause : null;
}
