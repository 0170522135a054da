import type { CrawlState } from '../../contracts/crawl.ts';
import { statement } from '../statement.ts';

export interface HostCrawlRow {
  readonly id: string;
  readonly state: CrawlState;
  readonly queued: number;
  readonly leased: number;
  readonly weight: number;
}

/** Crawls that have work at a host. */
export const hostCrawls = statement<[hostId: string | number], HostCrawlRow>(
  'host-crawls',
  `select c.id::text, c.state, q.queued, q.leased, coalesce((c.config ->> 'weight')::float8, 1) as weight
     from host_queue q join crawl c on c.id = q.crawl_id
    where q.host_id = $1 and q.queued + q.leased > 0
    order by c.id`,
);
