/** The stages of a stored body: dedup, extraction, and which of them wait to be rendered. */
import type { ReadingLane } from '../../contracts/activities.ts';
import type { ReadingTurn } from '../../domain/reading-turns.ts';
import type { RenderReason } from '../../domain/rendering/reason.ts';
import { storedStages, type StoredStage } from '../../domain/stage.ts';
import { storedKinds, type StoredKind } from '../../domain/url-kind.ts';
import type { FoundRecord } from '../archive/index.ts';
import {
  extractionColumns,
  extractionOf,
  extractionSet,
  extractionTypes,
  type ExtractionRow,
} from './extraction.ts';
import { statement, type Queryable } from '../postgres/index.ts';
import { standsForContent } from './copy-ranking.ts';
import type { Cut } from '../../domain/limits.ts';
import { takeLooks } from '../looks.ts';
import { isRendering } from '../unread.ts';

const [dedup, extract] = [String(storedStages.dedup), String(storedStages.extract)];

export interface StagedBody {
  readonly host_id: number;
  readonly origin: string;
  readonly crawl_id: number;
  readonly key: string;
  readonly url: string;
  readonly kind: StoredKind;
  readonly seed: boolean;
  readonly depth: number;
  readonly priority: number;
  readonly content_hash: Buffer;
  /** Files that limits kept from the page while a browser rendered it, and made this body; null: it is as it was fetched. */
  readonly rendered_without: number | null;
  /** At which it points; before dedup, the one of its body before. */
  readonly content_id: number | null;
  readonly content_type: string | null;
  readonly robots_tag: string | null;
  readonly link_fields: string | null;
  /** Requests that were answered, this one included. */
  readonly fetches: number;
  /** Milliseconds that the last answer took; null: not known. */
  readonly took_ms: number | null;
  /** Where the body lies, for extraction; null: the body is gone, or the stage does not read it. */
  readonly record: FoundRecord | null;
}

/** Hosts of a crawl where bodies wait for a stage. */
export interface UnreadHosts {
  readonly crawl_id: number;
  readonly tenant_id: number;
  /** Those of the lane, by id. */
  readonly hosts: readonly number[];
  /** The last host that was looked at; null: no other host of the crawl comes after the place. */
  readonly last: number | null;
}

/** Most hosts that a look looks at over all crawls, unless `fewestLooks` for each are more. */
const looks = 300;
const fewestLooks = 8;

type HostsPlace = [shard: number, lane: number, lanes: number, places: string];

/**
 * `places`: [{crawl_id, after}]. Steps from crawl to crawl, and within each from host to host, by `url_unread`: the look
 * costs as much as the crawls and hosts that it looks at, however many bodies wait there. `apart`: crawls that are looked at.
 */
const unread = (stage: StoredStage, apart = ''): string => {
  const waits = `u.stage = ${String(stage)} and u.stage > 0`;
  return `with recursive one as (
     (select u.crawl_id from url u where ${waits} order by u.crawl_id limit 1)
     union all
     select (select u.crawl_id from url u where ${waits} and u.crawl_id > one.crawl_id order by u.crawl_id limit 1)
       from one where one.crawl_id is not null
   ), waiting as materialized (
     select c.id, c.tenant_id, coalesce(p.after, 0) as after, greatest(${String(fewestLooks)}, ${String(looks)} / count(*) over ()) as looks
       from one
       join crawl c on c.id = one.crawl_id
       left join json_to_recordset($4) as p(crawl_id bigint, after bigint) on p.crawl_id = one.crawl_id ${apart}
   )
   select w.id as crawl_id, w.tenant_id, coalesce(walk.hosts, '{}') as hosts, walk.last
     from waiting w
    cross join lateral (
      with recursive step as (
        select 1 as nth, (select u.host_id from url u where ${waits} and u.crawl_id = w.id and u.host_id > w.after
                           order by u.host_id limit 1) as host_id
        union all
        select nth + 1, (select u.host_id from url u where ${waits} and u.crawl_id = w.id and u.host_id > step.host_id
                          order by u.host_id limit 1)
          from step where step.host_id is not null and nth < w.looks
      )
      select array_agg(s.host_id order by s.host_id) filter (where h.shard = $1 and s.host_id % $3 = $2) as hosts,
             case when bool_or(s.host_id is null) then null else max(s.host_id) end as last
        from step s left join host h on h.id = s.host_id
    ) walk
    order by w.id`;
};

