/** Jobs of re-extractions, and which of them is in use. */
import type { ReextractionState } from '../../domain/reextraction/may.ts';
import type { Tally } from '../../domain/reextraction/tally.ts';
import { extractionColumns, extractionOf, extractionSet, extractionTypes } from '../pages/index.ts';
import { statement } from '../postgres/index.ts';

export interface ReextractionRow {
  readonly id: string;
  readonly crawl_id: string;
  readonly state: ReextractionState;
  readonly reason: string | null;
  readonly created_at: Date;
  readonly ended_at: Date | null;
  readonly extractor: number | null;
  readonly pages: number;
  readonly tally: Partial<Tally>;
  readonly turns: number;
  readonly settled: number;
  readonly in_use: boolean;
}

const inUse = `exists (select from reading_in_use v where v.job_id = e.id)`;
const columns = `e.id::text, e.crawl_id::text, e.state, e.reason, e.created_at, e.ended_at, e.extractor, e.pages,
          e.tally, e.turns, e.settled, ${inUse} as in_use`;
/** A crawl that is not being deleted. */
const isThere = `exists (select from crawl c where c.id = e.crawl_id and c.removed_at is null)`;

/** The caller must have locked the crawl, and asked domain/reextraction/may.ts. */
export const addReextraction = statement<[crawlId: string], { id: string }>('add-reextraction')`
   insert into reextraction (crawl_id, until)
   values ($1, coalesce((select max(id) from content where crawl_id = $1), 0)) returning id::text`;

/** All of a crawl, the latest first: they are few (`mostOfCrawl`). */
export const listReextractions = statement<[crawlId: string], ReextractionRow>('list-reextractions')`
   select ${columns} from reextraction e where e.crawl_id = $1 order by e.id desc`;

export const findReextraction = statement<[crawlId: string, id: string], ReextractionRow>(
  'find-reextraction',
)`
   select ${columns} from reextraction e where e.crawl_id = $1 and e.id = $2`;

export interface ClaimedReextraction extends ReextractionRow {
  /** The last content of the walk, and the one that it has come to; null: none. */
  readonly until: number;
  readonly place: number | null;
}

/** A job has work to do: to be made, to follow up a switch, to become the pages' own, or to leave. */
const hasWork = `(e.state in ('waiting', 'running', 'keeping', 'removing') or e.settled < e.turns
           or (e.has_pages and e.state in ('failed', 'cancelled')))`;

/** From now on the job is the activity's. No row: there is nothing to do, or the crawl is gone. */
export const claimReextraction = statement<[id: string, owner: string], ClaimedReextraction>(
  'claim-reextraction',
)`
   update reextraction e
      set owner = $2, state = case when e.state = 'waiting' then 'running' else e.state end
    where e.id = $1 and ${hasWork} and ${isThere}
   returning ${columns}, e.until, e.place`;

/** Locks the job until the end of the transaction. No row: it is somebody else's by now, or is gone. */
export const holdReextraction = statement<[id: string, owner: string], Pick<ReextractionRow, 'in_use'>>(
  'hold-reextraction',
)`
   select ${inUse} as in_use from reextraction e
    where e.id = $1 and e.owner = $2 and ${isThere} for no key update of e`;

/** Extractions that differ, as JSON. Bytes are hex strings. */
export interface ReextractedPage {
  readonly content_id: number;
  readonly host_id: number;
  readonly key: string;
  readonly print: object | null;
}

/**
 * Stores what a step has found, and notes how far the job is. `next`: {place, pages, tally, extractor}; `rows`:
 * `ReextractedPage`s with the columns of an extraction. A body that has gone meanwhile gets no reading. No row: the job is somebody else's by now, or has ended.
 */
export const noteReextracted = statement<
  [id: string, owner: string, next: string, rows: string],
  { id: string }
