/** Writes candidates as URL rows, queued or excluded. */
import { statement } from '../postgres/index.ts';
import { sitemapLimitReason, sitemapLimits } from '../../domain/sitemap-limits.ts';
import { storedKinds, type StoredKind } from '../../domain/url-kind.ts';
import { pageReasons, type ExcludedReason } from '../../domain/url-reason.ts';
import { holdQueues, onceHeld } from './queue-locks.ts';

/** The version of the settings by which a crawl rejected links. Such links leave no row that would have the version. */
export interface JudgedBy {
  readonly crawl_id: number;
  readonly config_version: number;
}

/**
 * Holds the settings of crawls until the transaction ends. Fails with `outdatedConfig` (`admitUrls`) if the settings
 * are no longer those by which links were judged: the present ones may take a link that the old ones left out. The
 * caller needs no row of the result.
 */
export const holdConfigs = statement<[rows: string], { held: number }>('hold-configs')`
   select hold_config(crawl_id, config_version) as held
     from (select distinct crawl_id, config_version from json_to_recordset($1) as r(crawl_id bigint, config_version int)
            order by crawl_id, config_version) judged`;

/** A URL that was found, as JSON. Bytes are hex strings. */
export interface AdmissionRow {
  readonly host_id: number;
  readonly crawl_id: number;
  /** Version of the crawl's settings by which the URL was judged. */
  readonly config_version: number;
  readonly key: string;
  readonly url: string;
  readonly kind: StoredKind;
  readonly seed: boolean;
  readonly depth: number;
  readonly hops: number;
  readonly priority: number;
  readonly parent_host: number | null;
  readonly parent_key: string | null;
  /** The reason for which the URL is recorded as excluded; null: no rule keeps the URL out. */
  readonly reason: ExcludedReason | null;
  readonly detail: string | null;
  /** Milliseconds until the URL is due; absent: it is due at once. */
  readonly due_in_ms?: number;
  /** The chain of redirects that leads to a URL that is queued; absent or null: none is known. */
  readonly chain?: string | null | undefined;
  /**
   * The URL may be leased at once under the lease of its host, if nothing else is queued there: so many of the write, the
   * best first. Absent: it is queued.
   */
  readonly lease?: { readonly token: number; readonly urls: number };
  /** Most URLs that this crawl may have at this host. */
  readonly host_limit: number;
  /** A known URL may become what this row is (`turnKinds`); absent: the crawl fetches nothing that pages need. */
  readonly turns?: true;
  /** What the link promises of the crawl's focus; absent: the crawl has none (links.sql.ts). */
  readonly relevance?: number;
  /** Epoch milliseconds of the last change that a sitemap names; absent: none, or the crawl's scores need none. */
  readonly lastmod?: number;
}

/** What is new in the frontier, or new as a page. */
export interface Admitted extends Pick<AdmissionRow, 'host_id' | 'crawl_id' | 'key' | 'kind'> {
  /** To be fetched; false: recorded as excluded. */
  readonly queued: boolean;
  /** The token of the lease under which the URL is in hand; null: under none. */
  readonly leased: number | null;
}

/** SQLSTATE with which `hold_config` fails if a version is no longer in force. */
export const outdatedConfig = 'OW001';

/** 'outdated': settings were edited since rows were judged by them, and nothing was written. */
export const orOutdated = <T>(writing: Promise<T>): Promise<T | 'outdated'> =>
  writing.catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === outdatedConfig) return 'outdated';
    throw error;
  });

/**
 * Inserts what is not there, and returns it. What names the lease of its host is leased at once, as `leaseUrls` would, if
 * neither this crawl nor another has anything queued there: the transaction must hold the queue (`lockHostQueues`). A closed crawl admits nothing; a draining crawl records the URLs as
 * excluded. Fails with `outdatedConfig` if the settings of a crawl are no longer those by which its rows were judged
 * (`hold_config`).
 */
