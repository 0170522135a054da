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

/** @param wanted JSON */
export const addPageFetch = statement<
  { tenantId: number; crawlId: string; url: string; wanted: string; askedAt: string; since: string },
  { id: string }
>('add-page-fetch')`
   insert into page_fetch (tenant_id, crawl_id, url, wanted, asked_at, since)
   values ($tenantId, $crawlId, $url, $wanted::jsonb, $askedAt::timestamptz, $since::timestamptz)
   returning id`;

/** No row: the tenant has no such fetch, or its crawl is being deleted. */
export const findPageFetch = statement<[tenantId: number, id: string], PageFetch>('find-page-fetch')`
   select f.id, f.crawl_id::text, f.url, f.wanted, f.asked_at::text, f.since::text
     from page_fetch f join crawl c on c.id = f.crawl_id and c.removed_at is null
    where f.tenant_id = $1 and f.id = $2`;

/** No row: there is none, or it is older than so many hours. */
export const fetchCrawl = statement<[tenantId: number, render: string, hours: number], RestingCrawl>(
  'fetch-crawl',
)`
   select c.id::text, c.state, c.cause, c.reason, c.config
     from fetch_crawl f join crawl c on c.id = f.crawl_id
    where f.tenant_id = $1 and f.render = $2 and c.created_at > now() - $3::float8 * interval '1 hour'`;

export const chooseFetchCrawl = statement<[tenantId: number, render: string, crawlId: string]>(
  'choose-fetch-crawl',
)`
   insert into fetch_crawl (tenant_id, render, crawl_id) values ($1, $2, $3)
   on conflict (tenant_id, render) do update set crawl_id = excluded.crawl_id`;
