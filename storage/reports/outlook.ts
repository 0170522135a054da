/** What a crawl waits for, and how long it may still take. */
import type { CrawlHost } from '../../contracts/http/crawl-hosts.ts';
import type { CrawlOutlookView } from '../../contracts/http/outlook.ts';
import type { Queryable } from '../postgres/index.ts';
import { crawlOutlook, findCrawl, listParkedHosts } from '../crawls/index.ts';
import { registrableDomain } from '../seeds/index.ts';
import { endOf } from './crawl-time.ts';
import { hostsOfCrawl, waitingHosts } from './outlook.sql.ts';

/**
 * Null: there is no such crawl.
 * @param limit hosts of each kind that are named, at most
 * @param withParked whether to list the parked hosts, which a crawl that is watched every two seconds need not know
 */
export async function outlookOf(
  db: Queryable,
  crawlId: string,
  limit: number,
  withParked: boolean,
): Promise<CrawlOutlookView | null> {
  const [crawl] = await crawlOutlook(db, Number(crawlId));
  if (crawl === undefined) return null;
  const [row] = await waitingHosts(db, crawlId, limit);
  if (row === undefined) throw new Error('Postgres returned no row for the outlook');
  const { waiting, ready, items } = row;
  const { outages, eta } = await endOf(db, crawlId, crawl, Date.now());
  const runs = crawl.state === 'running';
  return {
    crawlId,
    state: crawl.state,
    waiting: {
      hosts: waiting,
      items: items.map(({ until, ...host }) => ({
        ...host,
        until: until === null ? null : new Date(until).toISOString(),
      })),
    },
    ...(withParked && {
      parked: [...(await listParkedHosts(db, crawlId, limit))],
    }),
    onlyWaiting: runs && !ready && waiting > 0 && crawl.pending === 0 && !crawl.unseeded && !crawl.edited,
    outages: [...outages],
    eta,
  };
}

/** Null: there is no such crawl. @param after `next` of the piece before; null: from the first */
export async function crawlHostsAfter(
  db: Queryable,
  crawlId: string,
  after: string | null,
  limit: number,
): Promise<{ readonly items: readonly CrawlHost[]; readonly next: string | null } | null> {
  if ((await findCrawl(db, crawlId)) === null) return null;
  const rows = await hostsOfCrawl(db, crawlId, after ?? '0', limit);
  const items = rows.map(({ id: _, origin, ...row }) => {
    const name = new URL(origin).hostname;
    return { origin, domain: registrableDomain(name) ?? name, ...row };
  });
  return { items, next: rows.length < limit ? null : String(rows.at(-1)?.id) };
}