export const insertUrls = statement<[rows: string], Admitted>('insert-urls')`
   with found as materialized (
     select *, row_number() over (partition by host_id, crawl_id, reason is null order by priority desc, key) as place
       from json_to_recordset($1) as r(
              host_id bigint, crawl_id bigint, config_version int, key text, url text, kind smallint, seed boolean, depth smallint,
              hops smallint, priority real, parent_host bigint, parent_key text, reason text, detail text,
              due_in_ms float8, chain text, lease jsonb, host_limit bigint)
   ), visited as materialized (
     select f.host_id, f.crawl_id
       from (select distinct host_id, crawl_id, (lease ->> 'token')::bigint as token from found where lease is not null) f
      where exists (select from host h where h.id = f.host_id and h.lease_token = f.token)
        and not exists (select from host_queue q where q.host_id = f.host_id and q.has_queued)
   ), current as materialized (
     select hold_config(crawl_id, config_version)
       from (select distinct crawl_id, config_version from found order by crawl_id, config_version) judged
   ), ${holdQueues('found')}, counted as materialized (
     select d.host_id, d.crawl_id,
            (select count(*) from url s
              where s.host_id = d.host_id and s.crawl_id = d.crawl_id and s.kind = 1
                and s.reason is distinct from '${sitemapLimitReason}') as known
       from (select distinct host_id, crawl_id from found where kind = 1 and reason is null) d
   ), sitemap as materialized (
     select f.host_id, f.crawl_id, f.key,
            c.known + row_number() over (partition by f.host_id, f.crawl_id order by f.key) as place
       from counted c join found f using (host_id, crawl_id)
      where f.kind = 1 and f.reason is null
        and not exists (select 1 from url u where u.host_id = f.host_id and u.crawl_id = f.crawl_id
                                              and u.key = decode(f.key, 'hex'))
   ), crowded as (
     select f.*, coalesce(q.total, 0) as total,
            f.reason is null
              and coalesce(q.total, 0) + count(*) over (partition by f.host_id, f.crawl_id, f.reason is null) > f.host_limit
              as crowded
       from found f left join host_queue q on q.host_id = f.host_id and q.crawl_id = f.crawl_id
   ), ranked as materialized (
     -- Close to the limit, and only there, what is known already is told from what is new.
     select c.*,
            total + count(*) filter (where crowded and not exists (select 1 from url u where u.host_id = c.host_id
                                        and u.crawl_id = c.crawl_id and u.key = decode(c.key, 'hex') offset 0))
                      over (partition by host_id, crawl_id, reason is null order by place) as rank
       from crowded c
   )
   insert into url (host_id, crawl_id, key, url, state, lease_token, kind, seed, depth, hops, priority, parent_host, parent_key,
                    reason, detail, due_at, chain)
   select r.host_id, r.crawl_id, decode(r.key, 'hex'), r.url,
          case when verdict.reason is not null then 'excluded' when hand.token is null then 'queued' else 'leased' end::url_state,
          hand.token,
          r.kind, r.seed, r.depth, r.hops, r.priority, r.parent_host, decode(r.parent_key, 'hex'),
          verdict.reason, r.detail, now() + coalesce(r.due_in_ms, 0) * interval '1 millisecond',
          case when verdict.reason is null then r.chain end
     from ranked r
     join crawl c on c.id = r.crawl_id and c.state not in ('finished', 'cancelled', 'failed')
     left join sitemap s on s.host_id = r.host_id and s.crawl_id = r.crawl_id and s.key = r.key
    cross join lateral (
      select case
        when r.reason is not null then r.reason
        when c.state = 'draining' then 'crawl-limit'
        when s.place > ${String(sitemapLimits.ofHost)} then '${sitemapLimitReason}'
        when r.crowded and r.rank > r.host_limit then 'host-limit'
      end as reason
    ) verdict
     left join lateral (
       select (r.lease ->> 'token')::bigint as token
         from visited v
        where v.host_id = r.host_id and v.crawl_id = r.crawl_id and verdict.reason is null and c.state = 'running'
          and coalesce(r.due_in_ms, 0) = 0 and r.place <= (r.lease ->> 'urls')::int
     ) hand on true
    where ${onceHeld} and (select count(*) from current) > 0
    order by r.host_id, r.crawl_id, r.key, hand.token
   on conflict (host_id, crawl_id, key) do nothing
   returning host_id, crawl_id, encode(key, 'hex') as key, kind, state <> 'excluded' as queued, lease_token as leased`;

