/** How a crawl is deleted, part by part. */
import { statement } from '../postgres/index.ts';

/**
 * Marks closed crawls whose retention is over as removed. A crawl's own retention goes before that of the instance
 * (days; null: for ever).
 */
export const markExpired = statement<[days: number | null], { id: string }>('mark-expired')`
   update crawl c set state = 'cancelled', cause = 'cancelled', removed_at = now()
    where c.removed_at is null and c.state in ('finished', 'cancelled', 'failed')
      and c.ended_at < now() - coalesce((c.config ->> 'retentionDays')::float8, $1) * interval '1 day'
      and not exists (select from tenant t where t.default_crawl_id = c.id)
   returning c.id::text`;

/**
 * Marks a crawl as removed if it is closed; does nothing to a crawl that is marked already. Nothing reopens a marked
 * crawl, since it counts as cancelled. Answers its state and how many URLs are left; no row: there is no such crawl.
 */
export const markRemoved = statement<[crawlId: string], { state: string; removed: boolean; urls: number }>(
  'mark-removed',
)`
   with asked as (
     select id, state, removed_at is not null or state in ('finished', 'cancelled', 'failed') as may
       from crawl where id = $1 for update
   ), marked as (
     update crawl c set state = 'cancelled', cause = 'cancelled', removed_at = coalesce(c.removed_at, now())
       from asked a where c.id = a.id and a.may
   )
   select state, may as removed,
          (select coalesce(sum(total), 0)::bigint from host_queue where crawl_id = $1) as urls
     from asked`;

/**
 * A removed crawl that no other worker removes now, locked, with one of its hosts that is still there. Work in flight
 * ends first; work that has not ended after an hour has no worker any more.
 */
export const nextRemoved = statement<[], { id: number; host_id: number | null }>('next-removed')`
   select c.id, (select min(q.host_id) from host_queue q where q.crawl_id = c.id) as host_id
     from crawl c
    where c.removed_at is not null
      and (c.removed_at < now() - interval '1 hour'
           or (select coalesce(sum(l.leased + l.pending), 0) from ledger l where l.crawl_id = c.id) = 0)
    order by c.id limit 1 for update skip locked`;

/**
 * Removes so many URLs of a crawl at a host, with the rows of other tables about them and their bodies (`url_gone`).
 * Answers how many URLs were removed.
 */
export const removeUrls = statement<[crawlId: number, hostId: number, limit: number], { urls: number }>(
  'remove-urls',
)`
   with chosen as materialized (
     select key from url where host_id = $2 and crawl_id = $1 order by key limit $3 for update
   ), gone as (
     delete from url u using chosen k where u.host_id = $2 and u.crawl_id = $1 and u.key = k.key
     returning 1
   ), counted as (
     update host_queue q set total = greatest(q.total - (select count(*) from gone), 0)
      where q.host_id = $2 and q.crawl_id = $1
   )
   select count(*) as urls from gone`;

/** Removes the remaining rows of a crawl at a host where it has no URLs any more. */
export const removeHostShare = statement<[crawlId: number, hostId: number]>('remove-host-share')`
   with attempts as (delete from attempt where host_id = $2 and crawl_id = $1),
        letters as (delete from dead_letter where host_id = $2 and crawl_id = $1),
        lent as (delete from lent_url where host_id = $2 and crawl_id = $1),
        rendered as (delete from rendering where host_id = $2 and crawl_id = $1),
        links as (delete from link_count where host_id = $2 and crawl_id = $1),
        revisits as (delete from revisit where host_id = $2 and crawl_id = $1),
        made_up as (delete from made_up_path where host_id = $2 and crawl_id = $1),
        watched as (delete from trap_watch where host_id = $2 and crawl_id = $1),
        quarantined as (delete from quarantine where host_id = $2 and crawl_id = $1),
        times as (delete from host_time where crawl_id = $1 and host_id = $2)
   delete from host_queue where host_id = $2 and crawl_id = $1`;

const removing = statement<[crawlId: number, limit: number], { rows: number }>;

const rowsOf = (table: string) =>
  removing(`remove-rest-of-${table}`)`
     with gone as (
       delete from ${table} where ctid = any (array(select ctid from ${table} where crawl_id = $1 limit $2)) returning 1
     )
     select count(*) as rows from gone`;

/** The rows of a crawl apart from its URLs, each statement so many rows at a time; the crawl's own row comes last. */
export const removeRest = [
  ...[
    'content',
    'content_due',
    'lent_content',
    'seed',
    'seed_place',
    'lent_url',
    'page_counter',
    'reading_in_use',
  ].map(rowsOf),
  removing('remove-reextractions')`
   with gone as (delete from job where kind = 'reextraction' and crawl_id = $1 and $2 > 0 returning 1)
   select count(*) as rows from gone`,
  ...['crawl_config', 'left_out', 'forgotten', 'forgetting', 'host_blocks', 'crawl_session'].map(rowsOf),
  ...['standing_crawl', 'page_history', 'sitemap_hint', 'sitemap_report', 'sitemap_record'].map(rowsOf),
  ...['fetch_crawl', 'page_fetch'].map(rowsOf),
  ...['freshness_sample', 'trap_watch', 'quarantine', 'crawl_changes'].map(rowsOf),
  ...['webhook_attempt', 'webhook_dead_letter', 'webhook_cursor', 'webhook', 'event', 'ledger'].map(rowsOf),
  removing('remove-crawl')`
   with detached as (update tenant set default_crawl_id = null where default_crawl_id = $1), gone as (
       delete from crawl where id = $1 and $2 > 0 returning 1
     )
     select count(*) as rows from gone`,
];

/**
 * Bodies that were freed so long ago. They are locked, so that no commit refers to them anew before the end of the
 * transaction.
 */
export const freedBodies = statement<[seconds: number, limit: number], { hash: Buffer }>('freed-bodies')`
   with due as materialized (
     select hash from freed_body where since <= now() - $1 * interval '1 second'
      order by hash limit $2 for update skip locked
   ), held as materialized (
     select hash from body where hash in (select hash from due) order by hash for update
   )
   select hash from due where (select count(*) from held) >= 0`;

/**
 * Forgets bodies to which nothing refers any more: neither a page that stands for the body in its crawl, nor a URL whose
 * body has not been read yet, nor one whose page a browser has rendered from it, nor a version of a page, nor the look of
 * one. Nobody looks at any of these bodies again until it is freed once more. Answers the segments
 * that the bodies lay in.
 */
export const forgetUnwanted = statement<[hashes: readonly Buffer[]], { segment: number }>('forget-unwanted')`
   with settled as (
     delete from freed_body where hash = any ($1::bytea[])
   ), gone as (
     delete from body b
      where b.hash = any ($1::bytea[])
        and not exists (select from content c where c.hash = b.hash)
        and not exists (select from page_version v where v.content_hash = b.hash)
        and not exists (select from url u where u.answer_hash = b.hash)
        and not exists (select from rendering g where g.screenshot_hash = b.hash)
        and not exists (select from rendering g where g.pdf_hash = b.hash)
        and b.hash not in (select u.content_hash from url u where u.stage > 0 and u.content_hash is not null)
     returning b.segment
   )
   select distinct segment from gone order by segment`;
