/**
 * Opt-outs as operators see them (F15): domains are added, removed and listed. domain/opt-out.ts makes an opt-out hold.
 * URLs that are queued at the hosts of a domain are excluded here; URLs that are queued there later are excluded by the
 * slices of those hosts.
 */
import type { OptOutAdded, OptOutRemoved, OptOutView } from '../../contracts/opt-out.ts';
import { coveringDomain, hostName, optOutDetail, optOutHoldMs } from '../../domain/opt-out.ts';
import { one, type Pool, type Queryable, retrying } from '../postgres/index.ts';
import {
  addOptOut,
  countOptedOut,
  excludeHostsOptedOut,
  hostsOfDomain,
  type HostOfDomain,
  listOptOuts,
  loadOptOuts,
  removeOptOut,
  requeueOptedOut,
} from './opt-outs.sql.ts';

/** URLs that one statement moves. */
const batch = 5_000;
/** Milliseconds that the caller waits for URLs to be moved, at most. */
const sweepMs = 15_000;

/**
 * Opts a domain out. Once this resolves, no worker sends a further request to the domain's hosts for any crawl, not
 * even for robots.txt; a request that was in flight by then may still be answered. Takes `optOutHoldMs` and, if many
 * URLs are queued, up to fifteen seconds more; the slices of the hosts exclude the URLs that are left. Idempotent, also
 * after a failure: an existing entry stays as it is, and queued URLs are looked for again.
 * @param domain as `readDomain` answers it
 */
export async function optOut(pool: Pool, domain: string, reason: string | null): Promise<OptOutAdded> {
  const before = await countExcluded(pool, domain);
  const entry = await one(retrying(() => addOptOut(pool, domain, reason)));
  // Until then, workers whose copy of the list is older still queue and send.
  await held();
  await sweep(await hostsOfDomain(pool, domain), (host) =>
    excludeHostsOptedOut(pool, JSON.stringify([{ id: host.id, detail: optOutDetail(domain) }]), batch),
  );
  // Since the entry was there, slices and admissions have excluded some URLs as well.
  const excluded = Math.max(0, (await countExcluded(pool, domain)) - before);
  return { ...entry, excluded };
}

const countExcluded = async (pool: Pool, domain: string): Promise<number> => {
  const ids = (await hostsOfDomain(pool, domain)).map(({ id }) => id);
  const [counted] = ids.length === 0 ? [] : await countOptedOut(pool, ids, optOutDetail(domain));
  return counted?.urls ?? 0;
};

/**
 * Takes a domain off the list, and queues again, in crawls that are still open, the URLs that its entry excluded. URLs
 * that another entry covers stay excluded, and a crawl that has ended stays ended. Null: the domain was not on the
 * list, and no earlier removal has left URLs to queue.
 */
export async function takeBackOptOut(pool: Pool, domain: string): Promise<OptOutRemoved | null> {
  const removed = (await retrying(() => removeOptOut(pool, domain))).length > 0;
  // A worker whose copy of the list still has the entry would exclude again what is queued before it reads the list
  // anew.
  if (removed) await held();
  const [list] = await loadOptOuts(pool, 0);
  const listed = new Set(list?.domains);
  const free = (await hostsOfDomain(pool, domain)).filter(
    ({ origin }) => coveringDomain(hostName(origin), listed) === null,
  );
  const { moved, more } = await sweep(free, (host) => requeueOptedOut(pool, host.id, batch));
  return removed || moved > 0 ? { domain, queued: moved, more } : null;
}

/** Entries in the order of their bytes, after `after`; null: from the first. */
export async function optOutsAfter(
  db: Queryable,
  after: string | null,
  limit: number,
): Promise<readonly OptOutView[]> {
  return listOptOuts(db, after, limit);
}

/** Runs a statement at each host until the statement finds nothing more, or the time is up. */
async function sweep(
  hosts: readonly HostOfDomain[],
  move: (host: HostOfDomain) => Promise<readonly object[]>,
): Promise<{ readonly moved: number; readonly more: boolean }> {
  const until = performance.now() + sweepMs;
  let moved = 0;
  for (const host of hosts) {
    for (let found = 1; found > 0; moved += found) {
      if (performance.now() > until) return { moved, more: true };
      found = (await retrying(() => move(host))).length;
    }
  }
  return { moved, more: false };
}

const held = (): Promise<void> => new Promise((wake) => setTimeout(wake, optOutHoldMs));
