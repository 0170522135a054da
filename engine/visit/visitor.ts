/** The visits of one process to hosts that have a workflow: slices, and probes of parked hosts. */
import { availableParallelism } from 'node:os';
import {
  nobody,
  type HostCounts,
  type HostInRegion,
  type HostRef,
  type ProbeResult,
  type SliceResult,
  type Visit,
  type VisitRegion,
} from '../../contracts/activities.ts';
import { longestTurnWaitMs, sleepsInWorkflow, stretchedSliceMs } from '../../domain/slice.ts';
import { isSpent } from '../../domain/trouble.ts';
import { markIdle, retireHost } from '../../storage/feeding/index.ts';
import { answerAsks, hostHold, hostOutlook, type HostOutlook } from '../../storage/hosts/index.ts';
import { lentHold } from '../../storage/lending/index.ts';
import { retrying } from '../../storage/postgres/index.ts';
import type { Dependencies } from '../dependencies.ts';
import { FetchContext } from './fetch-context.ts';
import { HostVisit } from './host-visit.ts';
import { probe } from './probe.ts';
import { Slice, type SliceEnd } from './slice.ts';

/** How many lease times a slice waits for a lease that somebody else holds: until it has run out, and a little. */
const leasePatienceFactor = 1.5;

export class Visitor {
  readonly #dependencies: Dependencies;
  readonly #context: FetchContext;
  readonly #leasePatienceMs: number;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#context = new FetchContext(dependencies);
    this.#leasePatienceMs = dependencies.settings.leaseMs * leasePatienceFactor;
  }

  /**
   * Null: another worker holds the lease. A `SliceEnd`: the host has failed again, and Temporal is to retry.
   * @param beat is called once the lease is taken
   */
  async slice(host: Visit, signal: AbortSignal, beat: () => void): Promise<SliceResult | SliceEnd | null> {
    const { outage, settings } = this.#dependencies;
    const down = outage();
    if (down !== null) throw down;
    const region = await this.#elsewhere(host);
    if (region !== null) return { ...nothingAsked, next: 'elsewhere', region };
    let lease = await this.#context.keeper.take(host.hostId, 0, signal);
    if (lease === null) {
      const waiting = await this.#untilReturned(host);
      if (waiting !== null) return waiting;
      lease = await this.#context.keeper.take(host.hostId, this.#leasePatienceMs, signal);
    }
    if (lease === null) return null;
    beat();
    const visited = this.#context.census.visited(host.hostId);
    const sliceMs = stretchedSliceMs(settings.sliceMs, visited, availableParallelism());
    const visit = new HostVisit(this.#dependencies, lease, host.origin, signal);
    const end = await new Slice(this.#context, visit, sliceMs, signal).run();
    // The first failure is a result: the workflow shows the backoff and sleeps. A further failure in a row is left to
    // Temporal's retries: its pending activity shows attempt, last failure and next time.
    if (end.trouble !== null) {
      const again = end.settled === 0 && lease.taken.failures > 0;
      // If the host's retries are spent, it parks at once.
      if ((again && host.inTrouble) || isSpent(end.trouble.class, end.failures)) return end;
    }
    const { next, waitMs, outlook } = await this.#lookAhead(host, end);
    const { settled: fetched, delayMs, lastError, closedBy } = end;
    return { fetched, next, waitMs: Math.ceil(waitMs), delayMs, lastError, closedBy, ...counted(outlook) };
  }

  /** Null: another worker holds the lease, or the visit was interrupted. */
  async probe(host: HostInRegion, signal: AbortSignal): Promise<ProbeResult | null> {
    const { outage, pool } = this.#dependencies;
    const down = outage();
    if (down !== null) throw down;
    const region = await this.#elsewhere(host);
    if (region !== null)
      return { outcome: 'elsewhere', message: `workers of ${region.name} ask it`, waitMs: 0, region };
    const [hold] = await hostHold(pool, host.hostId);
    if (hold === undefined || hold.parked === null)
      return { outcome: 'moved', message: 'the host is not parked, or it is paused', waitMs: 0 };
    const lease = await this.#context.keeper.take(host.hostId, this.#leasePatienceMs, signal);
    const result = lease === null ? null : await probe(this.#context, lease, host, signal);
    // A host that answers is unparked first, which also ends the asks of crawls. Until then those crawls stay open.
    if (result?.outcome === 'fails' || result?.outcome === 'pointless')
      await retrying(() => answerAsks(pool, host.hostId));
    return result;
  }

  /** The region where the visit belongs; null: it came from there, or there are no regions. */
  async #elsewhere({ origin, region }: HostInRegion): Promise<VisitRegion | null> {
    const { regions } = this.#dependencies;
    if (regions === undefined || region?.chosen === true) return null;
    const chosen = await regions.choose(origin);
    return chosen.name === region?.name ? null : chosen;
  }

  /**
   * If a foreign fetcher has the host or its turn (F37), the workflow must wait, and is woken when the host is returned. So
   * the host is marked idle before the loan is looked at a last time. Null: neither.
   */
  async #untilReturned({ hostId }: HostRef): Promise<SliceResult | null> {
    const { pool } = this.#dependencies;
    if ((await lentHold(pool, hostId)).length === 0) return null;
    await retrying(() => markIdle(pool, hostId));
    const [hold] = await lentHold(pool, hostId);
    if (hold === undefined) return null;
    const [outlook] = await hostOutlook(pool, hostId);
    return {
      ...nothingAsked,
      next: 'wait',
      waitMs: Math.ceil(hold.left_ms) + 1,
      lastError: hold.last_error,
      closedBy: 'lent',
      ...counted(outlook),
    };
  }

  /**
   * Gives a host with nothing due back. If all due URLs wait for the turns of their crawls, marks the host as idle, then
   * looks at it a last time: whoever admits a URL after that wakes it.
   */
  async #lookAhead(
    { hostId }: HostRef,
    end: SliceEnd,
  ): Promise<NextStep & { outlook?: HostOutlook | undefined }> {
    const { pool, settings } = this.#dependencies;
    const [outlook] = await hostOutlook(pool, hostId);
    const step = nextStep(end, settings.sliceMs, outlook);
    const mayYield =
      (step.next === 'more' || step.next === 'wait') && end.closedBy === null && end.lastError === null;
    if (mayYield && outlook?.yields === true) return { ...step, next: 'yield', outlook };
    if (step.next === 'idle') return { ...(await this.#giveBack(hostId, step)), outlook };
    if (!step.mayBeWoken) return { ...step, outlook };
    await retrying(() => markIdle(pool, hostId));
    const [again] = await hostOutlook(pool, hostId);
    const later = nextStep(end, settings.sliceMs, again);
    return { ...(later.next === 'idle' ? await this.#giveBack(hostId, later) : later), outlook: again };
  }

  /** A host with nothing due goes back to the scheduler, unless URLs have come meanwhile. */
  async #giveBack(hostId: string, step: NextStep): Promise<NextStep> {
    const retired = await retrying(() => retireHost(this.#dependencies.pool, hostId));
    return retired.length > 0 ? step : { ...step, next: 'more' };
  }
}

/** What waits at a host, as its workflow shows it. */
export const counted = (outlook: HostOutlook | undefined): HostCounts => ({
  queued: outlook?.queued ?? 0,
  deadLetters: outlook?.dead_letters ?? 0,
  wantedBy: outlook?.wanted_by ?? nobody,
});

const nothingAsked = {
  ...counted(undefined),
  fetched: 0,
  waitMs: 0,
  delayMs: null,
  lastError: null,
  closedBy: null,
} as const;

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
