/**
 * The back queue of one host, across all crawls (docs/design.md, "The workflows").
 *
 * Modes, and what leaves them:
 *   active   visits the host slice by slice. If the host is idle, waits a moment for URLs, then gives the host back and
 *            ends. If another host wants its place, does the same once it has read what it fetched;
 *   closed   sleeps until the host's windows open, or until a new day with a new quota;
 *   opted-out  nothing of the host may be fetched, and what was queued is excluded; the workflow ends soon;
 *   backoff  sleeps on a durable timer, or in a fetch activity that Temporal will retry, until the host may be visited;
 *   paused   sends nothing until `resume`, even if the workflow is lost: the pause is in Postgres;
 *   parked   retries are spent. Stays open, so that people find it in Temporal Web, until `retry`, `resume`, a `redrive`
 *            of all its letters, or a probe that is answered. A probe is one request for robots.txt after a durable
 *            timer. The timer doubles with each probe since a page was last fetched, so that a host that answers only
 *            probes is probed ever less.
 * Postgres decides whether the host is paused or parked: a workflow that was reset, or replaces a lost one, looks there
 * (`held`), and a workflow that is woken in either mode looks again. Cancelling the workflow pauses the host.
 * At most one fetch activity is under way at any time, and reading its bodies is at most one slice behind.
 */
import {
  allHandlersFinished,
  ApplicationFailure,
  ActivityFailure,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
} from '@temporalio/workflow';
import type { SliceResult } from '../contracts/activities.ts';
import { failureTypes } from '../contracts/failures.ts';
import type { HostInput, HostMode } from '../contracts/workflows.ts';
import {
  dedup,
  extract,
  fetchSlice,
  fetchSliceInTrouble,
  lookAtHost,
  retireHost,
  setHostPause,
} from './calls.ts';
import { heedingCancellation } from './cancelling.ts';
import { hearMessages } from './host-messages.ts';
import { park, probe, unpark } from './host-parking.ts';
import { HostState } from './host-state.ts';

/** Milliseconds that an idle host waits to be woken, after its bodies are read, before it retires. */
const lingerMs = 4_000;

export async function host(input: HostInput): Promise<void> {
  const queue = new BackQueue(input);
  hearMessages(queue.host);
  const cancelled = (): void => {
    queue.host.cancel();
  };
  return heedingCancellation(cancelled, () => queue.work());
}

class BackQueue {
  readonly host: HostState;
  readonly #input: HostInput;
  #digesting: Promise<void> | null = null;
  #digested = false;

  constructor(input: HostInput) {
    this.#input = input;
    this.host = new HostState(input);
  }

  async work(): Promise<void> {
    const { host } = this;
    const { spent, carried } = this.#input;
    if (spent !== undefined && carried === undefined) await park(host, spent, Date.now());
    for (let ended = false; !ended;) {
      if (host.pauseUntold) {
        await this.#tellPause();
        continue;
      }
      if (host.isLong) await this.#carryOver();
      if (host.unsure || (host.woken && (host.carried.paused || host.carried.parked))) await this.#lookUp();
      if (host.wantsRetry) await this.#retry();
      else if (host.carried.paused) await this.#stayPaused();
      else if (host.carried.parked) {
        host.enter('parked', host.nextProbe);
        await probe(host);
      } else ended = await this.#visit();
    }
  }

