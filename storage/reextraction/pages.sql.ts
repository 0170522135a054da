/** Pages of re-extractions: read again, compared, made the pages' own, removed. */
import type { Extraction } from '../../domain/reextraction/difference.ts';
import { extractionJson, extractionSet, type StagedBody } from '../pages/index.ts';
import { statement } from '../postgres/index.ts';

/** A URL on the walk. `of` null: it has no extraction, and the row only marks how far the walk is. */
export interface WalkedPage extends StagedBody {
  /** Microseconds since 1970, of the answer. */
  readonly micros: number;
  readonly of: string | null;
  /** What the extraction says. */
  readonly before: Extraction;
  /** Milliseconds since 1970, of the extraction. */
  readonly extracted_ms: number;
  /** The fingerprint of its text that is stored (storage/alike/); null: there is none. */
  readonly stored_print: Readonly<Record<string, unknown>> | null;
  /** URLs that were looked at, these and those that did not fit. */
  readonly looked: number;
}

/** Bytes of links and metadata that one answer holds, about. */
const mostBytes = 4 * 1024 * 1024;

/**
 * URLs of a crawl after a place and before a time, in the order of `url_pages`, `mostLooked` at most; those with an
 * extraction, `limit` at most, with what it says. Whatever waits to be read is left out: it is read by itself.
 */
export const walkPages = statement<
  [
    crawlId: string,
    micros: number,
    hostId: number,
    key: string,
    until: number,
    limit: number,
    mostLooked: number,
  ],
  WalkedPage
>('walk-pages')`
   with walk as materialized (
     select u.host_id, u.crawl_id, u.key, u.fetched_at from url u
      where u.crawl_id = $1 and u.fetched_at is not null
        and (u.fetched_at, u.host_id, u.key) >
            (timestamptz 'epoch' + $2::bigint * interval '1 microsecond', $3::bigint, decode($4, 'hex'))
        and u.fetched_at < timestamptz 'epoch' + $5::bigint * interval '1 microsecond'
      order by u.fetched_at, u.host_id, u.key limit $7
   ), weighed as (
     select w.*, p.extracted_at, count(*) over () as looked,
            count(p.host_id) over (order by w.fetched_at, w.host_id, w.key) as nth,
            sum(coalesce(octet_length(p.outlinks) + coalesce(pg_column_size(p.meta), 0) + coalesce(pg_column_size(p.fields), 0), 0))
              over (order by w.fetched_at, w.host_id, w.key) as weight
       from walk w
       left join (page p join url b on b.host_id = p.host_id and b.crawl_id = p.crawl_id and b.key = p.key
                                   and b.stage = 0 and b.content_hash is not null)
              on p.host_id = w.host_id and p.crawl_id = w.crawl_id and p.key = w.key
   )
   select (extract(epoch from w.fetched_at) * 1000000)::bigint as micros, w.extracted_at::text as of,
          (extract(epoch from w.extracted_at) * 1000)::float8 as extracted_ms, w.looked,
          w.host_id, h.origin, w.crawl_id, encode(w.key, 'hex') as key, u.url, u.kind, u.seed, u.depth, u.priority,
          u.content_hash, u.content_type, u.robots_tag, u.link_fields, u.fetches, u.took_ms,
          ${extractionJson('p', 'u.cut')} as before,
          (select json_build_object('words', t.words, 'simhash', t.simhash::text, 'sketch', encode(t.sketch, 'hex'),
                                    'numbers', encode(t.numbers, 'hex'))
             from text_print t where t.host_id = w.host_id and t.crawl_id = w.crawl_id and t.key = w.key) as stored_print,
          (select json_build_object('segment', b.segment, 'name', s.name, 'folder', s.folder, 'at', b.at, 'length', b.length)
             from body b join segment s on s.id = b.segment where b.hash = u.content_hash) as record
     from weighed w
     join url u on u.host_id = w.host_id and u.crawl_id = w.crawl_id and u.key = w.key
     join host h on h.id = w.host_id
     left join page p on p.host_id = w.host_id and p.crawl_id = w.crawl_id and p.key = w.key
      and p.extracted_at = w.extracted_at
    where w.nth <= $6 and (w.nth <= 1 or w.weight <= ${mostBytes})
    order by w.fetched_at, w.host_id, w.key`;

