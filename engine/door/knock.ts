/**
 * Does a host answer? One polite request of its robots.txt, which its first slice would send as well: under the host's
 * lease, at its pace, within its opening times and quota. What it reads is kept as any robots.txt is.
 */
import { hostWide } from '../visit/read-robots.ts';
import type { FetchRoom } from '../visit/fetch-room.ts';
import { asWhom, type RobotsReading } from '../visit/fetch-robots.ts';
import type { HostTrouble } from '../visit/host-rules.ts';
import type { HostLease } from '../visit/lease-keeper.ts';
import { HostVisit, onErrand, unasked } from '../visit/host-visit.ts';
import type { WaitingCrawl } from '../../storage/statements/waiting-crawls.ts';
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
  const { pool } = room.dependencies;
  const { taken, allowance } = lease;
  const visit = new HostVisit(room.dependencies, lease, origin, signal);
  const crawls = (): Promise<WaitingCrawl[]> => Promise.resolve(crawlIds.map(unasked));
  return onErrand(room.keeper, visit, crawls, async (leaves): Promise<Answer> => {
    const { fresh, older } = visit.known;
    if (fresh !== null) return { kind: 'known' };
    if ((await visit.mayBegin((waitMs) => waitMs <= patienceMs)) !== null) return { kind: 'unasked' };
    if ((await allowance.grant(pool, lease.hostId, taken.token, 1)) === 0) return { kind: 'unasked' };
    const running = await Promise.all(crawlIds.map((id) => room.crawls.isRunning(id)));
    const [first] = visit.crawls;
    if (first === undefined || !running.includes(true)) return { kind: 'unasked' };
    const as = { ...asWhom(visit.crawls, first), ...(taken.failures === 0 && { patienceMs: firstMs }) };
    const reading = await room.robotsFetcher.fetch(visit, as, signal);
    if (reading.kind === 'interrupted') return { kind: 'unasked' };
    if (reading.kind === 'busy') {
      leaves({ waitMs: reading.waitMs });
      return { kind: 'unasked' };
    }
    const trouble = troubleOf(reading, older !== null, taken.failures);
    if (trouble === null) return { kind: 'known' };
    const lastError = `${trouble.class}: ${trouble.message}`;
    leaves({ waitMs: trouble.waitMs, failures: taken.failures + 1, lastError });
    return { kind: 'trouble', trouble };
  });
}

/** Null: it answers. @param older there is an older copy of its robots.txt, under which a slow host may be asked */
function troubleOf(reading: RobotsReading, older: boolean, failures: number): HostTrouble | null {
  if (reading.kind !== 'unreachable' || reading.fault === null) return null;
  const { fault, message } = reading;
  const known = hostWide[fault] ?? (fault === 'timeout' && !older ? 'robots-unreachable' : null);
  return known === null ? null : { class: known, message, waitMs: backoffMs(known, failures) };
}
