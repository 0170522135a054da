/** Pages of re-extractions: read again, compared, made the pages' own, removed. */
import type { Extraction } from '../../domain/reextraction/difference.ts';
import { extractionJson, extractionSet, renderedWithout, type StagedBody } from '../pages/index.ts';
import { statement } from '../postgres/index.ts';

/** The fingerprint that is stored of a content (storage/alike/), as JSON; null: there is none. */
const printJson = (crawlId: string, contentId: string): string =>
  `(select json_build_object('words', t.words, 'simhash', t.simhash::text, 'sketch', encode(t.sketch, 'hex'),
                                    'numbers', encode(t.numbers, 'hex'), 'bands', t.bands::text[])
             from text_print t where t.crawl_id = ${crawlId} and t.content_id = ${contentId})`;

/** A content on the walk. `key` null: nothing was read of it, and the row only marks how far the walk is. */
export interface WalkedPage extends Omit<StagedBody, 'key' | 'content_id'> {
  readonly content_id: number;
  readonly key: string | null;
  /** What was read of it. */
  readonly before: Extraction;
  /** Milliseconds since 1970, of the reading. */
  readonly extracted_ms: number;
  /** The fingerprint of its text that is stored (storage/alike/); null: there is none. */
  readonly stored_print: Readonly<Record<string, unknown>> | null;
  /** Contents that were looked at, these and those that did not fit. */
  readonly looked: number;
}

/** Bytes of links and metadata that one answer holds, about. */
const mostBytes = 4 * 1024 * 1024;

/**
 * Contents of a crawl after one and up to another, in the order of their ids, `mostLooked` at most; those of which
 * something was read, `limit` at most, with what it was, by the page that stands for them. Whatever waits to be read is
 * left out: it is read by itself.
 */
export const walkPages = statement<
  { crawlId: string; after: number; until: number; limit: number; mostLooked: number },
  WalkedPage
>('walk-pages')`
   with weighed as materialized (
     select c.id, c.host_id, c.key as page, u.key, count(*) over () as looked,
            count(u.key) over (order by c.id) as nth,
            sum(case when u.key is not null
                     then octet_length(p.outlinks) + coalesce(pg_column_size(p.meta), 0) + coalesce(pg_column_size(p.fields), 0)
                     else 0 end) over (order by c.id) as weight
       from (select id, host_id, key from content
              where crawl_id = $crawlId and id > $after and id <= $until order by id limit $mostLooked) c
       left join reading p on p.crawl_id = $crawlId and p.content_id = c.id and p.job_id = 0
       left join url u on u.host_id = c.host_id and u.crawl_id = $crawlId and u.key = c.key and u.content_id = c.id
        and u.stage = 0 and u.content_hash is not null and p.content_id is not null
   )
   select w.id as content_id, encode(w.key, 'hex') as key, w.looked,
          (extract(epoch from p.extracted_at) * 1000)::float8 as extracted_ms,
          w.host_id, h.origin, u.crawl_id, u.url, u.kind, u.seed, u.depth, u.priority,
          u.content_hash, ${renderedWithout} as rendered_without, u.content_type, u.robots_tag, u.link_fields, u.fetches, u.took_ms,
          ${extractionJson('p', 'u.cut')} as before, ${printJson('$crawlId', 'w.id')} as stored_print,
          (select json_build_object('segment', b.segment, 'name', s.name, 'folder', s.folder, 'at', b.at, 'length', b.length)
             from body b join segment s on s.id = b.segment where b.hash = u.content_hash) as record
     from weighed w
     join url u on u.host_id = w.host_id and u.crawl_id = $crawlId and u.key = w.page
     join host h on h.id = w.host_id
     left join reading p on p.crawl_id = $crawlId and p.content_id = w.id and p.job_id = 0 and w.key is not null
    where w.nth <= $limit and (w.nth <= 1 or w.weight <= ${mostBytes})
    order by w.id`;

/** Both readings of a page. `after` null: the job has none of it, or it is the body's own by now. */
interface ComparedPage {
  readonly host_id: number;
  readonly key: string;
  readonly url: string;
  readonly before: Extraction;
  readonly after: Extraction | null;
}

/** Pages of a crawl by host and key, with what they hold and what a job has found. `rows`: [{host_id, key}]. */
export const comparePages = statement<[crawlId: string, id: string, rows: string], ComparedPage>(
  'compare-pages',
)`
   select u.host_id, encode(u.key, 'hex') as key, u.url, ${extractionJson('p', 'u.cut')} as before,
          case when x.job_id is not null then ${extractionJson('x', 'x.cut')} end as after
     from json_to_recordset($3) as r(host_id bigint, key text)
     join url u on u.host_id = r.host_id and u.crawl_id = $1 and u.key = decode(r.key, 'hex')
     join reading p on p.crawl_id = u.crawl_id and p.content_id = u.content_id and p.job_id = 0
     left join reading x on x.crawl_id = u.crawl_id and x.content_id = u.content_id and x.job_id = $2`;

/** Removes so many readings of a job. */
export const removeReextracted = statement<[id: string, limit: number], { rows: number }>(
  'remove-reextracted',
)`
   with gone as (
     delete from reading where job_id > 0 and ctid = any (array(
       select ctid from reading where job_id = $1 and job_id > 0 order by content_id limit $2))
     returning 1
   )
   select count(*) as rows from gone`;

/** So many readings of a job become the bodies' own: nobody sees a difference. */
export const keepReextracted = statement<[id: string, crawlId: string, limit: number], { rows: number }>(
  'keep-reextracted',
)`
   with chosen as materialized (
     select * from reading where job_id = $1 and job_id > 0 order by content_id limit $3 for update
   ), written as (
     update reading p
        set host_id = c.host_id, key = c.key, ${extractionSet('c')}
       from chosen c
      where p.crawl_id = $2 and p.content_id = c.content_id and p.job_id = 0
     returning p.content_id, c.cut
   ), cut as (
     update url u set cut = w.cut
       from written w join content o on o.crawl_id = $2 and o.id = w.content_id
      where u.host_id = o.host_id and u.crawl_id = $2 and u.key = o.key and u.content_id = o.id and u.stage = 0
        and u.cut is distinct from w.cut
   ), gone as (
     delete from reading r using chosen c where r.crawl_id = $2 and r.content_id = c.content_id and r.job_id = $1
   )
   select count(*) as rows from chosen`;

export interface TurnedPrint {
  readonly content_id: number;
  /** The fingerprint to be stored. */
  readonly print: object;
  /** The one that is stored now; null: none. */
  readonly stored: object | null;
}

/** Fingerprints of a job that are to be exchanged for those that are stored; locked. */
export const printsToTurn = statement<
  [id: string, crawlId: string, inUse: boolean, limit: number],
  TurnedPrint
>('prints-to-turn')`
   select r.content_id, r.print, ${printJson('$2', 'r.content_id')} as stored
     from reading r
    where r.job_id = $1 and r.print is not null and r.is_printed <> $3
    order by r.content_id limit $4 for update of r`;

/** `rows`: [{content_id, print}], the fingerprints that the job has from now on. */
export const notePrints = statement<[id: string, crawlId: string, inUse: boolean, rows: string]>(
  'note-prints',
)`
   update reading r set print = n.print, is_printed = $3
     from json_to_recordset($4) as n(content_id bigint, print jsonb)
    where r.crawl_id = $2 and r.content_id = n.content_id and r.job_id = $1`;