const isNeeded = (row: string): string => `${row}.kind = ${String(storedKinds.requisite)}`;

/**
 * Makes known URLs what the rows say; answers those URLs. What was met only as something that pages need becomes the page
 * that a link names: if it was fetched, it is queued, to be asked for again and read as a page, and the content at which
 * it pointed is noted, to be settled. What was kept out only as a page, and never asked for, is queued as what a page
 * needs; but a seed stays a page. In a statement of its own, after `insertUrls` in its transaction: a statement does not
 * see what it inserts itself, nor what another transaction inserts while it waits. The kinds are compared in a `case`: by
 * a condition of its own Postgres would look for URLs by it.
 */
export const turnKinds = statement<[rows: string], Admitted>('turn-kinds')`
   with found as materialized (
     select distinct on (host_id, crawl_id, key, ${isNeeded('r')}) *
       from json_to_recordset($1) as r(
              host_id bigint, crawl_id bigint, key text, kind smallint, seed boolean, depth smallint, hops smallint,
              priority real, parent_host bigint, parent_key text, due_in_ms float8, chain text)
      order by host_id, crawl_id, key, ${isNeeded('r')}, priority desc
   ), ${holdQueues('found')}, turned as (
     update url u
        set kind = f.kind, seed = f.seed, depth = f.depth, hops = f.hops, chain = coalesce(f.chain, u.chain), priority = f.priority,
            parent_host = f.parent_host, parent_key = decode(f.parent_key, 'hex'),
            due_at = greatest(u.due_at, now() + coalesce(f.due_in_ms, 0) * interval '1 millisecond'),
            (state, reason, detail, stage, content_hash, content_id, alias_host, alias_key) = (
              select 'queued'::url_state, null, null, 0::smallint, null, null::bigint, null::bigint, null
               where u.state = 'done' or ${isNeeded('f')}
              union all
              select u.state, u.reason, u.detail, u.stage, u.content_hash, u.content_id, u.alias_host, u.alias_key
               where u.state <> 'done' and not ${isNeeded('f')})
       from found f join crawl c on c.id = f.crawl_id and c.state in ('seeding', 'running', 'paused')
      where u.host_id = f.host_id and u.crawl_id = f.crawl_id and u.key = decode(f.key, 'hex') and ${onceHeld}
        and case when ${isNeeded('f')}
                 then u.kind = ${String(storedKinds.page)} and u.state = 'excluded' and u.fetches = 0 and not u.seed
                      and u.reason in (${pageReasons.map((each) => `'${each}'`).join(', ')})
                 else ${isNeeded('u')} end
     returning with (old as before) u.host_id, u.crawl_id, encode(u.key, 'hex') as key, u.kind,
               u.state = 'queued' as queued, before.content_id as pointed, u.content_id
   ), due as (
     insert into content_due (crawl_id, content_id)
     select crawl_id, pointed from turned where pointed is distinct from content_id
   )
   select host_id, crawl_id, key, kind, queued, null::bigint as leased from turned`;

/** Keys of those `places`, [{origin, key}] with keys in hex, that are in the frontier of a crawl. */
export const knownUrls = statement<[crawlId: string, places: string], { key: string }>('known-urls')`
   select p.key
     from json_to_recordset($2) as p(origin text, key text)
     join host h on h.origin = p.origin
     join url u on u.host_id = h.id and u.crawl_id = $1 and u.key = decode(p.key, 'hex')`;