/** Both extractions of a page. `after` null: the job has none of it. */
interface ComparedPage {
  readonly host_id: number;
  readonly key: string;
  readonly url: string;
  readonly before: Extraction;
  readonly after: Extraction | null;
  /** It was read anew since, or is the pages' own by now: there is nothing to compare. */
  readonly is_outdated: boolean;
}

/** Pages of a crawl by host and key, with what they hold and what a job has found. `rows`: [{host_id, key}]. */
export const comparePages = statement<[crawlId: string, id: string, rows: string], ComparedPage>(
  'compare-pages',
)`
   select u.host_id, encode(u.key, 'hex') as key, u.url, ${extractionJson('p', 'u.cut')} as before,
          case when x.job_id is not null then ${extractionJson('x', 'x.cut')} end as after,
          coalesce(x.of <> p.extracted_at, false) as is_outdated
     from json_to_recordset($3) as r(host_id bigint, key text)
     join url u on u.host_id = r.host_id and u.crawl_id = $1 and u.key = decode(r.key, 'hex')
     join page p on p.host_id = u.host_id and p.crawl_id = u.crawl_id and p.key = u.key
     left join reextraction_page x on x.job_id = $2 and x.host_id = u.host_id and x.key = u.key`;

/** Removes so many pages of a job. */
export const removeReextracted = statement<[id: string, limit: number], { rows: number }>(
  'remove-reextracted',
)`
   with gone as (
     delete from reextraction_page where ctid = any (array(
       select ctid from reextraction_page where job_id = $1 order by host_id, key limit $2))
     returning 1
   )
   select count(*) as rows from gone`;

/**
 * Writes so many extractions of a job to their pages, and removes them from the job: nobody sees a difference. A page
 * that was read anew meanwhile keeps what it has.
 */
export const keepReextracted = statement<[id: string, crawlId: string, limit: number], { rows: number }>(
  'keep-reextracted',
)`
   with chosen as materialized (
     select * from reextraction_page where job_id = $1 order by host_id, key limit $3 for update
   ), written as (
     update page p
        set ${extractionSet('c')}
       from chosen c
      where p.host_id = c.host_id and p.crawl_id = $2 and p.key = c.key and p.extracted_at = c.of
     returning p.host_id, p.key, c.cut
   ), cut as (
     update url u set cut = w.cut from written w
      where u.host_id = w.host_id and u.crawl_id = $2 and u.key = w.key and u.stage = 0
        and u.cut is distinct from w.cut
   ), gone as (
     delete from reextraction_page r using chosen c where r.job_id = $1 and r.host_id = c.host_id and r.key = c.key
   )
   select count(*) as rows from chosen`;

export interface TurnedPrint {
  readonly host_id: number;
  readonly key: string;
  /** The fingerprint to be stored, without its place. */
  readonly print: object;
  /** The one that is stored now; null: none. */
  readonly stored: object | null;
  /** False: the page was read anew, and has the fingerprint of that. */
  readonly is_current: boolean;
}

/** Fingerprints of a job that are to be exchanged for those that are stored; locked. */
export const printsToTurn = statement<
  [id: string, crawlId: string, inUse: boolean, limit: number],
  TurnedPrint
>('prints-to-turn')`
   select r.host_id, encode(r.key, 'hex') as key, r.print,
          (select json_build_object('words', t.words, 'simhash', t.simhash::text, 'sketch', encode(t.sketch, 'hex'),
                                    'numbers', encode(t.numbers, 'hex'), 'bands', t.bands::text[])
             from text_print t where t.host_id = r.host_id and t.crawl_id = $2 and t.key = r.key) as stored,
          exists (select from page p where p.host_id = r.host_id and p.crawl_id = $2 and p.key = r.key
                                       and p.extracted_at = r.of) as is_current
     from reextraction_page r
    where r.job_id = $1 and r.print is not null and r.is_printed <> $3
    order by r.host_id, r.key limit $4 for update of r`;

/** `rows`: [{host_id, key, print}], the fingerprints that the job has from now on; null: none. */
export const notePrints = statement<[id: string, inUse: boolean, rows: string]>('note-prints')`
   update reextraction_page r set print = n.print, is_printed = $2
     from json_to_recordset($3) as n(host_id bigint, key text, print jsonb)
    where r.job_id = $1 and r.host_id = n.host_id and r.key = decode(n.key, 'hex')`;