  async #tellPause(): Promise<void> {
    const { host } = this;
    host.pauseUntold = false;
    if (host.carried.paused) host.enter('paused');
    await setHostPause({ ...host.me, reason: host.carried.pausedReason });
  }

  async #carryOver(): Promise<void> {
    await this.#digesting;
    const { me, carried, unsure, wantsRetry, pauseUntold } = this.host;
    // Must not wait for handlers, since they may wait for the loop. The next turn of the loop checks again.
    if (allHandlersFinished() && !wantsRetry && !pauseUntold)
      await continueAsNew<typeof host>({ ...me, carried, ...(unsure && { adopted: true }) });
  }

  async #lookUp(): Promise<void> {
    const { host } = this;
    host.unsure = false;
    host.woken = false;
    // Bodies fetched before the old workflow was lost must be read, whatever else the host waits for.
    if (this.#input.adopted === true) this.#digesting ??= this.#digest();
    const standing = await lookAtHost(host.me);
    host.lookedUp(standing);
    const { parked } = standing;
    if (parked !== null && !host.carried.parked) await park(host, parked.reason, Date.now() - parked.forMs);
  }

  async #retry(): Promise<void> {
    const { host } = this;
    const asked = host.retriesAsked;
    host.carried.probes = 0;
    await unpark(host);
    host.retried(asked);
  }

  async #stayPaused(): Promise<void> {
    const { host } = this;
    host.enter('paused');
    await condition(
      () => !host.carried.paused || host.woken || host.wantsRetry || (host.isLong && allHandlersFinished()),
    );
  }

  /** Runs one slice and does what follows. True: the host was given back, and its workflow ends. */
  async #visit(): Promise<boolean> {
    const { host } = this;
    host.enter(host.inTrouble ? 'backoff' : 'active');
    host.woken = false;
    const result = await this.#slice();
    if (result === null) return false;
    if (result.next === 'held') {
      host.unsure = true;
      return false;
    }
    host.learn(result);
    // If the visit fetched nothing, all that is pending is being read already, unless no reading is under way.
    if (result.pending && (result.fetched > 0 || this.#digesting === null || this.#digested)) {
      // Reading is never more than one slice behind: if it is slower than fetching, fetching waits.
      await this.#digesting;
      this.#digesting = this.#digest();
    }
    switch (result.next) {
      case 'more':
        return false;
      case 'wait':
      case 'trouble':
        await this.#wait(result);
        return false;
      case 'idle':
        return this.#linger(result);
      case 'yield':
        return this.#yieldPlace();
    }
  }

  /** Null: a message cancelled the slice, or the host has just been parked. */
  async #slice(): Promise<SliceResult | null> {
    const { host } = this;
    const scope = new CancellationScope({ cancellable: true });
    host.visit = scope;
    try {
      const { inTrouble } = host;
      const fetch = inTrouble ? fetchSliceInTrouble : fetchSlice;
      return await scope.run(() => fetch({ ...host.me, inTrouble }));
    } catch (error) {
      const spent = spentFailure(error);
      if (spent !== null) {
        await park(host, spent.message, Date.now());
        // Bodies fetched before the trouble must still be read.
        await this.#digesting;
        this.#digesting = this.#digest();
        return null;
      }
      // If a slice is failing when it is cancelled, the server stops its retries and returns its last failure.
      if (isCancellation(error) || scope.consideredCancelled) return null;
      throw error;
    } finally {
      host.visit = null;
    }
  }

  /** Runs dedup and extraction of what was fetched, beside the next visit. */
  async #digest(): Promise<void> {
    this.#digested = false;
    await dedup(this.host.me);
    while ((await extract(this.host.me)).more);
    this.#digested = true;
  }

  async #wait(result: SliceResult): Promise<void> {
    const { host } = this;
    host.enter(waitingMode(result), Date.now() + result.waitMs);
    // A change of the host's settings wakes the host. Trouble does not end by that, so only pause and retry end it.
    const until = result.next === 'wait' ? () => host.called : () => host.interrupted;
    await condition(until, Math.max(1, result.waitMs), { summary: `until ${host.me.origin} may be visited` });
  }

  async #linger(result: SliceResult): Promise<boolean> {
    const { host } = this;
    host.enter(result.closedBy === 'opt-out' ? 'opted-out' : 'active');
    // Reading may find URLs of this host, and so may other hosts meanwhile. Both wake this workflow.
    if (this.#digesting !== null) await condition(() => this.#digested || host.called);
    if (await condition(() => host.called, lingerMs, { summary: 'idle: waits to be woken' })) return false;
    return this.#giveBack();
  }

  async #yieldPlace(): Promise<boolean> {
    const { host } = this;
    host.enter('active');
    if (this.#digesting !== null) await condition(() => this.#digested || host.interrupted);
    if (host.interrupted) return false;
    // A wake signal from here on may be the scheduler's, which gives the host a place again.
    host.woken = false;
    return this.#giveBack();
  }

  async #giveBack(): Promise<boolean> {
    const { retired } = await retireHost(this.host.me);
    return retired && !this.host.called && allHandlersFinished();
  }
}

/** The mode to show. Trouble outweighs what closes the host. A host on loan is `active`: another fetcher works it. */
function waitingMode({ next, lastError, closedBy }: SliceResult): HostMode {
  if (next === 'trouble' || lastError !== null) return 'backoff';
  return closedBy === 'windows' || closedBy === 'quota' ? 'closed' : 'active';
}

function spentFailure(error: unknown): ApplicationFailure | null {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof ApplicationFailure)) return null;
  return error.cause.type === failureTypes.spent ? error.cause : null;
}