const unjudgedHosts = statement<HostsPlace, UnreadHosts>('hosts-to-judge')`${unread(storedStages.dedup)}`;
const unreadHosts = statement<HostsPlace, UnreadHosts>('hosts-to-read')`${unread(storedStages.extract)}`;
/**
 * Not before all processes know that pages of the crawl are rendered. Until then a link to what scripts ask for too would be
 * taken for seen (engine/admission/admission.ts).
 */
const isKnown = `where c.renders_since is null or c.renders_since < now() - interval '2.5 seconds'`;
const unrenderedHosts = statement<HostsPlace, UnreadHosts>('hosts-to-render')`
   ${unread(storedStages.render, isKnown)}`;

/** The stages in which a lane works bodies. */
export type LaneStage = Exclude<StoredStage, typeof storedStages.none | typeof storedStages.resources>;

const hostsThere = {
  [storedStages.dedup]: unjudgedHosts,
  [storedStages.extract]: unreadHosts,
  [storedStages.render]: unrenderedHosts,
} as const;

/**
 * For each crawl with bodies that wait for a stage: hosts of a lane, after a place. @param places by crawl, the host after
 * which to look; absent: from the first
 */
export const hostsInStage = (
  db: Queryable,
  { shard, lane, lanes }: ReadingLane,
  stage: LaneStage,
  places: ReadonlyMap<number, number>,
): Promise<UnreadHosts[]> => {
  const rows = JSON.stringify(Array.from(places, ([crawl_id, after]) => ({ crawl_id, after })));
  return hostsThere[stage](db, shard, lane, lanes, rows);
};

/** SQL: `StagedBody.rendered_without` of the page `u`. */
export const renderedWithout = `case when u.answer_hash is not null then coalesce((
            select g.lacks from rendering g where g.host_id = u.host_id and g.crawl_id = u.crawl_id and g.key = u.key), 0) end`;

/** @param record where a body lies @param apart what is left to others */
const inStage = (stage: LaneStage, record: string, apart = ''): string =>
  `select u.host_id, h.origin, u.crawl_id, encode(u.key, 'hex') as key, u.url, u.kind, u.seed, u.depth, u.priority,
          u.content_hash, ${renderedWithout} as rendered_without, u.content_id, u.content_type, u.robots_tag, u.link_fields, u.fetches, u.took_ms, ${record} as record
     from json_to_recordset($1) as t(nth int, crawl_id bigint, host_id bigint, bodies int)
     join host h on h.id = t.host_id
    cross join lateral (
      select * from url u
       where u.stage = ${String(stage)} and u.stage > 0 and u.crawl_id = t.crawl_id and u.host_id = t.host_id ${apart}
       limit t.bodies
    ) u
    order by t.nth`;

const recordOf = `(
            select json_build_object('segment', b.segment, 'name', s.name, 'folder', s.folder, 'at', b.at, 'length', b.length)
              from body b join segment s on s.id = b.segment where b.hash = u.content_hash)`;

// A statement for each: Postgres would plan one that is told the stage, and whether there are folders, anew each time.
const toJudge = statement<[turns: string], StagedBody>('bodies-to-judge')`
   ${inStage(storedStages.dedup, 'null::json')}`;
const toRead = statement<[turns: string], StagedBody>('bodies-to-read')`
   ${inStage(storedStages.extract, recordOf)}`;
const toRender = statement<[turns: string], StagedBody>('bodies-to-render')`
   ${inStage(storedStages.render, recordOf)}`;
const isHere = `and not exists (select from body b join segment s on s.id = b.segment
                      where b.hash = u.content_hash and s.folder <> $2)`;
const toReadHere = statement<[turns: string, folder: string], StagedBody>('bodies-to-read-here')`
   ${inStage(storedStages.extract, recordOf, isHere)}`;
const toRenderHere = statement<[turns: string, folder: string], StagedBody>('bodies-to-render-here')`
   ${inStage(storedStages.render, recordOf, isHere)}`;

/**
 * Bodies that wait for a stage, in the order of their turns.
 * @param folder bodies to be read that lie in another folder are left to processes that have it; null: none is
 */
export const bodiesInStage = (
  db: Queryable,
  turns: readonly ReadingTurn[],
  stage: LaneStage,
  folder: string | null,
): Promise<StagedBody[]> => {
  const rows = JSON.stringify(
    turns.map(({ crawlId, hostId, bodies }, nth) => ({ nth, crawl_id: crawlId, host_id: hostId, bodies })),
  );
  if (stage === storedStages.dedup) return toJudge(db, rows);
  const [all, here] = stage === storedStages.extract ? [toRead, toReadHere] : [toRender, toRenderHere];
  return folder === null ? all(db, rows) : here(db, rows, folder);
};

