/** How the answers of a crawl are compared with those before them, in the order of the pages feed. */
import type { PageRules } from '../../contracts/page-rules.ts';
import type { VersionChange } from '../../contracts/http/changes.ts';
import { statement } from '../postgres/index.ts';

/** A place of the pages feed. */
export interface ChangesPlace {
  readonly micros: number;
  readonly host_id: number;
  /** Hex. */
  readonly key: string;
}

/** Crawls after an id that have answers to be compared, or may be found to have none any more. */
export const followedCrawls = statement<[after: string, limit: number], { id: string }>('followed-crawls')`
   select c.id::text as id
     from crawl c left join crawl_changes f on f.crawl_id = c.id
    where c.id > $1::bigint and c.config -> 'changes' = 'true' and c.removed_at is null
      and (c.state in ('finished', 'cancelled', 'failed') and f.is_over is not true
           or c.state not in ('finished', 'cancelled', 'failed') and exists (
                select from url u
                 where u.crawl_id = c.id and u.fetched_at is not null
                   and (u.fetched_at, u.host_id, u.key) > (
                     timestamptz 'epoch' + coalesce(f.at_micros, 0) * interval '1 microsecond',
                     coalesce(f.at_host, 0), coalesce(f.at_key, ''::bytea))))
    order by c.id limit $2`;

/** Claims the comparing of a crawl for a minute. No row: another process has it. */
export const claimChanges = statement<[crawlId: string], ChangesPlace>('claim-changes')`
   insert into crawl_changes as f (crawl_id, claimed_until) values ($1, now() + interval '1 minute')
   on conflict (crawl_id) do update set claimed_until = excluded.claimed_until where f.claimed_until <= now()
   returning at_micros as micros, at_host as host_id, encode(at_key, 'hex') as key`;

/** Gives the claim back. @param isOver the crawl is over, and everything was compared */
export const releaseChanges = statement<[crawlId: string, isOver: boolean]>('release-changes')`
   update crawl_changes set claimed_until = '-infinity', is_over = $2 where crawl_id = $1`;

/** The answers of crawls that do not follow changes have one version, the latest; its number is 0. */
export interface StoredVersion {
  readonly of_crawl: number;
  readonly number: number;
  readonly fetched_at: Date;
  readonly gone: boolean;
  readonly status: number | null;
  readonly redirect_to: string | null;
  /** Hex, as `text_hash`. */
  readonly content_hash: string | null;
  readonly content_type: string | null;
  readonly robots_tag: string | null;
  readonly text_hash: string | null;
}

/** An answer, beside the version before it: of the crawl, or else of an earlier crawl. */
export interface FollowedAnswer extends Omit<StoredVersion, 'of_crawl' | 'number'> {
  readonly host_id: number;
  readonly key: string;
  readonly url: string;
  readonly micros: number;
  /** Null: the crawl has no version of the page. */
  readonly last_number: number | null;
  /** Null: the page was never fetched before. */
  readonly before: (Omit<StoredVersion, 'fetched_at'> & { readonly fetched_at: string }) | null;
}

/** How rows of `url` and `page_version` become versions; both have columns of these names. */
const versionOf = (row: string, number: string, textHash: string): string =>
  `${row}.crawl_id as of_crawl, ${number} as number, ${row}.fetched_at, ${row}.status, ${row}.redirect_to,
          encode(${row}.content_hash, 'hex') as content_hash, ${row}.content_type, ${row}.robots_tag,
          encode(${textHash}, 'hex') as text_hash`;

/**
 * The crawls whose answers at a host are those before a crawl's: the latest eight of its tenant, with the same user
 * agent and without headers of their own or a session, since a server may answer others differently.
 */
const crawlsBefore = (hostId: string, crawlId: string): string =>
  `select q.crawl_id
         from crawl own
         join host_queue q on q.host_id = ${hostId} and q.crawl_id < own.id
         join crawl c on c.id = q.crawl_id and c.tenant_id = own.tenant_id and c.removed_at is null
          and own.config ->> 'userAgent' is not distinct from c.config ->> 'userAgent'
          and coalesce(own.config ->> 'headers', '{}') = '{}' and coalesce(c.config ->> 'headers', '{}') = '{}'
          and own.session_revision = 0 and c.session_revision = 0
          and own.config -> 'keepCookies' is distinct from 'true' and c.config -> 'keepCookies' is distinct from 'true'
        where own.id = ${crawlId}
        order by q.crawl_id desc limit 8`;

/**
 * The row of `url` stands for an answer with its outcome, perhaps while it is queued to be fetched once more. What foreign
 * fetchers have fetched cannot be compared: its body is not here.
 */
const isAnswered = (row: string): string =>
  `${row}.fetched_at is not null and ${row}.reason is distinct from 'fetched-elsewhere'
                  and (${row}.state in ('done', 'dead') or ${row}.reason = 'recrawl')`;

