/** What was asked for, and the crawls that fetch it. */
import { statement } from '../postgres/index.ts';
import type { RestingCrawl } from '../starting/index.ts';

/** By the clock of the database, as text that has all its digits. */
export interface Instants {
  /** When the page was asked for. */
  readonly asked_at: string;
  /** A visit from this instant on will do. */
  readonly since: string;
}

export const instantsOf = statement<[maxAgeSeconds: number], Instants>('instants-of-fetch')`
   select now()::text as asked_at, (now() - $1::float8 * interval '1 second')::text as since`;

export interface PageFetch extends Instants {
  readonly id: string;
  readonly crawl_id: string;
  readonly url: string;
  /** As it was stored. */
  readonly wanted: unknown;
}

/** Bytes of what was asked that are noted for one crawl. */
const mostBytes = 256 * 1_024 ** 2;

/**
 * Who asks for the same URL and the same of its page again has the fetch of before: until its page is there, both wait for
 * the later of the visits that they want. No row: as much as may be is noted for the crawl, or another has taken its place.
 * @param wanted JSON
 */
export const addPageFetch = statement<
  { tenantId: number; crawlId: string; url: string; wanted: string; askedAt: string; since: string },
  { id: string }
>('add-page-fetch')`
   with asked as materialized (
     select sha256(convert_to($url || ' ' || $wanted, 'UTF8')) as digest,
            octet_length($url) + octet_length($wanted) as bytes
   ), again as (
     update page_fetch f
        set asked_at = greatest(f.asked_at, $askedAt::timestamptz), since = greatest(f.since, $since::timestamptz)
       from asked a where f.crawl_id = $crawlId and f.digest = a.digest and f.tenant_id = $tenantId
     returning f.id
   ), room as (
     update fetch_crawl c set asked_bytes = c.asked_bytes + a.bytes from asked a
      where c.tenant_id = $tenantId and c.crawl_id = $crawlId and c.asked_bytes + a.bytes <= ${String(mostBytes)}
        and not exists (select from again)
     returning a.digest
   ), added as (
     insert into page_fetch as f (tenant_id, crawl_id, url, wanted, asked_at, since, digest)
     select $tenantId, $crawlId, $url, $wanted::jsonb, $askedAt::timestamptz, $since::timestamptz, digest from room
     on conflict (crawl_id, digest) do update
       set asked_at = greatest(f.asked_at, excluded.asked_at), since = greatest(f.since, excluded.since)
     returning f.id
   )
   select id from again union all select id from added`;

/** No row: the tenant has no such fetch, or its crawl is being deleted. */
export const findPageFetch = statement<[tenantId: number, id: string], PageFetch>('find-page-fetch')`
   select f.id, f.crawl_id::text, f.url, f.wanted, f.asked_at::text, f.since::text
     from page_fetch f join crawl c on c.id = f.crawl_id and c.removed_at is null
    where f.tenant_id = $1 and f.id = $2`;

/** No row: there is none, it is ending, or it is older than so many hours. */
export const fetchCrawl = statement<[tenantId: number, render: string, hours: number], RestingCrawl>(
  'fetch-crawl',
)`
   select c.id::text, c.state, c.cause, c.reason, c.config
     from fetch_crawl f join crawl c on c.id = f.crawl_id
    where f.tenant_id = $1 and f.render = $2 and c.state <> 'draining' and c.created_at > now() - $3::float8 * interval '1 hour'`;

export const chooseFetchCrawl = statement<[tenantId: number, render: string, crawlId: string]>(
  'choose-fetch-crawl',
)`
   insert into fetch_crawl (tenant_id, render, crawl_id) values ($1, $2, $3)
   on conflict (tenant_id, render) do update set crawl_id = excluded.crawl_id, asked_bytes = 0`;
