/** Parks a host, and probes a parked host now and then. */
import { allHandlersFinished, condition } from '@temporalio/workflow';
import type { ProbeResult } from '../contracts/activities.ts';
import { probeWaitMs } from '../domain/trouble.ts';
import { parkHost, unparkHost } from './calls.ts';
import type { HostState } from './host-state.ts';
import { visitingFromRegion } from './visiting.ts';

/** Milliseconds, at least, for which a probe is put off if it could not be sent yet. */
const putOffMs = 60_000;
/** The same for a probe that a crawl waits for. */
const askAgainMs = 1_000;

/** @param since epoch milliseconds at which the trouble began */
export async function park(host: HostState, reason: string, since: number): Promise<void> {
  host.noteTrouble(reason, since);
  const { probeMs, restMs, ...counts } = await parkHost({ ...host.me, reason });
  const wait = Math.max(probeWaitMs(probeMs, host.carried.probes, Math.random()), restMs);
  Object.assign(host.carried, { ...counts, probeMs, probeAt: Date.now() + wait, parked: true });
}

export async function unpark(host: HostState): Promise<void> {
  host.unparked(await unparkHost(host.me));
}

/** Waits until the next probe is due and sends it. Returns early if something has changed. */
export async function probe(host: HostState): Promise<void> {
  const planned = host.nextProbe;
  const waitMs = planned - Date.now();
  const due = () => host.called || host.nextProbe !== planned || (host.isLong && allHandlersFinished());
  if (waitMs > 0 && (await condition(due, waitMs, { summary: 'until the next probe' }))) return;
  const result = await visitingFromRegion(host, ({ probeHost }, me) => probeHost(me));
  if (result === null) return;
  if (result.outcome === 'moved') host.unsure = true;
  else if (result.outcome === 'answers' && host.carried.parked && !host.wantsRetry) {
    host.carried.probes++;
    await unpark(host);
  } else planNext(host, result, planned);
}

function planNext(host: HostState, { outcome, message, waitMs }: ProbeResult, planned: number): void {
  const { carried } = host;
  const now = Date.now();
  const wasAsked = host.askAt !== null;
  if (wasAsked) host.askAt = outcome === 'not-yet' ? now + Math.max(askAgainMs, waitMs) : null;
  if (outcome !== 'not-yet') carried.lastProbe = message;
  if (wasAsked && planned !== carried.probeAt) {
    carried.probeAt = Math.max(carried.probeAt ?? 0, now + waitMs);
    return;
  }
  if (outcome !== 'not-yet') carried.probes++;
  const next = outcome === 'not-yet' ? putOffMs : probeWaitMs(carried.probeMs, carried.probes, Math.random());
  carried.probeAt = now + Math.max(next, waitMs);
}
