import type { UrlState } from '../../contracts/crawl.ts';
import type { Cut } from '../../domain/limits.ts';
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
  readonly bytes: number;
  readonly fetched_at: Date | null;
  readonly status: number | null;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly content_hash: string | null;
  readonly content_type: string | null;
  readonly redirect_to: string | null;
  readonly truncated: string | null;
  /** Leased under the lease that is held now. */
  readonly lease_held: boolean;
  readonly parent_url: string | null;
  readonly parent_status: number | null;
  readonly parent_redirect_to: string | null;
  readonly alias_url: string | null;
  /** It has the alias's very body; false: only its text. */
  readonly alias_same_body: boolean;
  /** Null: nothing was read in it. */
  readonly words: number | null;
  readonly links: number | null;
  readonly canonical: string | null;
  readonly noindex: boolean | null;
  readonly nofollow: boolean | null;
  /** What limits left out of it. */
  readonly cut: Cut | null;
  readonly dead_class: string | null;
  readonly dead_status: number | null;
  readonly dead_message: string | null;
  readonly dead_attempts: number | null;
  readonly dead_at: Date | null;
}

/** @param key hex. */
export const explainUrl = statement<[hostId: string, crawlId: string, key: string], UrlCircumstances>(
  'explain-url',
  `select u.url, u.state, u.kind, u.stage, u.seed, u.depth, u.hops, u.priority,
          (extract(epoch from u.due_at - now()) * 1000)::float8 as due_in_ms, u.discovered_at, u.reclaims, u.fetches,
          u.bytes, u.fetched_at, u.status, u.reason, u.detail, encode(u.content_hash, 'hex') as content_hash,
          u.content_type, u.redirect_to, u.truncated,
          coalesce(u.lease_token = h.lease_token and h.lease_until > now(), false) as lease_held,
          parent.url as parent_url, parent.status as parent_status, parent.redirect_to as parent_redirect_to,
          alias.url as alias_url, coalesce(alias.content_hash = u.content_hash, false) as alias_same_body,
          p.words, p.links, p.canonical, p.noindex, p.nofollow, u.cut,
          d.class as dead_class, d.status as dead_status, d.message as dead_message, d.attempts as dead_attempts,
          d.created_at as dead_at
     from url u
     join host h on h.id = u.host_id
     left join url parent
       on parent.host_id = u.parent_host and parent.crawl_id = u.crawl_id and parent.key = u.parent_key
     left join url alias on alias.host_id = u.alias_host and alias.crawl_id = u.crawl_id and alias.key = u.alias_key
     left join page p on p.host_id = u.host_id and p.crawl_id = u.crawl_id and p.key = u.key
     left join dead_letter d on d.host_id = u.host_id and d.crawl_id = u.crawl_id and d.key = u.key
    where u.host_id = $1 and u.crawl_id = $2 and u.key = decode($3, 'hex')`,
);
