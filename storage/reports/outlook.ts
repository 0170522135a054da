/** What a crawl waits for, and how long it may still take. */
import type { CrawlOutlookView } from '../../contracts/http/outlook.ts';
import type { Queryable } from '../postgres/index.ts';
import { crawlOutlook, listParkedHosts } from '../crawls/index.ts';
import { endOf } from './crawl-time.ts';
import { waitingHosts } from './outlook.sql.ts';

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
