/** Parks hosts and brings them back, and tells the crawls that have work there in the same transaction. */
import { inTransaction, type Pool } from '../postgres/index.ts';
import { lockCrawlsAtHost, makeDue, parkHost, unparkHost } from './parking.sql.ts';
import { tellOfHost } from './operators.sql.ts';
import type { TroubleClass } from '../../domain/trouble.ts';

/** Most crawls that are told; users of the others see the change in the list of hosts. */
const mostTold = 100;

/** As `parkHost`. If the host is parked already, no crawl is told. */
export async function park(
  pool: Pool,
  hostId: string,
  reason: string,
  classes: readonly TroubleClass[],
): Promise<void> {
  await inTransaction(pool, async (db) => {
    const crawls = await lockCrawlsAtHost(db, hostId, mostTold);
    const [parked] = await parkHost(db, hostId, reason, classes);
    if (parked?.newly === true)
      await tellOfHost(db, crawls.map(({ id }) => id), 'host.parked', [hostId], reason, false); // prettier-ignore
  });
}

/** As `unparkHost`; the host's waiting URLs become due at once. If the host was not parked, no crawl is told. */
export async function bringBack(pool: Pool, hostId: string): Promise<void> {
  await inTransaction(pool, async (db) => {
    const crawls = await lockCrawlsAtHost(db, hostId, mostTold);
    const [host] = await unparkHost(db, hostId);
    await makeDue(db, hostId);
    if (host?.was_parked === true)
      await tellOfHost(db, crawls.map(({ id }) => id), 'host.back', [hostId], null, false); // prettier-ignore
  });
}
