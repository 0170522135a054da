/**
 * Finds out whether a host answers, by one polite request for its robots.txt, which its first slice would need anyway:
 * under the host's lease, at its pace, within its opening times and quota. The robots.txt is kept like any other. Where
 * many hosts are met, a small one is then visited at once, under the same lease: most are done with that.
 */
import { hostWide } from '../visit/read-robots.ts';
import type { FetchContext } from '../visit/fetch-context.ts';
import { asWhom, type RobotsReading } from '../visit/fetch-robots.ts';
import type { Robots } from '../../domain/robots.ts';
import type { HostTrouble } from '../visit/host-rules.ts';
import { type HostVisit, onErrand, unasked } from '../visit/host-visit.ts';
import { waitingCrawls, type WaitingCrawl } from '../../storage/feeding/index.ts';
import { firstVisitMs, firstVisitSize } from '../../domain/slice.ts';
import { backoffMs } from '../../domain/trouble.ts';
import { returnUrls } from '../../storage/frontier/index.ts';
import { retrying } from '../../storage/postgres/index.ts';
import { keptBack } from '../visit/gates.ts';
import { leaseWithinLimits } from '../visit/lease-within-limits.ts';
import { excludedRow, placeOf } from '../visit/record.ts';

/** Time limit of the first request: most hosts silent this long stay silent. Later ones get the usual limit. */
const firstMs = 8_000;
/** The door waits no longer than this for a host's pace. */
const patienceMs = 2_000;

export type Answer =
  /** The host answers, perhaps only that nothing may be fetched. The rest is up to its workflow. */
  | { readonly kind: 'known' }
  /** The host answers, and may be visited at once, if no more than so many URLs are queued there. */
  | { readonly kind: 'visit'; readonly mostQueued: number }
  | { readonly kind: 'trouble'; readonly trouble: HostTrouble }
  /** The host was not asked, or the request did not end. */
  | { readonly kind: 'unasked' };

/**
 * Asks the host, and returns the lease, unless the host may be visited at once.
 * @param met number of hosts that the process has met at the door lately
 */
export async function askHost(
  context: FetchContext,
  visit: HostVisit,
  crawlIds: readonly number[],
  met: number,
  signal: AbortSignal,
): Promise<Answer> {
  const { pool } = context.dependencies;
  const { lease, pacer } = visit;
  const { taken, allowance } = lease;
  const visitIfSmall = async (robots: Robots, leaves: (lesson: null) => void): Promise<Answer> => {
    if (firstVisitSize(met, 0) === 0 || taken.failures > 0) return { kind: 'known' };
    // Its address may have told meanwhile that workers of another region fetch from it.
    const { regions } = context.dependencies;
    if (regions !== undefined && !(await regions.isOurs(visit.origin))) return { kind: 'known' };
    // Pages are asked for in the turns of crawls, which may have asked this host before.
    await visit.gather(await waitingCrawls(pool, lease.hostId));
    visit.goBy({ robots, refused: null, from: visit.known.from });
    if (pacer.sent > 0 && pacer.last !== null) visit.turns.askedForRobots(pacer.last);
    const size = firstVisitSize(met, Math.max(pacer.delayMs, visit.turns.leastDelayMs(pacer.tookMs)));
    const isOpen = async () => (await visit.mayBegin((waitMs) => waitMs <= firstVisitMs)) === null;
    if (size === 0 || !(await isOpen())) return { kind: 'known' };
    leaves(null);
    return { kind: 'visit', mostQueued: size };
  };
  const crawls = async (): Promise<WaitingCrawl[]> => {
    const waiting = await waitingCrawls(pool, lease.hostId);
    // The request is in nobody's turn, but its time is that of all who wait for it.
    return crawlIds.map((id) => {
      const { waited, reached } = waiting.find((each) => each.crawl_id === id) ?? unasked(id);
      return { ...unasked(id), waited, reached };
    });
  };
  return onErrand(visit, crawls, async (leaves): Promise<Answer> => {
    const running = await Promise.all(
      crawlIds.map(async (id) => context.dependencies.books.crawls.isRunning(id)),
    );
    if (running.every(Boolean) && (await isAllKeptBack(context, visit))) return { kind: 'unasked' };
    const { fresh, older } = visit.known;
    if (fresh !== null) return visitIfSmall(fresh, leaves);
    if ((await visit.mayBegin((waitMs) => waitMs <= patienceMs)) !== null) return { kind: 'unasked' };
    if ((await allowance.grant(pool, lease.hostId, taken.token, 1)) === 0) return { kind: 'unasked' };
    const [first] = visit.crawls;
    if (first === undefined || !running.includes(true)) return { kind: 'unasked' };
    const as = { ...asWhom(visit.crawls, first), ...(taken.failures === 0 && { patienceMs: firstMs }) };
    const reading = await context.robotsFetcher.fetch(visit, as, signal);
    if (reading.kind === 'interrupted') return { kind: 'unasked' };
    if (reading.kind === 'busy') {
      leaves({ waitMs: reading.waitMs });
      return { kind: 'unasked' };
    }
    if (reading.kind === 'rules') return visitIfSmall(reading.robots, leaves);
    const trouble = troubleOf(reading, older !== null, taken.failures);
    if (trouble === null) return { kind: 'known' };
    const lastError = `${trouble.class}: ${trouble.message}`;
    leaves({ waitMs: trouble.waitMs, failures: taken.failures + 1, lastError });
    return { kind: 'trouble', trouble };
  });
}

/** Null: the host answers. @param older an older copy of robots.txt exists, under which a slow host may be visited */
function troubleOf(reading: RobotsReading, older: boolean, failures: number): HostTrouble | null {
  if (reading.kind !== 'unreachable' || reading.fault === null) return null;
  const { fault, message } = reading;
  const known = hostWide[fault] ?? (fault === 'timeout' && !older ? 'robots-unreachable' : null);
  return known === null ? null : { class: known, message, waitMs: backoffMs(known, failures) };
}

/** URLs that are looked at together, and milliseconds for which the door goes on with that. */
const batch = 200;
const keptBackMs = 60_000;

/**
 * A host whose only URLs a quarantine keeps back is not asked for anything. Excludes what is kept back of the URLs that are
 * due at the host. True: some were, and nothing else is due there, as far as the door has come.
 */
async function isAllKeptBack(context: FetchContext, visit: HostVisit): Promise<boolean> {
  const { lease, origin, crawls } = visit;
  if (!crawls.some(({ quarantine }) => quarantine?.knows(origin) === true)) return false;
  const { pool, writer } = context.dependencies;
  const { hostId, taken } = lease;
  const until = performance.now() + keptBackMs;
  for (let excluded = 0; ;) {
    if (performance.now() > until) return true;
    const urls = await leaseWithinLimits(pool, hostId, taken.token, batch, crawls);
    if (urls.length === 0) return excluded > 0;
    const results = urls.flatMap((url) => {
      const crawl = crawls.find(({ id }) => id === url.crawl_id);
      const refusal = crawl === undefined ? null : keptBack(origin, { url, crawl });
      return refusal === null ? [] : [excludedRow(placeOf(lease, url), refusal)];
    });
    if (results.length > 0) await writer.write({ results });
    excluded += results.length;
    if (results.length === urls.length) continue;
    await retrying(() => returnUrls(pool, hostId, taken.token));
    return false;
  }
}
