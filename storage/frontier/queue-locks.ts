/**
 * The one order of locks in the frontier: host_queue rows by host and crawl, then url rows. The url triggers change
 * host_queue rows of the URLs that a statement touches, and run after the statement. A statement that changed its URLs
 * first would wait for a writer that holds the queue and itself waits for those very URLs. Postgres notices such a
 * deadlock only after a second, and meanwhile every other writer waits behind the two (measured: one such second in a
 * crawl of 10,000 pages).
 */

import type { UrlState } from '../../contracts/crawl.ts';

/** A common table expression `held` that locks the queues named by `places`, a relation with host_id and crawl_id. */
export const holdQueues = (places: string): string => `held as materialized (
     select from host_queue q
      where (q.host_id, q.crawl_id) in (select host_id, crawl_id from ${places})
      order by q.host_id, q.crawl_id for update
   )`;

/** Condition that makes a part of the statement begin only when `held` has all its locks. */
export const onceHeld = '(select count(*) from held) >= 0';

/**
 * A column `was` for rows that name URLs by their keys. Compared with it, a URL's state tells Postgres nothing before it
 * has the URL. Compared with a constant, it made Postgres read all leased or queued URLs by their index, of all hosts,
 * to find a few by their keys.
 */
export const stateOfNamed = (state: UrlState): string => `'${state}'::url_state as was`;