/** Pages that were answered after a place and before a horizon (microseconds; null: all), in their order. */
export const answersAfter = statement<
  [crawlId: string, micros: number, hostId: number, key: Buffer, horizonMicros: number | null, limit: number],
  FollowedAnswer
>('answers-after')`
   with feed as materialized (
     select u.* from url u
      where u.crawl_id = $1 and u.fetched_at is not null
        and (u.fetched_at, u.host_id, u.key) > (timestamptz 'epoch' + $2::bigint * interval '1 microsecond', $3::bigint, $4::bytea)
        and ($5::bigint is null or u.fetched_at < timestamptz 'epoch' + $5::bigint * interval '1 microsecond')
        and u.kind = 0 and u.state in ('done', 'dead') and u.reason is distinct from 'fetched-elsewhere'
      order by u.fetched_at, u.host_id, u.key limit $6
   )
   select u.host_id, encode(u.key, 'hex') as key, u.url, (extract(epoch from u.fetched_at) * 1000000)::bigint as micros,
          u.state = 'dead' as gone, ${versionOf('u', '0', 'p.text_hash')},
          (own.version ->> 'number')::int as last_number, coalesce(own.version, earlier.version) as before
     from feed u
     left join reading p on p.crawl_id = u.crawl_id and p.content_id = u.content_id and p.job_id = 0
     left join lateral (
       select to_jsonb(latest) as version
         from (select ${versionOf('v', 'v.number', 'v.text_hash')}, v.gone
                 from page_version v
                where v.host_id = u.host_id and v.crawl_id = u.crawl_id and v.key = u.key
                order by v.number desc limit 1) latest
     ) own on true
     left join lateral (
       select to_jsonb(latest) as version
         from (select ${versionOf('e', 'coalesce((select max(number) from page_version v where v.host_id = e.host_id and v.crawl_id = e.crawl_id and v.key = e.key), 0)', 'ep.text_hash')},
                      e.state = 'dead' as gone
                 from (${crawlsBefore('u.host_id', '$1')}) among
                 join url e on e.host_id = u.host_id and e.crawl_id = among.crawl_id and e.key = u.key
                 left join reading ep on ep.crawl_id = e.crawl_id and ep.content_id = e.content_id and ep.job_id = 0
                where ${isAnswered('e')} and e.fetched_at < u.fetched_at
                order by e.fetched_at desc limit 1) latest
     ) earlier on own.version is null
    order by u.fetched_at, u.host_id, u.key`;

/** A version to be stored, as JSON. Hashes are hex. */
export interface NewVersion extends Omit<StoredVersion, 'of_crawl' | 'fetched_at'> {
  readonly host_id: number;
  readonly key: string;
  readonly micros: number;
  /** Null: the page was never fetched before, or is the same as in an earlier crawl. */
  readonly change: VersionChange | null;
}

/**
 * Stores versions, with an event for each that has changed, in their order; of each page the latest `kept` versions
 * stay, and the bodies of the others are freed. Moves the place, if it is where the caller found it: otherwise another
 * process has been here, nothing is stored, and no row is answered. The caller must hold the row of the crawl.
 */
export const storeVersions = statement<
  [crawlId: string, rows: string, kept: number, from: string, to: string, counts: string],
  { dropped: number }
>('store-versions')`
   with moved as (
     update crawl_changes f
        set at_micros = t.micros, at_host = t.host_id, at_key = decode(t.key, 'hex'), is_over = false,
            compared = f.compared + c.compared, changed = f.changed + c.changed, lost = f.lost + c.lost,
            claimed_until = now() + interval '1 minute'
       from json_to_record($4) as w(micros bigint, host_id bigint, key text),
            json_to_record($5) as t(micros bigint, host_id bigint, key text),
            json_to_record($6) as c(compared bigint, changed bigint, lost bigint)
      where f.crawl_id = $1 and (f.at_micros, f.at_host, f.at_key) = (w.micros, w.host_id, decode(w.key, 'hex'))
     returning f.crawl_id
   ), r as materialized (
     select r.place, v.*, decode(v.key, 'hex') as at_key, decode(v.content_hash, 'hex') as hash
       from moved, json_array_elements($2) with ordinality r(item, place),
            json_to_record(r.item) as v(
              host_id bigint, key text, number int, micros bigint, gone boolean, status smallint, redirect_to text,
              content_hash text, content_type text, robots_tag text, text_hash text, change jsonb)
   ), bodies as materialized (
     select hash from body where hash in (select hash from r) order by hash for key share
   ), stored as (
     insert into page_version (host_id, crawl_id, key, number, fetched_at, gone, status, redirect_to, content_hash,
                               content_type, robots_tag, text_hash, change)
     select host_id, $1::bigint, at_key, number, timestamptz 'epoch' + micros * interval '1 microsecond', gone, status,
            redirect_to, hash, content_type, robots_tag, decode(text_hash, 'hex'), change
       from r where (select count(*) from bodies) >= 0
      order by host_id, at_key
   ), told as (
     insert into event (crawl_id, kind, data)
     select $1::bigint, 'page.changed', change from r where change is not null order by place
   ), old as (
     delete from page_version v using r
      where v.host_id = r.host_id and v.crawl_id = $1 and v.key = r.at_key and v.number <= r.number - $3::int
     returning v.content_hash
   ), freed as (
     insert into freed_body (hash) select distinct content_hash from old where content_hash is not null order by 1
     on conflict (hash) do update set since = now()
   )
   select (select count(*) from old) as dropped from moved`;

