import type { CrawlStands } from '../../domain/crawl-life.ts';
import { crawlTime } from '../crawl-time.ts';
import { statement } from '../statement.ts';

export interface CrawlOutlook extends CrawlStands {
  /** Milliseconds that it has run, pauses not among them, or null. */
  readonly running_ms: number | null;
  readonly queued: number;
  readonly leased: number;
  readonly pending: number;
  readonly pages: number;
  readonly done: number;
  readonly bytes: number;
  /** Pages by counter (domain/finish-criteria.ts). */
  readonly counters: Readonly<Record<string, number>>;
  /** Of the queued: at hosts that are parked, and of which it waits for no answer. */
  readonly parked: number;
  /** It waits for an answer of parked hosts (ask-parked-hosts.ts). */
  readonly asking: boolean;
  /** It has seeds that were not admitted yet. */
  readonly unseeded: boolean;
  /** Its frontier is still to be judged by settings that were changed. */
  readonly edited: boolean;
}

/**
 * One snapshot of what a crawl has left to do. Seeds are looked for in their order, here and elsewhere: without one the
 * planner, which takes a third of them to be left, would go over millions that are admitted.
 */
export const crawlOutlook = statement<[crawlId: number], CrawlOutlook>(
  'crawl-outlook',
  `select c.state, c.cause, c.reason, (extract(epoch from ${crawlTime}) * 1000)::float8 as running_ms,
          coalesce(l.queued, 0) as queued, coalesce(l.leased, 0) as leased, coalesce(l.pending, 0) as pending,
          coalesce(l.pages, 0) as pages, coalesce(l.done, 0) as done,
          coalesce(l.bytes, 0) as bytes,
          coalesce((select json_object_agg(counter, pages)
                      from (select counter, sum(pages)::bigint as pages from page_counter
                             where crawl_id = $1 group by counter) n), '{}') as counters,
          (select coalesce(sum(q.queued), 0)::bigint from host h join host_queue q on q.host_id = h.id
            where h.parked_at is not null and q.crawl_id = c.id and q.asking is null) as parked,
          exists (select from host_queue q where q.crawl_id = c.id and q.asking is not null) as asking,
          (select s.line from seed s where s.crawl_id = c.id and s.line > c.seeded_line order by s.line limit 1) is not null as unseeded,
          exists (select from crawl_config v where v.crawl_id = c.id and v.state = 'pending') as edited
     from crawl c
     left join (select crawl_id, sum(queued)::bigint as queued, sum(leased)::bigint as leased,
                       sum(pending)::bigint as pending, sum(pages)::bigint as pages, sum(done)::bigint as done,
                       sum(bytes)::bigint as bytes
                  from ledger where crawl_id = $1 group by crawl_id) l on l.crawl_id = c.id
    where c.id = $1`,
);
