/** Statements that make crawls. */
import { statement } from '../postgres/index.ts';
import type { CrawlConfig } from '../../contracts/crawl.ts';
import type { CrawlStands } from '../../domain/crawl-life.ts';

/**
 * Stores a crawl with its seeds, all or nothing. `seeds`: [{line, url, rejected, place}]. Only the crawls of the first
 * tenant are numbered; ids of other crawls are made of the time and chance (15 digits), so that nobody can count the
 * crawls of other tenants.
 */
export const insertCrawl = statement<
  [config: string, seeds: string, tenantId: number, label: string | null, userId: string | null],
  { id: string }
>('insert-crawl')`
   with created as (
     insert into crawl (id, config, tenant_id, label, user_id) overriding system value
     values (case when $3::bigint = 1 then nextval(pg_get_serial_sequence('crawl', 'id'))
                  else floor(extract(epoch from clock_timestamp()) * 1000)::bigint * 100 + floor(random() * 100)::bigint
             end, $1, $3, $4, $5)
     returning id
   ), s as materialized (
     select * from json_to_recordset($2) as s(line int, url text, rejected text, place text)
   ), placed as (
     insert into seed_place (crawl_id, place)
     select distinct created.id, decode(s.place, 'hex') from created, s where s.place is not null
   ), asked as (
     insert into seed (crawl_id, line, url, rejected)
     select created.id, s.line, s.url, s.rejected from created, s
   ), told as (
     insert into event (crawl_id, kind) select id, 'crawl.created' from created
   )
   select id::text from created`;

/** Ends a crawl whose workflow could not be started; a crawl that has begun is left alone. */
export const failUnstartedCrawl = statement<[crawlId: string, reason: string], { id: string }>(
  'fail-unstarted-crawl',
)`
   with ended as (
     update crawl set state = 'failed', cause = 'not-started', reason = $2, ended_at = now()
      where id = $1 and state = 'seeding'
     returning id
   ), told as (
     insert into event (crawl_id, kind, data)
     select id, 'crawl.failed', json_build_object('cause', 'not-started', 'reason', $2::text) from ended
   )
   select id::text from ended`;

/** A crawl that rests while it has nothing to do. */
export interface RestingCrawl extends CrawlStands {
  readonly id: string;
  readonly config: CrawlConfig;
}

/** The default crawl of a tenant; no row: the tenant has none yet. */
export const defaultCrawl = statement<[tenantId: number], RestingCrawl>('default-crawl')`
   select c.id::text, c.state, c.cause, c.reason, c.config
     from tenant t join crawl c on c.id = t.default_crawl_id
    where t.id = $1`;

export const chooseDefaultCrawl = statement<[tenantId: number, crawlId: string]>('choose-default-crawl')`
   update tenant set default_crawl_id = $2 where id = $1`;

/**
 * Stores a crawl without seeds that has nothing left to do. It has no workflow until seeds set it running. Ids are made
 * as in `insertCrawl`.
 */
export const insertRestingCrawl = statement<
  [tenantId: number, config: string, label: string],
  { id: string }
>('insert-resting-crawl')`
   with created as (
     insert into crawl (id, config, tenant_id, label, state, cause, reason, ended_at) overriding system value
     values (case when $1::bigint = 1 then nextval(pg_get_serial_sequence('crawl', 'id'))
                  else floor(extract(epoch from clock_timestamp()) * 1000)::bigint * 100 + floor(random() * 100)::bigint
             end, $2, $1, $3, 'finished', 'complete', 'complete', now())
     returning id
   ), told as (
     insert into event (crawl_id, kind) select id, 'crawl.created' from created
   )
   select id::text from created`;
