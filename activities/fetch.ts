/** The fetch activities: one slice, or one probe, of one host, with heartbeats and failures for Temporal. */
import { availableParallelism } from 'node:os';
import { ApplicationFailure } from '@temporalio/common';
import {
  nobody,
  type FetchActivities,
  type HostRef,
  type ProbeResult,
  type SliceResult,
  type Visit,
} from '../contracts/activities.ts';
import { failureTypes } from '../contracts/failures.ts';
import { longestTurnWaitMs, sleepsInWorkflow, stretchedSliceMs } from '../domain/slice.ts';
import { isSpent } from '../domain/trouble.ts';
import { retrying } from '../storage/postgres/index.ts';
import { answerAsks, hostHold, hostOutlook, type HostOutlook } from '../storage/hosts/index.ts';
import { lentHold } from '../storage/lending/index.ts';
import { markIdle, retireHost } from '../storage/feeding/index.ts';
import type { Dependencies } from '../engine/dependencies.ts';
import { withOwnFaults } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';
import { FetchRoom } from '../engine/visit/fetch-room.ts';
import { HostVisit } from '../engine/visit/host-visit.ts';
import { probe } from '../engine/visit/probe.ts';
import { Slice, type SliceEnd } from '../engine/visit/slice.ts';

/** How many lease times a slice waits for a lease that somebody else holds: until it has run out, and a little. */
const leasePatienceFactor = 1.5;

export function createFetchActivities(dependencies: Dependencies): FetchActivities {
  const room = new FetchRoom(dependencies);
  const { settings, pool, outage } = dependencies;

  const runSlice = async (host: Visit, signal: AbortSignal, beat: () => void): Promise<SliceResult> => {
    const down = outage();
    if (down !== null) throw down;
    let lease = await room.keeper.take(host.hostId, 0, signal);
    if (lease === null) {
      const waiting = await untilReturned(host);
      if (waiting !== null) return waiting;
      lease = await room.keeper.take(host.hostId, settings.leaseMs * leasePatienceFactor, signal);
    }
    if (lease === null) throw interrupted(host);
    // `cutVisit` names a lease: it cannot end a visit that had none yet, but the server knows that the visit was cancelled.
    beat();
    const sliceMs = stretchedSliceMs(
      settings.sliceMs,
      room.census.visited(host.hostId),
      availableParallelism(),
    );
    const visit = new HostVisit(dependencies, lease, host.origin, signal);
    const end = await new Slice(room, visit, sliceMs, signal).run();
    // The first failure is a result: the workflow shows the backoff and sleeps. A further failure in a row is thrown, so
    // that Temporal retries, and its pending activity shows attempt, last failure and next time.
    if (end.trouble !== null) {
      const again = end.settled === 0 && lease.taken.failures > 0;
      // If the host's retries are spent the failure is thrown in any case, so that the host parks at once.
      if ((again && host.inTrouble) || isSpent(end.trouble.class, end.failures)) throw hostFailure(end);
    }
    const { next, waitMs, outlook } = await lookAhead(host, end);
    return {
      fetched: end.settled,
      next,
      waitMs: Math.ceil(waitMs),
      delayMs: end.delayMs,
      queued: outlook?.queued ?? 0,
      deadLetters: outlook?.dead_letters ?? 0,
      wantedBy: outlook?.wanted_by ?? nobody,
      lastError: end.lastError,
      closedBy: end.closedBy,
    };
  };

  /**
   * If a foreign fetcher has the host or its turn (F37), the workflow must wait, and is woken when the host is returned. So
   * the host is marked idle before the loan is looked at a last time. Null: neither.
   */
  const untilReturned = async ({ hostId }: HostRef): Promise<SliceResult | null> => {
    if ((await lentHold(pool, hostId)).length === 0) return null;
    await retrying(() => markIdle(pool, hostId));
    const [hold] = await lentHold(pool, hostId);
    if (hold === undefined) return null;
    const [outlook] = await hostOutlook(pool, hostId);
    return {
      fetched: 0,
      next: 'wait',
      waitMs: Math.ceil(hold.left_ms) + 1,
      delayMs: null,
      queued: outlook?.queued ?? 0,
      deadLetters: outlook?.dead_letters ?? 0,
      wantedBy: outlook?.wanted_by ?? nobody,
      lastError: hold.last_error,
      closedBy: 'lent',
    };
  };

  const runProbe = async (host: HostRef, signal: AbortSignal): Promise<ProbeResult> => {
    const down = outage();
    if (down !== null) throw down;
    const [hold] = await hostHold(pool, host.hostId);
    if (hold === undefined || hold.parked === null) return moved;
    // The host answers: no probe can show that a session holds again, only whoever has given the crawl another.
    if (hold.trouble === 'session-ended' && !hold.asked) return sessionEnded;
    const lease = await room.keeper.take(host.hostId, settings.leaseMs * leasePatienceFactor, signal);
    if (lease === null) throw interrupted(host);
    const result = await probe(room, lease, host, signal);
    if (result === null) throw interrupted(host);
    // A host that answers is unparked first, which also ends the asks of crawls. Until then those crawls stay open.
    if (result.outcome === 'fails' || result.outcome === 'pointless')
      await retrying(() => answerAsks(pool, host.hostId));
    return result;
  };

  /**
   * Gives a host with nothing due back. If all due URLs wait for the turns of their crawls, marks the host as idle, then
   * looks at it a last time: whoever admits a URL after that wakes it.
   */
  const lookAhead = async (
    { hostId }: HostRef,
    end: SliceEnd,
  ): Promise<NextStep & { outlook: HostOutlook | undefined }> => {
    const [outlook] = await hostOutlook(pool, hostId);
    const step = nextStep(end, settings.sliceMs, outlook);
    const mayYield =
      (step.next === 'more' || step.next === 'wait') && end.closedBy === null && end.lastError === null;
    if (mayYield && outlook?.yields === true) return { ...step, next: 'yield', outlook };
    if (step.next === 'idle') return { ...(await giveBack(hostId, step)), outlook };
    if (!step.mayBeWoken) return { ...step, outlook };
    await retrying(() => markIdle(pool, hostId));
    const [again] = await hostOutlook(pool, hostId);
    const later = nextStep(end, settings.sliceMs, again);
    return { ...(later.next === 'idle' ? await giveBack(hostId, later) : later), outlook: again };
  };

  /** A host with nothing due goes back to the scheduler, unless URLs have come meanwhile. */
  const giveBack = async (hostId: string, step: NextStep): Promise<NextStep> =>
    (await retrying(() => retireHost(pool, hostId))).length > 0 ? step : { ...step, next: 'more' };

  return {
    fetchSlice: (host) => withOwnFaults(() => withHeartbeat((signal, beat) => runSlice(host, signal, beat))),
    probeHost: (host) => withOwnFaults(() => withHeartbeat((signal) => runProbe(host, signal))),
  };
}

