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

/** How long an idle host, whose own bodies are read, waits to be woken before it retires. */
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
    // Never waits for handlers: they may wait for the loop, and its next turn looks again.
    if (allHandlersFinished() && !wantsRetry && !pauseUntold)
      await continueAsNew<typeof host>({ ...me, carried, ...(unsure && { adopted: true }) });
  }

  async #lookUp(): Promise<void> {
    const { host } = this;
    host.unsure = false;
    host.woken = false;
    // What was fetched before its workflow was lost is owed its reading, whatever else it waits for.
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

  /** One slice, and what follows from it. True: the host is given back, and its workflow ends. */
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
    // A visit that fetched nothing brought nothing to read beyond what is being read already.
    if (result.pending && (result.fetched > 0 || this.#digesting === null || this.#digested)) {
      // Never more than one slice behind: where reading is slower than fetching, fetching waits.
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

  /** Null: it was interrupted, or the host has just been parked. */
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
        // What was fetched before the trouble is still owed its reading.
        await this.#digesting;
        this.#digesting = this.#digest();
        return null;
      }
      // Asked to stop, a slice that fails is not tried again by the server and comes back as what failed it.
      if (isCancellation(error) || scope.consideredCancelled) return null;
      throw error;
    } finally {
      host.visit = null;
    }
  }

  /** Judges and reads what was fetched; runs beside the next visit. */
  async #digest(): Promise<void> {
    this.#digested = false;
    await dedup(this.host.me);
    while ((await extract(this.host.me)).more);
    this.#digested = true;
  }

  async #wait(result: SliceResult): Promise<void> {
    const { host } = this;
    host.enter(waitingMode(result), Date.now() + result.waitMs);
    // Somebody who changes the host's settings wakes it; trouble is not over by that.
    const until = result.next === 'wait' ? () => host.called : () => host.interrupted;
    await condition(until, Math.max(1, result.waitMs), { summary: `until ${host.me.origin} may be visited` });
  }

  async #linger(result: SliceResult): Promise<boolean> {
    const { host } = this;
    host.enter(result.closedBy === 'opt-out' ? 'opted-out' : 'active');
    // What is being read may bring URLs for this very host; so may other hosts meanwhile. Both wake it.
    if (this.#digesting !== null) await condition(() => this.#digested || host.called);
    if (await condition(() => host.called, lingerMs, { summary: 'idle: waits to be woken' })) return false;
    return this.#giveBack();
  }

  async #yieldPlace(): Promise<boolean> {
    const { host } = this;
    host.enter('active');
    if (this.#digesting !== null) await condition(() => this.#digested || host.interrupted);
    if (host.interrupted) return false;
    // Who wakes it from here on may be the scheduler, which gives it the place again.
    host.woken = false;
    return this.#giveBack();
  }

  async #giveBack(): Promise<boolean> {
    const { retired } = await retireHost(this.host.me);
    return retired && !this.host.called && allHandlersFinished();
  }
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
