/**
 * The back queue of one host, across all crawls (docs/design.md, "The workflows").
 *
 * Modes, and what leaves them:
 *   active   visits the host slice by slice; an idle one waits a moment for URLs, then gives the host back and ends, as
 *            does one whose place somebody else wants, once it has read what it fetched;
 *   closed   sleeps until its windows open, or its quota is that of another day;
 *   opted-out  nothing of it may be fetched, and what was queued is excluded; it ends soon;
 *   backoff  sleeps on a durable timer, or in a fetch activity that Temporal will retry, until the host may be visited;
 *   paused   sends nothing until `resume`, and stays so should its workflow be lost: the pause is in Postgres;
 *   parked   retries are spent: stays open, to be found in Temporal Web, until `retry`, `resume`, a `redrive` of all its
 *            letters, or a probe that is answered: one request of robots.txt after a durable timer, which doubles with
 *            each probe since a page was last fetched, so that a host that answers probes alone is asked ever less.
 * Whether the host is paused or parked is for Postgres to say: a workflow that was reset, or started where one was
 * lost, looks there (`held`), and one that is woken in either mode looks again. To be cancelled is to be paused.
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
import { nobody, type ProbeResult, type SliceResult } from '../contracts/activities.ts';
import { failureTypes } from '../contracts/failures.ts';
import {
  askHostSignal,
  dropHostUpdate,
  hostStateQuery,
  pauseHostSignal,
  redriveHostUpdate,
  resumeHostSignal,
  retryHostSignal,
  retryHostUpdate,
  setDelayUpdate,
  wakeSignal,
  type HostCarried,
  type HostInput,
  type HostMode,
  type RedriveChoice,
} from '../contracts/workflows.ts';
import { probeWaitMs } from '../domain/trouble.ts';
import { attributeSetter, magnitude } from './attributes.ts';
import {
  countHost,
  dedup,
  dropHost,
  extract,
  fetchSlice,
  fetchSliceInTrouble,
  lookAtHost,
  parkHost,
  probeHost,
  retireHost,
  setHostDelay,
  setHostPause,
  unparkHost,
} from './calls.ts';
import { heedingCancellation, uncut } from './cancelling.ts';
import { deskMarkdown } from './host-desk.ts';
import { choiceProblem, redriveAll, redrivenSentence } from './redrive.ts';

/** A history this long is carried over to a fresh run. */
const longHistory = 400;
/** How long an idle host, whose own bodies are read, waits to be woken before it retires. */
const lingerMs = 4_000;
/** A probe that could not be sent, for no time that could be told, is put off this long. */
const putOffMs = 60_000;
/** One that a crawl waits for is not put off that long. */
const askAgainMs = 1_000;

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
  wantedBy: nobody,
  delayMs: 0,
  probeMs: 3_600_000,
  probes: 0,
  probeAt: null,
  lastProbe: null,
};

const unparked = { parked: false, probeAt: null, lastProbe: null, lastError: null, troubleSince: null };