/**
 * Pages that nobody can read now, since their bodies lie in a folder of which no process reports that it is at work. The
 * frontier is looked at only if there is such a folder.
 */
export const outOfReach = statement<[], { pages: number; bytes: number }>('pages-out-of-reach')`
   with gone as materialized (
     select s.id from segment s
      where s.folder is not null
        and not exists (select from worker_process w
                         where w.folder = s.folder and w.seen_at > now() - interval '15 seconds')
   )
   select coalesce(lost.pages, 0)::bigint as pages, coalesce(lost.bytes, 0)::bigint as bytes
     from (select exists (select from gone) as any) found
     left join lateral (
       select count(*) as pages, sum(u.bytes) as bytes
         from url u join body b on b.hash = u.content_hash join gone on gone.id = b.segment
        where u.stage = ${extract} and u.stage > 0 and found.any
     ) lost on true`;

/** A step of a fetched body through dedup and extraction, as JSON. */
export interface StageRow {
  readonly host_id: number;
  readonly crawl_id: number;
  readonly key: string;
  readonly from: Exclude<StoredStage, typeof storedStages.none>;
  readonly to: Exclude<StoredStage, typeof storedStages.dedup>;
  /** The page of which this one is a duplicate. */
  readonly alias_host: number | null;
  readonly alias_key: string | null;
  /** Of the body that was judged or read; null: the answer to a made-up path has none. A page that has another one stays. */
  readonly content_id: number | null;
  /** At the end of extraction: what limits left out of the page; absent: nothing. */
  readonly cut?: Cut | null;
  /** At the end of extraction: the page is held as soft 404, with this detail; absent: it is not. */
  readonly held?: string;
  /** Why a browser is to render the page; absent: none is, or its content says why. */
  readonly rendered_for?: RenderReason;
}

/**
 * Moves bodies to their next stage. Dedup decides of which page a body is a copy, each time it is fetched; a copy of a
 * page of its host that is held as soft 404 is held with it: whoever releases the page looks at that host. A content
 * that a page leaves for another one is noted, to be settled. Leaves a row alone that has moved meanwhile (because an
 * activity ran twice), and one whose content is gone or is no longer that of its body: it is judged again. The content of
 * such a row is noted too: it may have been claimed for it a moment ago, and nobody else would give it back.
 */
export const advanceStages = statement<[rows: string]>('advance-stages')`
   with r as materialized (
     select * from json_to_recordset($1) as r(
       host_id bigint, crawl_id bigint, key text, "from" smallint, "to" smallint, alias_host bigint, alias_key text,
       content_id bigint, cut jsonb, held text, rendered_for text)
      order by host_id, crawl_id, key
   ), held as materialized (
     select crawl_id, id, hash from content
      where (crawl_id, id) in (select crawl_id, content_id from r where "from" = ${dedup})
      order by crawl_id, id for key share
   ), due as (
     insert into content_due (crawl_id, content_id)
     select u.crawl_id, u.content_id
       from r join url u on u.host_id = r.host_id and u.crawl_id = r.crawl_id and u.key = decode(r.key, 'hex')
      where r."from" = ${dedup} and u.stage = ${dedup} and u.content_id is not null and u.content_id is distinct from r.content_id
   ), judged as (
     select r.*, coalesce(r.held, o.detail) as because
       from r
       left join url o on r.alias_host = r.host_id and o.host_id = r.alias_host and o.crawl_id = r.crawl_id and o.key = decode(r.alias_key, 'hex')
        and o.state = 'excluded' and o.reason = 'soft-404'
   ), moved as (
     update url u
        set stage = r."to",
            state = case when r.because is null or u.seed then u.state else 'excluded' end,
            reason = case when r.because is null or u.seed then u.reason else 'soft-404' end,
            detail = case when r.because is null or u.seed then u.detail else r.because end, alias_host = case when r."from" = ${dedup} then r.alias_host else u.alias_host end,
            alias_key = case when r."from" = ${dedup} then decode(r.alias_key, 'hex') else u.alias_key end,
            content_id = case when r."from" = ${dedup} then r.content_id else u.content_id end,
            cut = case when r."from" = ${extract} then nullif(r.cut, '{}') else u.cut end
       from judged r
      where u.host_id = r.host_id and u.crawl_id = r.crawl_id and u.key = decode(r.key, 'hex') and u.stage = r."from"
        and (r.content_id is null or r."from" = ${extract} and u.content_id = r.content_id
             or (r.crawl_id, r.content_id, u.content_hash) in (select crawl_id, id, hash from held))
     returning u.host_id, u.crawl_id, u.key, u.content_hash, r.rendered_for
   ), begun as (
     insert into rendering (host_id, crawl_id, key, answer_hash, reason, rounds, crashes)
     select host_id, crawl_id, key, content_hash, rendered_for, 0, 0
       from moved where rendered_for is not null order by host_id, crawl_id, key
     on conflict (host_id, crawl_id, key) do update
       set answer_hash = excluded.answer_hash, reason = excluded.reason, rounds = 0, crashes = 0, unended = 0, outcome = null,
           due_at = null, until = null, waits = default, admitted = 0, lacks = 0, lacks_login = false, words_before = null,
           links_before = null, resources = default, refused = default, console = default, navigation = null, ended_at = null
   )
   insert into content_due (crawl_id, content_id)
   select r.crawl_id, r.content_id from r
    where r."from" = ${dedup} and r.content_id is not null
      and not exists (select from moved m
                       where m.host_id = r.host_id and m.crawl_id = r.crawl_id and m.key = decode(r.key, 'hex'))`;