>('note-reextracted')`
   with noted as (
     update reextraction e set place = n.place, pages = n.pages, tally = n.tally, extractor = n.extractor
       from json_to_record($3) n (place bigint, pages bigint, tally jsonb, extractor int)
      where e.id = $1 and e.owner = $2 and e.state = 'running' and ${isThere}
     returning e.id, e.crawl_id
   ), held as materialized (
     select c.id from content c
      where c.crawl_id = (select crawl_id from noted)
        and c.id in (select content_id from json_to_recordset($4) as r(content_id bigint))
      order by c.id for key share
   ), stored as (
     insert into reading (crawl_id, content_id, job_id, host_id, key, ${extractionColumns}, cut, print, simhash, relevance,
                          extracted_at)
     select n.crawl_id, r.content_id, n.id, r.host_id, decode(r.key, 'hex'), ${extractionOf('r')}, nullif(r.cut, '{}'), r.print,
            p.simhash, p.relevance, p.extracted_at
       from noted n
      cross join json_to_recordset($4) as r(
            content_id bigint, host_id bigint, key text, ${extractionTypes}, cut jsonb, print jsonb)
       join held c on c.id = r.content_id
       join reading p on p.crawl_id = n.crawl_id and p.content_id = r.content_id and p.job_id = 0
      order by r.content_id
     on conflict (crawl_id, content_id, job_id) do update
       set host_id = excluded.host_id, key = excluded.key, ${extractionSet('excluded')}, cut = excluded.cut,
           print = excluded.print
   )
   select id::text from noted`;

/** The activity has stopped. */
export const releaseReextraction = statement<[id: string, owner: string]>('release-reextraction')`
   update reextraction set owner = null where id = $1 and owner = $2`;

/** No row: the job is somebody else's by now, or has ended. */
export const endReextraction = statement<
  [id: string, owner: string, state: 'finished' | 'failed', reason: string | null],
  { id: string }
>('end-reextraction')`
   update reextraction e set state = $3::reextraction_state, reason = $4, ended_at = now(), place = null
    where e.id = $1 and e.owner = $2 and e.state = 'running'
   returning e.id::text`;

/** @param crawlId null: whichever crawl it is of. No row: there is no such job, or it has ended. */
export const cancelReextraction = statement<[id: string, crawlId: string | null], { id: string }>(
  'cancel-reextraction',
)`
   update reextraction set state = 'cancelled', ended_at = now()
    where id = $1 and ($2::bigint is null or crawl_id = $2) and state in ('waiting', 'running')
   returning id::text`;

/** Jobs that have had work to do for a while, by their ids. */
export const openReextractions = statement<[after: string, limit: number], { id: string }>(
  'open-reextractions',
)`
   select e.id::text from reextraction e
    where ${hasWork} and e.created_at < now() - interval '10 seconds' and e.id > $1::bigint and ${isThere}
    order by e.id limit $2`;

/** Everybody reads the job's extraction from the commit on. The caller must have locked the crawl, and asked what may be. */
export const useReextraction = statement<[crawlId: string, id: string], { id: string }>('use-reextraction')`
   with used as (insert into reading_in_use (crawl_id, job_id) values ($1, $2))
   update reextraction set turns = turns + 1 where id = $2 returning id::text`;

/** Everybody reads what was read before from the commit on. The caller: as `useReextraction`. */
export const leaveReextraction = statement<[crawlId: string, id: string], { id: string }>(
  'leave-reextraction',
)`
   with left_behind as (delete from reading_in_use where crawl_id = $1 and job_id = $2 returning job_id)
   update reextraction e set turns = turns + 1 from left_behind l where e.id = l.job_id returning e.id::text`;

/** The caller: as `useReextraction`. */
export const turnReextraction = statement<[id: string, state: 'keeping' | 'removing'], { id: string }>(
  'turn-reextraction',
)`
   update reextraction set state = $2 where id = $1 returning id::text`;

/** All that follows from so many switches was told. */
export const noteSettled = statement<[id: string, owner: string, turns: number]>('note-reextraction-settled')`
   update reextraction set settled = greatest(settled, $3) where id = $1 and owner = $2`;

/** The extraction is the pages' own. The caller must hold the job, which has no pages any more. */
export const noteKept = statement<[id: string]>('note-kept')`
   with left_behind as (delete from reading_in_use where job_id = $1)
   update reextraction set state = 'kept', has_pages = false where id = $1`;

/** The job has no pages any more. */
export const noteEmptied = statement<[id: string, owner: string]>('note-emptied')`
   update reextraction set has_pages = false where id = $1 and owner = $2`;

/** Forgets a job that has no pages any more. */
export const dropReextraction = statement<[id: string, owner: string]>('drop-reextraction')`
   delete from reextraction where id = $1 and owner = $2 and state = 'removing'`;
