/**
 * Does a parked host answer again? One polite request, of robots.txt: under the host's lease, at its pace, within its
 * opening times and quota, not before it may be visited, and none where nothing would come of it. What it reads is kept
 * as any robots.txt is; what was recorded as the trouble stays, until pages are fetched again.
 */
import type { HostRef, ProbeResult } from '../../contracts/activities.ts';
import { hostCausedClasses } from '../../domain/dead-letter.ts';
import { optOutDetail } from '../../domain/opt-out.ts';
import { crawlsOfParked } from '../../storage/statements/crawls-of-parked.ts';
import type { FetchRoom } from './fetch-room.ts';
import { hostPace } from '../../domain/host-delay.ts';
import type { RobotsReading } from './fetch-robots.ts';
import type { HostLease } from './lease-keeper.ts';
import { HostPacer } from './pacer.ts';

/** A wait that is longer is the workflow's. */
const patienceMs = 10_000;

/** Null: the lease was lost, or the worker leaves; ask again. Returns the lease. */
export async function probe(
  room: FetchRoom,
  lease: HostLease,
  host: HostRef,
  signal: AbortSignal,
): Promise<ProbeResult | null> {
  const { pool, fetcher } = room.dependencies;
  const { taken, allowance } = lease;
  const rows = await crawlsOfParked(pool, host.hostId, hostCausedClasses);
  const crawls = await Promise.all(rows.map(({ id }) => room.crawls.open(id)));
  const { fresh, older } = await room.robots.find(host.hostId);
  const pace = hostPace(taken, crawls, fresh ?? older);
  const pacer = new HostPacer(lease, fetcher, room.optOuts, pace, taken.held_ms, signal);
  let askedMs = 0;
  try {
    const optedOut = await room.optOuts.covering(host.origin);
    if (optedOut !== null) return { outcome: 'pointless', message: optOutDetail(optedOut), waitMs: 0 };
    const [first] = crawls;
    if (first === undefined)
      return { outcome: 'pointless', message: 'no crawl would go on with it', waitMs: 0 };
    const waitMs = Math.max(pacer.waitMs, allowance.closedMs);
    if (waitMs > patienceMs || (await allowance.grant(pool, host.hostId, taken.token, 1)) === 0) {
      return { outcome: 'not-yet', message: 'it may not be asked yet', waitMs: Math.ceil(waitMs) };
    }
    const as = {
      userAgent: first.userAgent,
      allowPrivate: crawls.flatMap(({ allowPrivate }) => allowPrivate),
    };
    const reading = await room.robotsFetcher.fetch(pacer, host.origin, as, signal);
    if (reading.kind === 'unreachable') askedMs = reading.retryAfterMs ?? 0;
    const result = resultOf(reading);
    return result && { ...result, waitMs: Math.ceil(Math.max(result.waitMs, askedMs, pacer.waitMs)) };
  } finally {
    await room.keeper.release(lease, {
      waitMs: Math.max(askedMs, pacer.waitMs),
      paceMs: pacer.paceMs,
      failures: taken.failures,
      lastError: taken.last_error,
    });
  }
}

function resultOf(reading: RobotsReading): ProbeResult | null {
  switch (reading.kind) {
    case 'interrupted':
      return null;
    case 'busy':
      return {
        outcome: 'not-yet',
        message: 'its robots.txt lies at a host that is busy',
        waitMs: reading.waitMs,
      };
    case 'rules':
      return { outcome: 'answers', message: 'robots.txt can be read', waitMs: 0 };
    case 'refused':
    case 'unreachable':
      return { outcome: 'fails', message: reading.message, waitMs: 0 };
  }
}