/** What extraction found in the body of one page, as JSON. Bytes are hex strings. */
export interface PageRow extends ExtractionRow {
  /** Never null: dedup comes before. */
  readonly content_id: number | null;
  readonly host_id: number;
  readonly crawl_id: number;
  readonly key: string;
  /** 64 bits, signed; absent: the crawl does not keep fresh. */
  readonly simhash?: string | null;
  /** To the crawl's focus; absent: the crawl has none. */
  readonly relevance?: number;
  /** Counters of finish criteria that count the page, if it is new. */
  readonly counters: readonly string[];
  /** A browser is to render it: it is counted as it is only if none does (`countKept`); absent: none is asked. */
  readonly waits?: true;
  /** Why the body says nothing without a browser, which its pages are given to; absent: they are not. */
  readonly shell?: string;
}

/**
 * Stores readings, and counts pages that are new; a body that is read again loses its earlier readings. The text of each
 * that another body has too is judged later, and so is the text that the body had before (`judgeTexts`). A page that a
 * standing crawl has visited before has been counted. A body that has gone meanwhile, since its page has another one by
 * now, gets no reading. A body that turns out to be a shell has its copies released (`settleContents`). No answer.
 */
export const upsertPages = statement<[rows: string]>('upsert-pages')`
   with r as materialized (
     select r.*, decode(r.key, 'hex') as place, c.shell as was_shell
       from json_to_recordset($1) as r(
            content_id bigint, host_id bigint, crawl_id bigint, key text, ${extractionTypes}, simhash bigint, relevance real,
            counters text[], waits boolean, shell text)
       join content c on c.crawl_id = r.crawl_id and c.id = r.content_id
      order by c.crawl_id, c.id for key share of c
   ), texts as materialized (
     select crawl_id, decode(text_hash, 'hex') as text_hash, content_id
       from r
      where text_hash is not null
        and (exists (select from reading q
                      where q.crawl_id = r.crawl_id and q.text_hash = decode(r.text_hash, 'hex')
                        and q.content_id <> r.content_id)
             or exists (select from r o
                         where o.crawl_id = r.crawl_id and o.text_hash = r.text_hash and o.content_id <> r.content_id))
     union
     select p.crawl_id, p.text_hash, p.content_id
       from r join reading p on p.crawl_id = r.crawl_id and p.content_id = r.content_id
      where p.job_id = 0 and p.text_hash is not null
   ), due as (
     insert into text_due (crawl_id, text_hash, content_id) select crawl_id, text_hash, content_id from texts
   ), shells as (
     update content c set shell = r.shell
       from r where r.shell is distinct from r.was_shell and c.crawl_id = r.crawl_id and c.id = r.content_id
     returning c.crawl_id, c.id, c.shell
   ), released as (
     insert into content_due (crawl_id, content_id) select crawl_id, id from shells where shell is not null
   ), outdated as (
     delete from reading p using r where p.crawl_id = r.crawl_id and p.content_id = r.content_id and p.job_id > 0
   ), stored as (
     insert into reading (crawl_id, content_id, host_id, key, ${extractionColumns}, simhash, relevance, due_counters)
     select crawl_id, content_id, host_id, place, ${extractionOf('r')}, simhash, relevance, case when waits then nullif(counters, '{}') end
       from r order by crawl_id, content_id
     on conflict (crawl_id, content_id, job_id) do update
       set host_id = excluded.host_id, key = excluded.key, ${extractionSet('excluded')},
           simhash = excluded.simhash, relevance = excluded.relevance, extracted_at = now(),
           due_counters = case when excluded.due_counters is not null then reading.due_counters end
     returning with (old as before) reading.crawl_id, reading.content_id,
               before.crawl_id is null or before.due_counters is not null as is_new
   ), counted as (
     insert into page_counter as c (crawl_id, counter, shard, pages)
     select r.crawl_id, counter, pg_backend_pid() % 32, count(*)
       from r cross join unnest(r.counters) counter
       join stored s on s.crawl_id = r.crawl_id and s.content_id = r.content_id and s.is_new
      where r.waits is not true
        and not exists (select from page_history h
                         where h.crawl_id = r.crawl_id and h.key = r.place and h.host_id = r.host_id)
      group by r.crawl_id, counter order by r.crawl_id, counter
     on conflict (crawl_id, counter, shard) do update set pages = c.pages + excluded.pages
   )
   select from stored limit 0`;

