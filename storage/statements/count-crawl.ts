import type { CutKind } from '../../domain/limits.ts';
import { statement } from '../statement.ts';

export interface CrawlCounts {
  readonly accepted_seeds: number;
  readonly rejected_seeds: number;
  /** Of the accepted: not admitted yet. */
  readonly waiting_seeds: number;
  readonly hosts: number;
  readonly waiting_hosts: number;
  readonly working_hosts: number;
  readonly parked_hosts: number;
  /** URLs answered within the last `seconds`. */
  readonly recent_fetches: number;
  /** Reasons with the URLs they exclude, most first; null: there are none. */
  readonly excluded: readonly { readonly reason: string; readonly count: number }[] | null;
  /** Kinds of domain/limits.ts, at how many URLs, and how much; null: there are none. */
  readonly cut:
    readonly { readonly kind: CutKind; readonly places: number; readonly amount: number }[] | null;
  /** Classes with their counts, most first; null: there are none. */
  readonly dead_letters: readonly { readonly class: string; readonly count: number }[] | null;
}

/** What the ledger of a crawl does not count, all at one moment. In one statement: a round trip costs more than a count. */
export const countCrawl = statement<[crawlId: string, seconds: number], CrawlCounts>(
  'count-crawl',
  `select *
     from (select seeds_accepted as accepted_seeds, seeds_rejected as rejected_seeds,
                  seeds_accepted - seeds_taken as waiting_seeds
             from crawl where id = $1) seeds,
          (select count(*) as hosts, count(*) filter (where q.queued > 0) as waiting_hosts,
                  count(*) filter (where q.leased > 0) as working_hosts,
                  count(*) filter (where q.queued > 0 and h.parked_at is not null) as parked_hosts
             from host_queue q join host h on h.id = q.host_id
            where q.crawl_id = $1) hosts,
          (select count(*) as recent_fetches from url
            where crawl_id = $1 and fetched_at > now() - $2 * interval '1 second') recent,
          (select json_agg(json_build_object('reason', name, 'count', urls) order by urls desc, name) as excluded
             from (select name, sum(urls) as urls from left_out where crawl_id = $1 and what = 'excluded'
                    group by name having sum(urls) > 0) reasons) excluded,
          (select json_agg(json_build_object('kind', name, 'places', places, 'amount', amount) order by name) as cut
             from (select name, sum(urls) as places, sum(amount) as amount
                     from (select name, urls, amount from left_out where crawl_id = $1 and what = 'cut'
                           union all
                           select each.key, 1, each.value::bigint
                             from robots r join host_queue q on q.host_id = r.host_id and q.crawl_id = $1
                            cross join jsonb_each_text(r.cut) each where r.cut is not null) places
                    group by name having sum(urls) > 0) kinds) cut,
          (select json_agg(json_build_object('class', class, 'count', letters) order by letters desc, class) as dead_letters
             from (select class, count(*) as letters from dead_letter where crawl_id = $1 group by class) classes) dead`,
);
