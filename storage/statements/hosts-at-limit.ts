import { statement } from '../statement.ts';

export interface HostAtLimit {
  readonly host_id: number;
  readonly origin: string;
  /** URLs of the crawl at the host. */
  readonly total: number;
  /** Of them: excluded since there were too many. */
  readonly limited: number;
}

/** Hosts of a crawl after one, with how many of its URLs its limit for a host keeps out there. */
export const hostsAtLimit = statement<[crawlId: string, afterHost: number, limit: number], HostAtLimit>(
  'hosts-at-limit',
  `select q.host_id, h.origin, q.total, u.limited
     from host_queue q
     join host h on h.id = q.host_id
    cross join lateral (
      select count(*) as limited from url
       where host_id = q.host_id and crawl_id = q.crawl_id and state = 'excluded' and reason = 'host-limit') u
    where q.crawl_id = $1 and q.host_id > $2
    order by q.host_id limit $3`,
);