/** Counts versions that were dropped. */
export const countDropped = statement<[crawlId: string, versions: number]>('count-dropped')`
   update crawl_changes set dropped = dropped + $2 where crawl_id = $1`;

/**
 * Removes the oldest events of changes, a thousand at most, if a crawl has more than `most`, as far as no webhook has
 * still to send them. Answers how many there were.
 */
export const forgetChanges = statement<[crawlId: string, most: number], { events: number }>('forget-changes')`
   with f as materialized (
     select least(1000, changed - forgotten - $2::bigint) as surplus from crawl_changes
      where crawl_id = $1 and changed - forgotten > $2::bigint
   ), gone as (
     delete from event e
      where e.crawl_id = $1 and e.kind = 'page.changed'
        and e.number in (select number from event where crawl_id = $1 and kind = 'page.changed'
                          order by number limit (select surplus from f))
        and exists (select from f)
        and e.number <= coalesce((select min(settled) from webhook_cursor where crawl_id = $1), e.number)
     returning 1
   )
   update crawl_changes set forgotten = forgotten + (select count(*) from gone)
    where crawl_id = $1 and exists (select from f)
   returning (select count(*) from gone) as events`;

/** The place up to which a crawl was compared, as microseconds since 1970; no row: it was not yet. */
export const changesPlace = statement<[crawlId: string], { micros: number }>('changes-place')`
   select at_micros as micros from crawl_changes where crawl_id = $1`;

/** Whether all changes of a crawl are told, for now, and what was compared and left out. */
export const changesProgress = statement<
  [crawlId: string],
  {
    is_over: boolean;
    compared: number;
    forgotten: number;
    dropped: number;
    lost: number;
  }
>('changes-progress')`
   select c.state in ('finished', 'cancelled', 'failed')
            and coalesce(f.is_over, c.config -> 'changes' is distinct from 'true') as is_over,
          coalesce(f.compared, 0) as compared, coalesce(f.forgotten, 0) as forgotten,
          coalesce(f.dropped, 0) as dropped, coalesce(f.lost, 0) as lost
     from crawl c left join crawl_changes f on f.crawl_id = c.id
    where c.id = $1`;

/** The crawl, as far as following it goes. No row: it was removed. */
export const followedCrawl = statement<
  [crawlId: string],
  { is_over: boolean; kept: number | null; rules: PageRules | null }
>('followed-crawl')`
   select state in ('finished', 'cancelled', 'failed') as is_over, (config ->> 'versionsKept')::int as kept,
          config -> 'rules' as rules
     from crawl where id = $1 and removed_at is null`;

/** Versions of a page, the latest first: those of the crawl, and those of earlier crawls. */
export const listVersions = statement<
  [crawlId: string, hostId: number, key: Uint8Array],
  StoredVersion & { readonly url: string; readonly stored: boolean; readonly change: VersionChange | null }
>('list-versions')`
   select ${versionOf('v', 'v.number', 'v.text_hash')}, v.gone, v.url, v.change,
          exists (select from body b where b.hash = v.content_hash) as stored
     from (select $1::bigint as crawl_id union all (${crawlsBefore('$2', '$1')})) among
    cross join lateral (
      select e.crawl_id, coalesce(v.number, 0) as number, coalesce(v.fetched_at, e.fetched_at) as fetched_at,
             case when v.number is null then e.state = 'dead' else v.gone end as gone,
             case when v.number is null then e.status else v.status end as status,
             case when v.number is null then e.redirect_to else v.redirect_to end as redirect_to,
             case when v.number is null then e.content_hash else v.content_hash end as content_hash,
             case when v.number is null then e.content_type else v.content_type end as content_type,
             case when v.number is null then e.robots_tag else v.robots_tag end as robots_tag,
             case when v.number is null then p.text_hash else v.text_hash end as text_hash,
             v.change, e.url
        from url e
        left join page_version v on v.host_id = e.host_id and v.crawl_id = e.crawl_id and v.key = e.key
        left join reading p on p.crawl_id = e.crawl_id and p.content_id = e.content_id and p.job_id = 0
       where e.host_id = $2 and e.crawl_id = among.crawl_id and e.key = $3
         and (v.number is not null or ${isAnswered('e')})
    ) v
    order by v.fetched_at desc, v.number desc`;
