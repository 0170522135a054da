/** A URL that a crawl has visited is asked for once more. */
import { isOver, whyNoMore } from '../../domain/crawl-life.ts';
import type { SpentQuota } from '../../domain/quotas.ts';
import { reopenClosedCrawls } from '../crawls/index.ts';
import { askParkedHosts } from '../hosts/index.ts';
import { inTransaction, type Pool } from '../postgres/index.ts';
import { lockForSeeds, spentFor } from '../seeds/index.ts';
import { queueAgain } from './visits.sql.ts';

type AskedAgain =
  /** `hostId` null: another caller was faster. */
  | { readonly kind: 'queued'; readonly hostId: number | null; readonly reopened: boolean }
  | { readonly kind: 'spent'; readonly spent: SpentQuota }
  /** The crawl does not go on. */
  | { readonly kind: 'over' };

/**
 * Queues the URL again unless its outcome is young enough by now. A crawl that had run out of work runs again. Lock
 * order: the tenant, the crawl, the queue of the host.
 */
export function askAgain(
  pool: Pool,
  tenantId: number,
  place: Parameters<typeof queueAgain>[1] & { readonly origin: string },
): Promise<AskedAgain> {
  return inTransaction(pool, async (db) => {
    const barred = await spentFor(db, tenantId);
    const [crawl] = await lockForSeeds(db, place.crawlId);
    if (crawl === undefined || whyNoMore(crawl) !== null) return { kind: 'over' };
    const reopens = isOver(crawl.state);
    const spent = reopens ? barred.toReopen : barred.toGrow;
    if (spent !== null) return { kind: 'spent', spent };
    const [queued] = await queueAgain(db, place);
    if (queued === undefined) return { kind: 'queued', hostId: null, reopened: false };
    const crawlId = Number(place.crawlId);
    if (reopens) await reopenClosedCrawls(db, [crawlId]);
    await askParkedHosts(db, crawlId, [place.origin]);
    return { kind: 'queued', hostId: queued.host_id, reopened: reopens };
  });
}
