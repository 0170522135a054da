import { statement } from '../statement.ts';

/** Running crawls with URLs queued at a host. */
export const waitingCrawls = statement<[hostId: string | number], { crawl_id: number }>(
  'waiting-crawls',
  `select q.crawl_id from host_queue q join crawl c on c.id = q.crawl_id and c.state = 'running'
    where q.host_id = $1 and (q.queued > 0 or q.leased > 0)`,
);
