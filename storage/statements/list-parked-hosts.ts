import { statement } from '../statement.ts';

export interface ParkedHost {
  readonly origin: string;
  readonly queued: number;
  readonly last_error: string | null;
}

/** Parked hosts at which the crawl has met URLs, most queued first. */
export const listParkedHosts = statement<[crawlId: string, limit: number], ParkedHost>(
  'list-parked-hosts',
  `select h.origin, q.queued, h.last_error
     from host h join host_queue q on q.host_id = h.id
    where h.parked_at is not null and q.crawl_id = $1
    order by q.queued desc, h.id limit $2`,
);
