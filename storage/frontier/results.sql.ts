/** How results of fetches are written. */
import type { Cut } from '../../domain/limits.ts';
import { behindBy } from '../../domain/priority/place.ts';
import type { StoredStage, storedStages } from '../../domain/stage.ts';
import { storedKinds } from '../../domain/url-kind.ts';
import type { UrlReason } from '../../domain/url-reason.ts';
import { holdQueues, onceHeld, stateOfNamed } from './queue-locks.ts';
import type { Kept } from '../archive/index.ts';
import { takeLooks } from '../looks.ts';
import { statement } from '../postgres/index.ts';

/** The outcome of one URL, as JSON. Bytes are hex strings. If it has a body, it says where the record of it lies. */
export interface ResultRow extends Partial<Kept> {
  /** The content that is claimed with the result; absent: dedup gives it one. */
  readonly content_id?: number | null;
  readonly host_id: number;
  readonly crawl_id: number;
  readonly key: string;
  /** The lease under which the URL was fetched: a result that comes after the lease was lost changes nothing. */
  readonly token: number;
  readonly state: 'queued' | 'done' | 'excluded' | 'dead' | 'failed';
  /**
   * Version of the settings that exclude the URL; null: no setting excludes it. If the settings were changed since, the
   * URL is queued again.
   */
  readonly config_version: number | null;
  /** Null: a URL that waits as one that was never asked for. */
  readonly reason: UrlReason | null;
  readonly detail: string | null;
  /** Not null: a body waits for dedup. */
  readonly stage: Exclude<StoredStage, typeof storedStages.extract>;
  /** Milliseconds until a queued URL is due again. */
  readonly due_in_ms: number;
  /** The request ended without a final outcome. */
  readonly attempted: boolean;
  /** The trouble was the URL's own and not its host's: the request counts towards the URL's tries. */
  readonly own: boolean;
  /**
   * By how much the URL's priority falls, once: `behindBy`, behind those URLs of its crawl at the host that have not
   * failed, or `lastBy`, behind these too.
   */
  readonly behind: number;
  /** A response came. */
  readonly answered: boolean;
  readonly status: number | null;
  readonly bytes: number;
  /** Of a body that this request brought, or that it found unchanged. */
  readonly content_hash: string | null;
  /** What a foreign fetcher says of the body that it keeps; absent: this is no such report. */
  readonly reported_hash?: string | null;
  readonly content_type: string | null;
  readonly robots_tag: string | null;
  /** Link and Refresh (content/link-field.ts); null: the answer had neither. */
  readonly link_fields: string | null;
  readonly etag: string | null;
  readonly last_modified: string | null;
  readonly redirect_to: string | null;
  /** The URL to fetch instead, if a redirect leads to another spelling of the same canonical URL. */
  readonly next_url: string | null;
  /** The chain of redirects for the next request; absent or null: that which the row has. */
  readonly chain?: string | null;
  readonly truncated: string | null;
  /** Milliseconds from sending the request to the end of the answer; null: no answer, or not known. */
  readonly took_ms: number | null;
  /** Fields of a response that was no success (domain/evidence.ts). */
  readonly headers: Readonly<Record<string, string>> | null;
  /** What was left out at a redirect that leads out of the crawl. */
  readonly cut?: Cut;
}

/**
 * The result `r` takes from the page `u` what it pointed at. A page that fails keeps what was read of it; where nothing was
 * read yet, one of its copies is to be read. `offset 0` keeps Postgres from gathering all readings for that.
 */
const isEmpty = `r.content_hash is null
             and (r.state in ('done', 'dead', 'excluded')
                  or r.state = 'failed' and not exists (
                       select from reading e where e.crawl_id = u.crawl_id and e.content_id = u.content_id and e.job_id = 0 offset 0))`;

/** The page `u` was rendered without what a login gives, and no host has the crawl logged out any more. */
const lacksLogin = `exists (select from rendering g where g.host_id = u.host_id and g.crawl_id = u.crawl_id and g.key = u.key and g.lacks_login)
             and not exists (select from host_queue q where q.crawl_id = u.crawl_id and q.logged_out_at is not null)`;

/**
 * The page `u` was rendered by a browser, and the result `r` brings the answer that it was rendered from: what the browser
 * made of it stays, unless it would be another thing now.
 */
const isSameAnswer = `u.answer_hash = decode(r.content_hash, 'hex') and not (${lacksLogin})`;

