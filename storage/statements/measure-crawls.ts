import type { CrawlState, Ledger } from '../../contracts/crawl.ts';
import { statement } from '../statement.ts';

export interface CrawlMeasures extends Ledger {
  readonly crawls: Readonly<Partial<Record<CrawlState, number>>>;
  readonly pages: number;
  readonly pending: number;
  readonly fetches: number;
  readonly bytes: number;
}

/** Crawls by state, and the ledgers of all of them summed up. */
export const measureCrawls = statement<[], CrawlMeasures>(
  'measure-crawls',
  `select (select coalesce(json_object_agg(state, n), '{}')
             from (select state, count(*) as n from crawl group by state) by_state) as crawls,
          coalesce(sum(discovered), 0)::bigint as discovered, coalesce(sum(queued), 0)::bigint as queued,
          coalesce(sum(leased), 0)::bigint as leased, coalesce(sum(done), 0)::bigint as done,
          coalesce(sum(excluded), 0)::bigint as excluded, coalesce(sum(dead), 0)::bigint as dead,
          coalesce(sum(failed), 0)::bigint as failed, coalesce(sum(pages), 0)::bigint as pages,
          coalesce(sum(pending), 0)::bigint as pending, coalesce(sum(fetches), 0)::bigint as fetches,
          coalesce(sum(bytes), 0)::bigint as bytes
     from ledger`,
);
