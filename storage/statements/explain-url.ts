import type { UrlState } from '../../contracts/crawl.ts';
import { statement } from '../statement.ts';

export interface UrlCircumstances {
  readonly url: string;
  readonly state: UrlState;
  readonly kind: number;
  readonly stage: number;
  readonly seed: boolean;
  readonly depth: number;
  readonly hops: number;
  readonly priority: number;
  /** Milliseconds until it is due; at most 0: it is. */
  readonly due_in_ms: number;
  readonly discovered_at: Date;
  readonly reclaims: number;
  readonly fetches: number;
  readonly fetched_at: Date | null;
  readonly status: number | null;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly content_hash: string | null;
  readonly redirect_to: string | null;
  readonly truncated: string | null;
  readonly parent_url: string | null;
  readonly alias_url: string | null;
  /** Queued URLs of the crawl at this host that go first; counted up to 10,000. */
  readonly ahead: number;
  readonly dead_class: string | null;
  readonly dead_message: string | null;
  readonly dead_attempts: number | null;
  readonly dead_at: Date | null;
}

/** @param key hex. */
export const explainUrl = statement<[hostId: string, crawlId: string, key: string], UrlCircumstances>(
  'explain-url',
  `select u.url, u.state, u.kind, u.stage, u.seed, u.depth, u.hops, u.priority,
          (extract(epoch from u.due_at - now()) * 1000)::float8 as due_in_ms, u.discovered_at, u.reclaims, u.fetches,
          u.fetched_at, u.status, u.reason, u.detail, encode(u.content_hash, 'hex') as content_hash, u.redirect_to,
          u.truncated, parent.url as parent_url, alias.url as alias_url,
          case when u.state <> 'queued' then 0 else (
            select count(*) from (
              select from url o
               where o.host_id = u.host_id and o.crawl_id = u.crawl_id and o.state = 'queued'
                 and (o.priority > u.priority or (o.priority = u.priority and o.key < u.key))
               limit 10000) first) end as ahead,
          d.class as dead_class, d.message as dead_message, d.attempts as dead_attempts, d.created_at as dead_at
     from url u
     left join url parent
       on parent.host_id = u.parent_host and parent.crawl_id = u.crawl_id and parent.key = u.parent_key
     left join url alias on alias.host_id = u.alias_host and alias.crawl_id = u.crawl_id and alias.key = u.alias_key
     left join dead_letter d on d.host_id = u.host_id and d.crawl_id = u.crawl_id and d.key = u.key
    where u.host_id = $1 and u.crawl_id = $2 and u.key = decode($3, 'hex')`,
);