/**
 * Commits outcomes of leased URLs, with a dead letter for each that failed and a line for each attempt. Answers the
 * segments that were closed, because their process was taken for dead, before the records in them could be committed.
 * Results with such records, and results whose known body has gone meanwhile, change nothing: their URLs stay leased, go
 * back with the lease, and are fetched again. Answers the contents too that results have brought, as far as these were
 * stored. A page that has no body any more, or is given another content, is nobody's copy, and the content at which it
 * pointed is noted, to be settled. A page whose answer has not changed keeps what a browser made of it.
 * `offset 0`: where few pages point at a content yet, Postgres would go through all URLs to find those before it looks for
 * the ones that are named.
 */
export const commitResults = statement<[rows: string], { closed: number | null; content_id: number | null }>(
  'commit-results',
)`
   with r as materialized (
     select * from json_to_recordset($1) as r(
       host_id bigint, crawl_id bigint, key text, token bigint, state url_state, config_version int, reason text, detail text,
       stage smallint, due_in_ms float8, attempted boolean, own boolean, behind real, answered boolean, status smallint, bytes bigint,
       content_hash text, content_type text, robots_tag text, link_fields text, etag text, last_modified text, redirect_to text,
       next_url text, chain text, truncated text, took_ms int, headers jsonb, cut jsonb, reported_hash text,
       segment int, at bigint, length int, known boolean, content_id bigint)
      order by host_id, crawl_id, key
   ), settings as materialized (
     select id, config_version from crawl
      where id in (select crawl_id from r where config_version is not null) order by id for key share
   ), taking as materialized (
     select id from segment where id in (select segment from r) and state = 'open' order by id for share
   ), bodies as materialized (
     select hash from body where hash in (select decode(content_hash, 'hex') from r where known)
      order by hash for key share
   ), result as materialized (
     select r.*, ${stateOfNamed('leased')}, coalesce(r.config_version <> s.config_version, false) as outdated
       from r left join settings s on s.id = r.crawl_id
      where (r.segment is null or r.segment in (select id from taking))
        and (r.known is not true or decode(r.content_hash, 'hex') in (select hash from bodies))
   ), ${holdQueues('r')}, left_behind as (
     insert into content_due (crawl_id, content_id)
     select r.crawl_id, u.content_id
       from result r
      cross join lateral (
        select crawl_id, content_id from url
         where host_id = r.host_id and crawl_id = r.crawl_id and key = decode(r.key, 'hex') offset 0
      ) u
      where u.content_id is not null and (r.content_id is not null or ${isEmpty})
   ), moved as (
     update url u
        set state = case when r.outdated then 'queued' else r.state end,
            reason = case when not r.outdated then r.reason end, detail = case when not r.outdated then r.detail end,
            stage = r.stage, lease_token = null,
            due_at = now() + r.due_in_ms * interval '1 millisecond',
            priority = u.priority - case when u.priority > ${behindBy} - r.behind then r.behind else 0 end,
            attempts = u.attempts + r.attempted::int, tries = u.tries + r.own::int, fetches = least(u.fetches::int + r.answered::int, 32767),
            fetched_at = case when r.answered then clock_timestamp() else u.fetched_at end,
            status = coalesce(r.status, u.status), bytes = case when r.answered then r.bytes else u.bytes end,
            content_id = case when ${isEmpty} then null else coalesce(r.content_id, u.content_id) end,
            alias_host = case when r.content_id is null and not (${isEmpty}) then u.alias_host end,
            alias_key = case when r.content_id is null and not (${isEmpty}) then u.alias_key end,
            content_hash = case when ${isSameAnswer} then u.content_hash else decode(r.content_hash, 'hex') end,
            answer_hash = case when ${isSameAnswer} then u.answer_hash end,
            reported_hash = decode(r.reported_hash, 'hex'), content_type = r.content_type, robots_tag = r.robots_tag,
            link_fields = case when r.reason = 'not-modified' then coalesce(r.link_fields, u.link_fields) else r.link_fields end,
            etag = r.etag, last_modified = r.last_modified, redirect_to = r.redirect_to,
            url = coalesce(r.next_url, u.url), hops = u.hops + (r.next_url is not null)::int,
            chain = case when r.outdated or r.state = 'queued' then coalesce(r.chain, u.chain) end, truncated = r.truncated,
            took_ms = coalesce(r.took_ms, u.took_ms), cut = r.cut
       from result r
      where u.host_id = r.host_id and u.crawl_id = r.crawl_id and u.key = decode(r.key, 'hex')
        and u.state = r.was and u.lease_token = r.token and ${onceHeld}
     returning with (old as before) u.host_id, u.crawl_id, u.key, u.state, u.status, u.reason, u.detail, u.attempts,
               decode(r.content_hash, 'hex') as content_hash, r.attempted, r.headers, r.segment, r.at, r.length, r.known,
               r.content_id as claimed, case when u.answer_hash is null then before.answer_hash end as freed
   ), freed as (
     insert into freed_body (hash) select distinct freed from moved where freed is not null order by freed
     on conflict (hash) do update set since = now()
   ), looks as (
     ${takeLooks('moved', 'm.freed is not null')}
   ), stored as (
     insert into body (hash, segment, at, length, tenant_id)
     select distinct on (content_hash) content_hash, segment, at, length,
            (select tenant_id from crawl c where c.id = moved.crawl_id)
       from moved where not known order by content_hash
     on conflict (hash) do nothing
   ), seen_again as (
     insert into revisit (host_id, crawl_id, key, segment, at, length)
     select host_id, crawl_id, key, segment, at, length from moved where known is not false and segment is not null order by host_id, crawl_id, key
     on conflict (host_id, crawl_id, key) do update
       set segment = excluded.segment, at = excluded.at, length = excluded.length
   ), tried as (
     insert into attempt (host_id, crawl_id, key, class, status, message, headers)
     select host_id, crawl_id, key, reason, status, coalesce(detail, ''), headers
       from moved where attempted
   ), buried as (
     insert into dead_letter (host_id, crawl_id, key, class, status, message, attempts, headers)
     select host_id, crawl_id, key, reason, status, coalesce(detail, ''), attempts, headers
       from moved where state = 'failed'
     on conflict (host_id, crawl_id, key) do update
       set class = excluded.class, status = excluded.status, message = excluded.message, attempts = excluded.attempts,
           headers = excluded.headers, created_at = excluded.created_at
   )
   select distinct segment as closed, null::bigint as content_id
     from r where segment is not null and segment not in (select id from taking)
   union all
   select null, claimed from moved where claimed is not null`;

