/** What the page of a crawl in Temporal Web shows. */
import type { CrawlGlance } from '../../contracts/activities.ts';
import { viewCrawl } from '../../storage/crawls/index.ts';
import { currentOutages } from '../../storage/instance/index.ts';
import { waitingHosts } from '../../storage/reports/index.ts';
import type { Queryable } from '../../storage/postgres/index.ts';
import type { Dependencies } from '../dependencies.ts';

/** Most hosts that are named, so that the history stays small. */
const named = 5;

type Parts = Pick<Dependencies, 'pool' | 'log'>;

/** Null: no glance now. A failure here must not stop the crawl: it is logged, and the next glance has new numbers. */
export async function glanceAt(parts: Parts, crawlId: string): Promise<CrawlGlance | null> {
  try {
    return await readGlance(parts.pool, crawlId);
  } catch (error) {
    parts.log.warn({ err: error, crawlId }, 'the numbers for the page of a crawl could not be read');
    return null;
  }
}

async function readGlance(db: Queryable, crawlId: string): Promise<CrawlGlance | null> {
  const at = new Date().toISOString();
  const view = await viewCrawl(db, crawlId);
  // Not the whole outlook: the time left needs all unfinished hosts sorted, and each crawl is glanced at all the time.
  const [waits] = await waitingHosts(db, crawlId, named);
  if (view === null || waits === undefined) return null;
  const outages = view.state === 'running' ? await currentOutages(db) : [];
  const { label, pages, ledger, hosts, rate, deadLetters } = view;
  return {
    at,
    label,
    pages,
    discovered: ledger.discovered,
    queued: ledger.queued,
    perSecond: rate.perSecond,
    outages,
    deadLetters: Object.values(deadLetters).reduce((sum, count) => sum + count, 0),
    hosts: { total: hosts.total, working: hosts.working, parked: hosts.parked },
    waiting: waits.waiting,
    waitsFor: waits.items.map(({ origin, why, queued }) => ({ origin, why, queued })),
  };
}
