/**
 * Finds out whether a parked host answers again, by one polite request for robots.txt: under the host's lease, at its
 * pace, within its opening times and quota, not before it may be visited, and not if no crawl would go on. The
 * robots.txt is kept like any other. The recorded trouble stays until pages are fetched again.
 */
import type { HostRef, ProbeResult } from '../../contracts/activities.ts';
import { hostCausedClasses } from '../../domain/dead-letter.ts';
import { crawlsOfParked } from '../../storage/hosts/index.ts';
import type { FetchContext } from './fetch-context.ts';
import { asWhom, type RobotsReading } from './fetch-robots.ts';
import type { HostLease } from './host-lease.ts';
import { HostVisit, onErrand, unasked } from './host-visit.ts';
import type { WaitingCrawl } from '../../storage/feeding/index.ts';

/** The probe waits no longer than this; a longer wait is left to the workflow. */
const patienceMs = 10_000;

/** Null: the lease was lost, or the worker is leaving: probe again. Returns the lease in every case. */
export async function probe(
  context: FetchContext,
  lease: HostLease,
  host: HostRef,
  signal: AbortSignal,
): Promise<ProbeResult | null> {
  const { pool } = context.dependencies;
  const visit = new HostVisit(context.dependencies, lease, host.origin, signal);
  const crawls = async (): Promise<WaitingCrawl[]> =>
    (await crawlsOfParked(pool, host.hostId, hostCausedClasses)).map(({ id, reached }) => ({
      ...unasked(id),
      reached,
    }));
  return onErrand(visit, crawls, async (leaves) => {
    const stopped = await visit.mayBegin((waitMs) => waitMs <= patienceMs);
    if (stopped?.kind === 'never')
      return { outcome: 'pointless', message: stopped.refusal.detail, waitMs: 0 };
    if (stopped?.kind === 'held')
      return { outcome: 'moved', message: 'an operator has paused the host', waitMs: 0 };
    const [first] = visit.crawls;
    if (first === undefined)
      return { outcome: 'pointless', message: 'no open crawl has work at the host', waitMs: 0 };
    const { allowance, taken } = lease;
    if (stopped !== null || (await allowance.grant(pool, host.hostId, taken.token, 1)) === 0) {
      const waitMs = Math.ceil(Math.max(visit.waitMs, allowance.closedMs));
      return { outcome: 'not-yet', message: 'no request may be sent to the host yet', waitMs };
    }
    const reading = await context.robotsFetcher.fetch(visit, asWhom(visit.crawls, first), signal);
    const askedMs = reading.kind === 'unreachable' ? (reading.retryAfterMs ?? 0) : 0;
    leaves({ waitMs: askedMs });
    const result = resultOf(reading);
    return result && { ...result, waitMs: Math.ceil(Math.max(result.waitMs, askedMs, visit.waitMs)) };
  });
}

function resultOf(reading: RobotsReading): ProbeResult | null {
  switch (reading.kind) {
    case 'interrupted':
      return null;
    case 'busy':
      return {
        outcome: 'not-yet',
        message: 'its robots.txt lies at another host, which is busy',
        waitMs: reading.waitMs,
      };
    case 'rules':
      return { outcome: 'answers', message: 'robots.txt can be read', waitMs: 0 };
    case 'refused':
    case 'unreachable':
      return { outcome: 'fails', message: reading.message, waitMs: 0 };
  }
}