/** Counts a page that is read elsewhere in those counters of finish criteria that it meets; see `upsertPages`. */
export const countPage = statement<[crawlId: number, counters: readonly string[]]>('count-page')`
   insert into page_counter as c (crawl_id, counter, shard, pages)
   select $1, counter, pg_backend_pid() % 32, 1 from unnest($2::text[]) counter order by counter
   on conflict (crawl_id, counter, shard) do update set pages = c.pages + 1`;

/** The URL is queued to be fetched once more, and stored as it was. */
const isFetched = `(u.reason = 'recrawl' and u.content_hash is not null)`;

/**
 * Excludes up to `limit` of the queued URLs of a crawl that `which` names. Hosts come from `host_queue_crawl_host` in
 * their order, and the URLs of each from its queue: an order by key would sort the whole queue of a large host for each
 * batch.
 */
const excluding = (which: string): string =>
  `with chosen as materialized (
     select u.host_id, u.crawl_id, u.key, ${stateOfNamed('queued')}
       from host_queue q
      cross join lateral (
        select host_id, crawl_id, key from url
         where host_id = q.host_id and crawl_id = q.crawl_id and state = 'queued' ${which}
         order by priority desc, key limit $3
      ) u
      where q.crawl_id = $1 and q.has_queued
      order by q.host_id limit $3
   ), ${holdQueues('chosen')}
   update url u
      set state = case when ${isFetched} then 'done'::url_state else 'excluded' end,
          reason = case when ${isFetched} then 'fetched' else 'crawl-limit' end,
          detail = case when ${isFetched} then null else $2 end
     from chosen c where u.host_id = c.host_id and u.crawl_id = $1 and u.key = c.key and u.state = c.was
      and ${onceHeld}
   returning u.host_id`;

type Excluding = [crawlId: number, reason: string, limit: number];

/**
 * Excludes up to `limit` of a crawl's queued URLs; answers one row each. A page that was only to be fetched again stays
 * the page that it is. The caller must have it planned by key: Postgres would rather read the whole table than look ten
 * thousand rows up.
 */
export const excludeQueued = statement<Excluding, { host_id: number }>('exclude-queued')`${excluding('')}`;

/** The same of all but what pages need. */
export const excludeAllButNeeded = statement<Excluding, { host_id: number }>('exclude-all-but-needed')`
   ${excluding(`and kind <> ${String(storedKinds.requisite)}`)}`;
