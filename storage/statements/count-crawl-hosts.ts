import { statement } from '../statement.ts';

export interface CrawlHostCounts {
  readonly total: number;
  readonly waiting: number;
  readonly working: number;
  readonly parked: number;
}

export const countCrawlHosts = statement<[crawlId: string], CrawlHostCounts>(
  'count-crawl-hosts',
  `select count(*) as total, count(*) filter (where q.queued > 0) as waiting,
          count(*) filter (where q.leased > 0) as working,
          count(*) filter (where q.queued > 0 and h.parked_at is not null) as parked
     from host_queue q join host h on h.id = q.host_id
    where q.crawl_id = $1`,
);
