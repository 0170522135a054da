/**
 * The back queue of one host, across all crawls (docs/design.md, "The workflows").
 *
 * Modes, and what leaves them:
 *   active   visits the host slice by slice. A slice that finds nothing more to do gives the host back, and the workflow
 *            ends; so it does if another host wants its place;
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
 * At most one fetch activity is under way at any time. What it fetches is read in the lanes of the scheduler.
 */
import { allHandlersFinished, condition, continueAsNew, patched } from '@temporalio/workflow';
import type { SliceResult } from '../contracts/activities.ts';
import type { HostInput, HostMode } from '../contracts/workflows.ts';
import { lookAtHost, retireHost, setHostPause } from './calls.ts';
import { heedingCancellation } from './cancelling.ts';
import { hearMessages } from './host-messages.ts';
import { park, probe, unpark } from './host-parking.ts';
import { HostState } from './host-state.ts';
import { spentFailure, visitingFromRegion } from './visiting.ts';

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
    const { me, carried, unsure, wantsRetry, pauseUntold } = this.host;
    // Must not wait for handlers, since they may wait for the loop. The next turn of the loop checks again.
    if (allHandlersFinished() && !wantsRetry && !pauseUntold)
      await continueAsNew<typeof host>({ ...me, carried, ...(unsure && { adopted: true }) });
  }

  async #lookUp(): Promise<void> {
    const { host } = this;
    host.unsure = false;
    host.woken = false;
    const hold = await lookAtHost(host.me);
    host.lookedUp(hold);
    const { parked } = hold;
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
    switch (result.next) {
      case 'more':
      case 'elsewhere':
        return false;
      case 'wait':
      case 'trouble':
        await this.#wait(result);
        return false;
      case 'idle':
        if (result.closedBy === 'opt-out') host.enter('opted-out');
        // Given back: who feeds it again from here on also wakes this workflow, if it has not ended by then.
        return !host.called && allHandlersFinished();
      case 'yield':
        return this.#yieldPlace();
    }
  }

  /** Null: the slice was cut or lost, is to be asked for elsewhere, or the host has just been parked. */
  async #slice(): Promise<SliceResult | null> {
    const { host } = this;
    const { inTrouble } = host;
    try {
      return await visitingFromRegion(host, ({ fetchSlice, fetchSliceInTrouble }, me) =>
        (inTrouble ? fetchSliceInTrouble : fetchSlice)({ ...me, inTrouble }),
      );
    } catch (error) {
      const spent = spentFailure(error);
      if (spent === null) throw error;
      await park(host, spent.message, Date.now());
      return null;
    }
  }

  async #wait(result: SliceResult): Promise<void> {
    const { host } = this;
    host.enter(waitingMode(result), Date.now() + result.waitMs);
    // A change of the host's settings wakes the host. So does the scheduler if somebody waits whom the trouble does not
    // concern. The next visit looks whether the wait is over.
    const mayWake = result.next === 'wait' || patched('woken-in-trouble');
    const until = mayWake ? () => host.called : () => host.interrupted;
    await condition(until, Math.max(1, result.waitMs), { summary: `until ${host.me.origin} may be visited` });
  }

  async #yieldPlace(): Promise<boolean> {
    const { host } = this;
    host.enter('active');
    if (host.interrupted) return false;
    // A wake signal from here on may be the scheduler's, which gives the host a place again.
    host.woken = false;
    const { retired } = await retireHost(host.me);
    return retired && !host.called && allHandlersFinished();
  }
}

/** The mode to show. Trouble outweighs what closes the host. A host on loan is `active`: another fetcher works it. */
function waitingMode({ next, lastError, closedBy }: SliceResult): HostMode {
  if (next === 'trouble' || lastError !== null) return 'backoff';
  return closedBy === 'windows' || closedBy === 'quota' ? 'closed' : 'active';
}
