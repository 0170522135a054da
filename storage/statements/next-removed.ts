import { statement } from '../statement.ts';

/**
 * A removed crawl on which no other worker works, locked, with one of its hosts that is still there. Work in flight
 * ends first; work that has not ended after an hour has no worker any more.
 */
export const nextRemoved = statement<[], { readonly id: number; readonly host_id: number | null }>(
  'next-removed',
  `select c.id, (select min(q.host_id) from host_queue q where q.crawl_id = c.id) as host_id
     from crawl c
    where c.removed_at is not null
      and (c.removed_at < now() - interval '1 hour'
           or (select coalesce(sum(l.leased + l.pending), 0) from ledger l where l.crawl_id = c.id) = 0)
    order by c.id limit 1 for update skip locked`,
);