export async function host(input: HostInput): Promise<void> {
  const me = { hostId: input.hostId, origin: input.origin };
  const state = { ...(input.carried ?? fresh) };
  let mode: HostMode = 'active';
  let nextVisit: number | null = null;
  let closedBy: SliceResult['closedBy'] = null;
  let woken = false;
  let retryAsked = 0;
  let retryDone = 0;
  /** A crawl waits for an answer while it is parked: epoch milliseconds from which it may be asked. */
  let askAt: number | null = null;
  let visit: CancellationScope | null = null;
  let digesting: Promise<void> | null = null;
  let digested = false;
  /** How the host stands is to be looked up. */
  let unsure = input.adopted === true;
  /** Postgres does not know yet of a pause, or of its end. */
  let pauseUntold = false;
  let cancelled = false;
  const setAttributes = attributeSetter();

  const view = () => ({ ...state, mode, nextVisit });
  const show = (now: HostMode, until: number | null = null): void => {
    mode = now;
    nextVisit = until;
    setCurrentDetails(
      deskMarkdown({
        ...{ ...state, ...me, mode, nextVisit, closedBy: until === null ? null : closedBy },
        namespace: workflowInfo().namespace,
      }),
    );
    setAttributes({
      CrawlState: now,
      DeadLetters: state.deadLetters,
      LastError: state.lastError === null ? null : state.lastError.slice(0, 200),
      QueueDepth: magnitude(state.queued),
      // Of a host at work it would change with every slice.
      ...(now === 'active' ? {} : { NextFetchTime: until === null ? null : new Date(until) }),
    });
  };
  const called = (): boolean => woken || interrupted();
  const interrupted = (): boolean => state.paused || retryAsked > retryDone;
  /** A run that was cancelled cannot be cancelled again: another one goes on. */
  const isLong = (): boolean =>
    workflowInfo().historyLength > longHistory || workflowInfo().continueAsNewSuggested || cancelled;
  /** Read through a call: signals change it while the loop waits. */
  const isPauseUntold = (): boolean => pauseUntold;
  const setPause = (reason: string | null): void => {
    state.paused = reason !== null;
    state.pausedReason = reason;
    pauseUntold = true;
    if (reason !== null) visit?.cancel();
  };

  setHandler(wakeSignal, () => {
    woken = true;
  });
  setHandler(askHostSignal, () => {
    askAt ??= Date.now();
  });
  setHandler(
    pauseHostSignal,
    (reason: string | null) => {
      setPause(reason ?? 'an operator asked for it');
    },
    {
      description:
        'Send no request to this host until `resume`; one in flight is finished first. Input: a reason.',
    },
  );
  setHandler(
    resumeHostSignal,
    () => {
      setPause(null);
      if (state.parked) retryAsked++;
    },
    { description: 'End a pause; a parked host is tried again.' },
  );
  setHandler(
    retryHostUpdate,
    uncut(async () => {
      const mine = ++retryAsked;
      visit?.cancel();
      await condition(() => retryDone >= mine);
      return `${input.origin} is tried again now; ${String(state.queued)} URLs are queued`;
    }),
    {
      description:
        'Forget backoff, failures and slowdown and try now, URLs that wait included; the crawl-delay still holds.',
    },
  );
  setHandler(
    retryHostSignal,
    () => {
      retryAsked++;
      visit?.cancel();
    },
    { description: 'As the update `retry`, for many hosts at once (batch): nobody waits for it.' },
  );
  setHandler(
    dropHostUpdate,
    uncut(async (reason: string | null) => {
      const dropped = await dropHost({ ...me, reason: reason ?? 'dropped by an operator' });
      const { queued, deadLetters, wantedBy } = dropped;
      Object.assign(state, { queued, deadLetters, wantedBy });
      show(mode, nextVisit);
      return `${String(dropped.dropped)} queued URLs of ${input.origin} are excluded`;
    }),
    { description: 'Exclude every queued URL of this host. Input: a reason.' },
  );
  setHandler(
    setDelayUpdate,
    uncut(async (seconds: number | null) => {
      await setHostDelay({ ...me, seconds });
      woken = true;
      return seconds === null ? 'the delay is robots.txt’s again' : `the delay is ${String(seconds)} s`;
    }),
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
  setHandler(
    redriveHostUpdate,
    uncut(async (choice: RedriveChoice | null) => {
      const [letterClass, url] = [choice?.class ?? null, choice?.url ?? null];
      const done = await redriveAll({ crawlId: null, origin: input.origin, class: letterClass, url });
      Object.assign(state, await countHost(me));
      woken = true;
      if (state.parked && letterClass === null && url === null) {
        const mine = ++retryAsked;
        await condition(() => retryDone >= mine);
      } else show(mode, nextVisit);
      // What was queued at it while it was parked goes with it.
      return redrivenSentence(state.parked ? done : { ...done, atParked: 0 });
    }),
    {
      validator: (choice: unknown) => {
        const problem = choiceProblem(choice);
        if (problem !== null) throw ApplicationFailure.nonRetryable(problem);
      },
      description:
        'Queue dead letters of this host again. Input: null for all (a parked host is tried again), or {"class": "client-error"}, or {"url": "…"}; those that a parked host caused wait until it is tried again.',
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

  const park = async (reason: string, since: number): Promise<void> => {
    state.lastError = reason;
    state.troubleSince ??= since;
    const { probeMs, restMs, ...counts } = await parkHost({ ...me, reason });
    const probeAt = Date.now() + Math.max(probeWaitMs(probeMs, state.probes, Math.random()), restMs);
    Object.assign(state, { ...counts, probeMs, probeAt, parked: true });
  };

  /** Takes over what Postgres says, unless somebody has said otherwise just now. */
  const lookUp = async (): Promise<void> => {
    unsure = false;
    woken = false;
    // What was fetched before its workflow was lost is owed its reading, whatever else it waits for.
    if (input.adopted === true) digesting ??= digest();
    const { paused, parked, ...counts } = await lookAtHost(me);
    Object.assign(state, counts);
    if (!pauseUntold) Object.assign(state, { paused: paused !== null, pausedReason: paused });
    if (parked === null) {
      askAt = null;
      if (state.parked) Object.assign(state, unparked);
    }
    if (parked !== null && !state.parked) await park(parked.reason, Date.now() - parked.forMs);
  };

  /** One slice. null: it was interrupted, or the host has just been parked. */
  const visitHost = async (): Promise<SliceResult | null> => {
    const scope = new CancellationScope({ cancellable: true });
    visit = scope;
    try {
      const inTrouble = state.lastError !== null;
      const fetch = inTrouble ? fetchSliceInTrouble : fetchSlice;
      return await scope.run(() => fetch({ ...me, inTrouble }));
    } catch (error) {
      const spent = spentFailure(error);
      if (spent !== null) {
        await park(spent.message, Date.now());
        // What was fetched before the trouble is still owed its reading.
        await digesting;
        digesting = digest();
        return null;
      }
      // Asked to stop, a slice that fails is not tried again by the server and comes back as what failed it.
      if (isCancellation(error) || scope.consideredCancelled) return null;
      throw error;
    } finally {
      visit = null;
    }
  };

  /** A crawl that waits for an answer has it asked before its own time; that is a probe beside the growing ones. */
  const nextProbe = (): number => Math.min(state.probeAt ?? 0, askAt ?? Infinity);

  /** Waits for the time of the next probe, and sends it. Returns when something has changed. */
  const probe = async (): Promise<void> => {
    const planned = nextProbe();
    const waitMs = planned - Date.now();
    const due = () => called() || nextProbe() !== planned || (isLong() && allHandlersFinished());
    if (waitMs > 0 && (await condition(due, waitMs, { summary: 'until the next probe' }))) return;
    const scope = new CancellationScope({ cancellable: true });
    visit = scope;
    let result: ProbeResult;
    try {
      result = await scope.run(() => probeHost(me));
    } catch (error) {
      if (isCancellation(error) || scope.consideredCancelled) return;
      throw error;
    } finally {
      visit = null;
    }
    if (result.outcome === 'moved') {
      unsure = true;
      return;
    }
    if (result.outcome === 'answers' && state.parked && retryAsked === retryDone) {
      state.probes++;
      await unpark();
      return;
    }
    const now = Date.now();
    const isAsked = askAt !== null;
    if (isAsked) askAt = result.outcome === 'not-yet' ? now + Math.max(askAgainMs, result.waitMs) : null;
    if (result.outcome !== 'not-yet') state.lastProbe = result.message;
    if (isAsked && planned !== state.probeAt) {
      state.probeAt = Math.max(state.probeAt ?? 0, now + result.waitMs);
      return;
    }
    if (result.outcome !== 'not-yet') state.probes++;
    const next =
      result.outcome === 'not-yet' ? putOffMs : probeWaitMs(state.probeMs, state.probes, Math.random());
    state.probeAt = now + Math.max(next, result.waitMs);
  };

  const unpark = async (): Promise<void> => {
    const counts = await unparkHost(me);
    askAt = null;
    Object.assign(state, { ...counts, ...unparked });
  };

  const learn = (result: SliceResult): void => {
    state.fetched += result.fetched;
    state.queued = result.queued;
    state.deadLetters = result.deadLetters;
    state.wantedBy = result.wantedBy;
    state.delayMs = result.delayMs ?? state.delayMs;
    closedBy = result.closedBy;
    state.lastError = result.lastError;
    state.troubleSince = result.lastError === null ? null : (state.troubleSince ?? Date.now());
    if (result.fetched > 0 && result.lastError === null) state.probes = 0;
  };

  const asked = (): void => {
    cancelled = true;
    // One that is parked keeps its probes: nothing else is sent to it.
    if (!state.paused && !state.parked) setPause('its workflow was cancelled in Temporal Web');
  };
  return heedingCancellation(asked, async () => {
    if (input.spent !== undefined && input.carried === undefined) await park(input.spent, Date.now());
    for (;;) {
      if (pauseUntold) {
        pauseUntold = false;
        if (state.paused) show('paused');
        await setHostPause({ ...me, reason: state.pausedReason });
        continue;
      }
      if (isLong()) {
        await digesting;
        // Never waits for handlers: they may wait for this loop, and the next turn looks again.
        if (allHandlersFinished() && retryAsked === retryDone && !isPauseUntold()) {
          await continueAsNew<typeof host>({ ...me, carried: state, ...(unsure && { adopted: true }) });
        }
      }
      if (unsure || (woken && (state.paused || state.parked))) await lookUp();
      if (retryAsked > retryDone) {
        const asked = retryAsked;
        state.probes = 0;
        await unpark();
        retryDone = asked;
        continue;
      }
      if (state.paused) {
        show('paused');
        await condition(
          () => !state.paused || woken || retryAsked > retryDone || (isLong() && allHandlersFinished()),
        );
        continue;
      }
      if (state.parked) {
        show('parked', nextProbe());
        await probe();
        continue;
      }
      show(state.lastError === null ? 'active' : 'backoff');
      woken = false;
      const result = await visitHost();
      if (result === null) continue;
      if (result.next === 'held') {
        unsure = true;
        continue;
      }
      learn(result);
      // A visit that fetched nothing brought nothing to read beyond what is being read already.
      if (result.pending && (result.fetched > 0 || digesting === null || isDigested())) {
        // Never more than one slice behind: where reading is slower than fetching, fetching waits.
        await digesting;
        digesting = digest();
      }
      switch (result.next) {
        case 'more':
          break;
        case 'wait':
        case 'trouble': {
          const until = Date.now() + result.waitMs;
          show(waitingMode(result), until);
          // Somebody who changes the host's settings wakes it; trouble is not over by that.
          await condition(result.next === 'wait' ? called : interrupted, Math.max(1, result.waitMs), {
            summary: `until ${input.origin} may be visited`,
          });
          break;
        }
        case 'idle': {
          show(result.closedBy === 'opt-out' ? 'opted-out' : 'active');
          // What is being read may bring URLs for this very host; so may other hosts meanwhile. Both wake it.
          if (digesting !== null) await condition(() => isDigested() || called());
          if (await condition(called, lingerMs, { summary: 'idle: waits to be woken' })) break;
          const { retired } = await retireHost(me);
          if (retired && !called() && allHandlersFinished()) return;
          break;
        }
        case 'yield': {
          show('active');
          if (digesting !== null) await condition(() => isDigested() || interrupted());
          if (interrupted()) break;
          // Who wakes it from here on may be the scheduler, which gives it the place again.
          woken = false;
          const { retired } = await retireHost(me);
          if (retired && !called() && allHandlersFinished()) return;
        }
      }
    }
  });
}

/** Trouble that holds the host outweighs what closes it. A host that is lent is worked, by somebody else. */
function waitingMode({ next, lastError, closedBy }: SliceResult): HostMode {
  if (next === 'trouble' || lastError !== null) return 'backoff';
  return closedBy === 'windows' || closedBy === 'quota' ? 'closed' : 'active';
}

function spentFailure(error: unknown): ApplicationFailure | null {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof ApplicationFailure)) return null;
  return error.cause.type === failureTypes.spent ? error.cause : null;
}
