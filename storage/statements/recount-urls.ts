import type { Ledger } from '../../contracts/crawl.ts';
import { statement } from '../statement.ts';

export interface Recount extends Ledger {
  readonly pages: number;
  readonly pending: number;
  readonly fetches: number;
  readonly bytes: number;
}

/** What the ledger should say, counted over every URL of the crawl. */
export const recountUrls = statement<[crawlId: string], Recount>(
  'recount-urls',
  `select count(*) as discovered, count(*) filter (where state = 'queued') as queued,
          count(*) filter (where state = 'leased') as leased, count(*) filter (where state = 'done') as done,
          count(*) filter (where state = 'excluded') as excluded, count(*) filter (where state = 'dead') as dead,
          count(*) filter (where state = 'failed') as failed,
          count(*) filter (where state = 'done' and status between 200 and 299 and kind = 0) as pages,
          count(*) filter (where stage > 0) as pending,
          coalesce(sum(fetches), 0)::bigint as fetches, coalesce(sum(bytes), 0)::bigint as bytes
     from url where crawl_id = $1`,
);
