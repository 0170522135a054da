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
          (select json_agg(json_build_object('class', class, 'count', letters) order by letters desc, class) as dead_letters
             from (select class, count(*) as letters from dead_letter where crawl_id = $1 group by class) classes) dead`,
);