/**
 * Queues URLs again whose body is missing or torn in the blob store. `rows`: [{crawl_id, key}] of one host. What they
 * point at stays until the new body is judged; but a page that was to be rendered, and points at a body for which another
 * page stands, is nobody's copy, and points at nothing.
 */
export const requeueLostBodies = statement<[hostId: string, rows: string], { crawl_id: number }>(
  'requeue-lost-bodies',
)`
   with r as materialized (
     select crawl_id, decode(key, 'hex') as key from json_to_recordset($2) as r(crawl_id bigint, key text)
   ), held as materialized (
     select from host_queue where host_id = $1 and crawl_id in (select crawl_id from r) order by crawl_id for update
   ), lost as (
     update url u set state = 'queued', stage = 0, due_at = now(), reason = 'body-lost', content_hash = null,
                    answer_hash = null, etag = null, last_modified = null,
                    content_id = case when not ${isRendering('u')} or ${standsForContent} then u.content_id end
       from r
      where u.host_id = $1 and u.crawl_id = r.crawl_id and u.key = r.key and u.state = 'done' and u.stage > 0
        and (select count(*) from held) >= 0
     returning with (old as before) u.host_id, u.crawl_id, u.key, before.answer_hash
   ), freed as (
     insert into freed_body (hash) select distinct answer_hash from lost where answer_hash is not null order by answer_hash
     on conflict (hash) do update set since = now()
   ), looks as (
     ${takeLooks('lost', 'm.answer_hash is not null and g.host_id = $1')}
   )
   select crawl_id from lost`;

/** Turns a URL that was taken for a page into a sitemap: from now on it is read and counted as a sitemap. */
export const turnIntoSitemap = statement<[hostId: number, crawlId: number, key: string]>('turn-into-sitemap')`
   update url set kind = 1 where host_id = $1 and crawl_id = $2 and key = decode($3, 'hex') and kind = 0`;

/** Counts the URLs of a kind that led to one, each naming the next, itself not counted; redirects between them do not count. */
const levelOf = (kind: StoredKind): string =>
  `with recursive up as (
     select parent_host, parent_key, 0 as level, 0 as steps
       from url where host_id = $1 and crawl_id = $2 and key = decode($3, 'hex')
     union all
     select u.parent_host, u.parent_key, up.level + (u.redirect_to is null)::int, up.steps + 1
       from up join url u on u.host_id = up.parent_host and u.crawl_id = $2 and u.key = up.parent_key
      where u.kind = ${String(kind)} and up.steps < 100
   )
   select max(level)::int as level from up`;

type Level = readonly [hostId: number, crawlId: number, key: string];

/** How many sitemaps led to this one. 0: robots.txt names it. @param key hex */
export const sitemapLevel = statement<[...Level], { level: number }>('sitemap-level')`
   ${levelOf(storedKinds.sitemap)}`;

/** How many style sheets led to what a page needs. 0: the page itself names it. @param key hex */
export const requisiteLevel = statement<[...Level], { level: number }>('requisite-level')`
   ${levelOf(storedKinds.requisite)}`;
