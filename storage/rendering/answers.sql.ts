/** What a page that is rendered may be answered from. */
import type { UrlReason } from '../../domain/url-reason.ts';
import type { UrlState } from '../../domain/ledger.ts';
import type { StoredKind } from '../../domain/url-kind.ts';
import { mayKnow } from '../may-know.ts';
import { isOurs } from '../pages/index.ts';
import { statement } from '../postgres/index.ts';

export interface FoundForPage {
  readonly host_id: number;
  /** Hex. */
  readonly key: string;
  readonly url: string;
  readonly state: UrlState;
  readonly reason: UrlReason | null;
  readonly detail: string | null;
  readonly kind: StoredKind;
  readonly seed: boolean;
  /** Requests that were answered. */
  readonly fetches: number;
  readonly status: number | null;
  readonly redirect_to: string | null;
  /** Of the body that the answer brought; null: it brought none, or none that a page is read from. */
  readonly hash: Buffer | null;
  readonly content_type: string | null;
  /** The answer that first brought the body came to a crawl of the same tenant. */
  readonly is_ours: boolean;
  /** The last trouble of its host, which is parked; null: it is not. */
  readonly parked: string | null;
  /** Its host has logged the crawl out. */
  readonly logged_out: boolean;
}

/** A URL of a crawl; no row: the crawl has not met it. */
export const findForPage = statement<[origin: string, crawlId: number, key: Uint8Array], FoundForPage>(
  'find-for-page',
)`
   select u.host_id, encode(u.key, 'hex') as key, u.url, u.state, u.reason, u.detail, u.kind, u.seed, u.fetches, u.status,
          u.redirect_to, coalesce(u.answer_hash, u.content_hash) as hash, u.content_type, ${isOurs} as is_ours,
          case when h.parked_at is not null then coalesce(case when ${mayKnow('k')} then h.last_error end, '') end as parked,
          q.logged_out_at is not null as logged_out
     from host h
     join url u on u.host_id = h.id
     join crawl k on k.id = u.crawl_id
     left join host_queue q on q.host_id = h.id and q.crawl_id = k.id
     left join body b on b.hash = coalesce(u.answer_hash, u.content_hash)
    where h.origin = $1 and u.crawl_id = $2 and u.key = $3`;
