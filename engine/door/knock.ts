/**
 * Does a host answer? One polite request of its robots.txt, which its first slice would send as well: under the host's
 * lease, at its pace, within its opening times and quota. What it reads is kept as any robots.txt is.
 */
import { hostWide } from '../visit/read-robots.ts';
import type { FetchRoom } from '../visit/fetch-room.ts';
import type { RobotsReading } from '../visit/fetch-robots.ts';
import { hostPace } from '../../domain/host-delay.ts';
import type { HostTrouble } from '../visit/host-rules.ts';
import type { HostLease } from '../visit/lease-keeper.ts';
import { HostPacer } from '../visit/pacer.ts';
import { backoffMs } from '../../domain/trouble.ts';

/** The first time it is not waited for longer: most that are silent so long stay so. Each further time as for any request. */
const firstMs = 8_000;
/** A wait that is longer is not the door's. */
const patienceMs = 2_000;

export type Answer =
  /** Something is there that answers, be it that nothing may be fetched: the rest is its workflow's. */
  | { readonly kind: 'known' }
  | { readonly kind: 'trouble'; readonly trouble: HostTrouble }
  /** It was not asked, or not to the end. */
  | { readonly kind: 'unasked' };

/** Returns the lease, whatever comes. */
export async function knock(
  room: FetchRoom,
  lease: HostLease,
  origin: string,
  crawlIds: readonly number[],
  signal: AbortSignal,
): Promise<Answer> {
  const { pool, fetcher } = room.dependencies;
  const { taken, allowance } = lease;
  const crawls = await Promise.all(crawlIds.map((id) => room.crawls.open(id)));
  const { fresh, older } = await room.robots.find(lease.hostId);
  const pace = hostPace(taken, crawls, fresh ?? older);
  const pacer = new HostPacer(lease, fetcher, room.optOuts, pace, taken.held_ms, signal);
  let heldMs = 0;
  let trouble: HostTrouble | null = null;
  try {
    if (fresh !== null) return { kind: 'known' };
    if ((await room.optOuts.covering(origin)) !== null) return { kind: 'unasked' };
    if (Math.max(pacer.waitMs, allowance.closedMs) > patienceMs) return { kind: 'unasked' };
    if ((await allowance.grant(pool, lease.hostId, taken.token, 1)) === 0) return { kind: 'unasked' };
    const running = await Promise.all(crawlIds.map((id) => room.crawls.isRunning(id)));
    const [first] = crawls;
    if (first === undefined || !running.includes(true)) return { kind: 'unasked' };
    const as = {
      userAgent: first.userAgent,
      // It is the host's, not one crawl's: whoever may reach the address may read it.
      allowPrivate: crawls.flatMap(({ allowPrivate }) => allowPrivate),
      ...(taken.failures === 0 && { patienceMs: firstMs }),
    };
    const reading = await room.robotsFetcher.fetch(pacer, origin, as, signal);
    if (reading.kind === 'interrupted') return { kind: 'unasked' };
    if (reading.kind === 'busy') {
      heldMs = reading.waitMs;
      return { kind: 'unasked' };
    }
    trouble = troubleOf(reading, older !== null, taken.failures);
    return trouble === null ? { kind: 'known' } : { kind: 'trouble', trouble };
  } finally {
    await room.keeper.release(lease, {
      waitMs: Math.max(heldMs, trouble?.waitMs ?? 0, pacer.waitMs),
      paceMs: pacer.paceMs,
      failures: taken.failures + (trouble === null ? 0 : 1),
      lastError: trouble === null ? taken.last_error : `${trouble.class}: ${trouble.message}`,
    });
  }
}

/** Null: it answers. @param older there is an older copy of its robots.txt, under which a slow host may be asked */
function troubleOf(reading: RobotsReading, older: boolean, failures: number): HostTrouble | null {
  if (reading.kind !== 'unreachable' || reading.fault === null) return null;
  const { fault, message } = reading;
  const known = hostWide[fault] ?? (fault === 'timeout' && !older ? 'robots-unreachable' : null);
  return known === null ? null : { class: known, message, waitMs: backoffMs(known, failures) };
}
