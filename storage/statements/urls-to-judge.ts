import { statement } from '../statement.ts';

export interface RuledUrl {
  readonly host_id: number;
  readonly origin: string;
  /** Hex. */
  readonly key: string;
  readonly url: string;
  readonly state: 'queued' | 'excluded';
  readonly depth: number;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly content_type: string | null;
  /** Of the last answer. */
  readonly status: number | null;
  readonly seed: boolean;
}

/**
 * URLs of a crawl whose place in the frontier hangs on its settings: queued, or excluded for one of `reasons`; host by
 * host, after a place. A sitemap that its host's robots.txt names is read wherever it lies.
 */
export const urlsToJudge = statement<
  [crawlId: string, afterHost: number, afterKey: string, reasons: readonly string[], limit: number],
  RuledUrl
>(
  'urls-to-judge',
  `select u.host_id, h.origin, encode(u.key, 'hex') as key, u.url, u.state, u.depth, u.reason, u.detail,
          u.content_type, u.status, u.seed
     from host_queue q
     join host h on h.id = q.host_id
    cross join lateral (
      select * from url
       where host_id = q.host_id and crawl_id = q.crawl_id
         and key > case when q.host_id = $2 then decode($3, 'hex') else '' end
         and (state = 'queued' or (state = 'excluded' and reason = any ($4)))
         and (kind = 0 or parent_key is not null)
       order by key limit $5) u
    where q.crawl_id = $1 and q.host_id >= $2
    order by q.host_id, u.key limit $5`,
);