interface NextStep {
  readonly next: SliceResult['next'];
  readonly waitMs: number;
  /** Whoever admits a URL for the host should wake its workflow. */
  readonly mayBeWoken: boolean;
}

function nextStep(end: SliceEnd, sliceMs: number, outlook: HostOutlook | undefined): NextStep {
  const { waitMs } = end;
  if (end.next === 'trouble' || end.next === 'held' || end.closedBy !== null)
    return { next: end.next, waitMs, mayBeWoken: false };
  if (sleepsInWorkflow(waitMs, sliceMs)) return { next: 'wait', waitMs, mayBeWoken: false };
  if (outlook?.due === true) return { next: 'more', waitMs, mayBeWoken: false };
  const turnMs = outlook?.turn_ms ?? null;
  const waits = turnMs !== null && turnMs <= longestTurnWaitMs;
  return waits
    ? { next: 'wait', waitMs: Math.max(waitMs, turnMs), mayBeWoken: true }
    : { next: 'idle', waitMs, mayBeWoken: true };
}

function hostFailure(end: SliceEnd): ApplicationFailure {
  const { trouble, failures } = end;
  const spent = trouble !== null && isSpent(trouble.class, failures);
  return ApplicationFailure.create({
    type: spent ? failureTypes.spent : failureTypes.host,
    nonRetryable: spent,
    message: `${trouble?.class ?? 'unknown'}: ${trouble?.message ?? ''}`,
    nextRetryDelay: Math.ceil(end.waitMs),
    details: [{ class: trouble?.class, failuresInARow: failures }],
  });
}

const moved: ProbeResult = {
  outcome: 'moved',
  message: 'the host is not parked, or it is paused',
  waitMs: 0,
};

const sessionEnded: ProbeResult = {
  outcome: 'pointless',
  message: 'the session of a crawl has ended there: edit its headers, and retry the host',
  waitMs: 0,
};

const interrupted = (host: HostRef): ApplicationFailure =>
  ApplicationFailure.create({
    type: failureTypes.interrupted,
    message: `the lease of ${host.origin} is held by another worker`,
    nextRetryDelay: 1_000,
  });
