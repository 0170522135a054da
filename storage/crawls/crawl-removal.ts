/**
 * Deletes crawls with all their data. Any worker may remove the next batch, in one transaction. If that process is
 * killed, the next worker finds the crawl still marked, because the row of the crawl is removed last. Nobody is shown a
 * marked crawl, and nobody can reopen it, since it counts as cancelled.
 *
 * All crawls share the bodies. The transaction that removes URLs also notes their bodies. Much later, after longer than
 * any request takes, a worker looks at these bodies again, and forgets each body that nothing refers to. The segments in
 * which they lay are looked at next (storage/archive/upkeep.ts).
 */
import { lookSoon } from '../archive/index.ts';
import { inTransaction, type Pool, type Queryable } from '../postgres/index.ts';
import {
  forgetUnwanted,
  freedBodies,
  nextRemoved,
  removeHostShare,
  removeRest,
  removeUrls,
} from './removal.sql.ts';

/** Rows of each table that one transaction removes, at most. */
const batchRows = 2_000;
const batchBodies = 500;
/** Seconds after which no request is still under way that found a body by a URL removed since. */
const freedSeconds = 600;

/** Removes a batch. Answers whether there was one. */
export function removeBatch(pool: Pool, limit = batchRows): Promise<boolean> {
  return inTransaction(pool, async (db) => {
    const [crawl] = await nextRemoved(db);
    if (crawl === undefined) return false;
    const { id, host_id: hostId } = crawl;
    if (hostId === null) await removeRestOf(db, id, limit);
    else {
      const [removed] = await removeUrls(db, id, hostId, limit);
      if ((removed?.urls ?? 0) < limit) await removeHostShare(db, id, hostId);
    }
    return true;
  });
}

/** Table by table, the crawl itself last. */
async function removeRestOf(db: Queryable, crawlId: number, limit: number): Promise<void> {
  for (const remove of removeRest) {
    const [removed] = await remove(db, crawlId, limit);
    if ((removed?.rows ?? 0) >= limit) return;
  }
}

/**
 * Frees a batch of bodies that nothing refers to. Answers whether there was one. A commit that refers to one of them
 * came first, and is seen, or comes later and is refused: the page is fetched again.
 */
export async function freeBodies(pool: Pool, afterSeconds = freedSeconds): Promise<boolean> {
  const segments = await inTransaction(pool, async (db) => {
    const due = await freedBodies(db, afterSeconds, batchBodies);
    if (due.length === 0) return null;
    const hashes = due.map(({ hash }) => hash);
    return (await forgetUnwanted(db, hashes)).map(({ segment }) => segment);
  });
  if (segments === null) return false;
  await lookSoon(pool, segments);
  return true;
}
