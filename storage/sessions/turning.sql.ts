/** What keys have sealed that seal no more: sessions, and request headers among the settings of crawls and their versions. */
import { statement } from '../postgres/index.ts';
import type { Sealed } from './secret-keys.ts';
import type { SessionKind } from './sessions.sql.ts';

export interface OldSession extends Sealed {
  readonly crawl_id: number;
  readonly place: string;
  readonly kind: SessionKind;
}

export const oldSessions = statement<[keyIds: readonly string[], limit: number], OldSession>('old-sessions')`
   select crawl_id, place, kind, sealed, key_id from crawl_session
    where key_id = any ($1) order by crawl_id, place, kind limit $2`;

/** A session that was replaced meanwhile stays as it is. */
export const sealSession = statement<{
  crawlId: number;
  place: string;
  kind: SessionKind;
  was: Buffer;
  sealed: Buffer;
  keyId: string;
}>('seal-session')`
   update crawl_session set sealed = $sealed, key_id = $keyId
    where crawl_id = $crawlId and place = $place and kind = $kind and sealed = $was`;

export interface OldHeaders {
  readonly tenant_id: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly crawls: readonly number[];
}

/** @param pattern of values that such keys have sealed */
export const oldHeaders = statement<[pattern: string, limit: number], OldHeaders>('old-headers')`
   select c.tenant_id, v.headers, array_agg(distinct c.id) as crawls
     from (select id as crawl_id, config -> 'headers' as headers from crawl
           union select crawl_id, config -> 'headers' from crawl_config) v
     join crawl c on c.id = v.crawl_id
    where v.headers::text ~ $1
    group by c.tenant_id, v.headers order by min(c.id) limit $2`;

/** The settings mean what they did, so they have no other version. */
export const sealHeadersOf = statement<[crawls: readonly number[], was: string, headers: string]>(
  'seal-headers-of',
)`
   with present as (
     update crawl set config = jsonb_set(config, '{headers}', $3::jsonb)
      where id = any ($1) and config -> 'headers' = $2::jsonb
   )
   update crawl_config set config = jsonb_set(config, '{headers}', $3::jsonb)
    where crawl_id = any ($1) and config -> 'headers' = $2::jsonb`;
