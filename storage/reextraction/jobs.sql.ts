/** Jobs of re-extractions, and which of them is in use. */
import type { ReextractionState } from '../../domain/reextraction/may.ts';
import { emptyTally, type Tally } from '../../domain/reextraction/tally.ts';
import { jobsOf, type JobRow } from '../jobs/index.ts';
import { extractionColumns, extractionOf, extractionSet, extractionTypes } from '../pages/index.ts';
import { statement, type Queryable } from '../postgres/index.ts';

interface ReextractionDetail {
  /** The last content of the walk. */
  readonly until: number;
}

interface ReextractionProgress {
  /** reading: bodies are read again, or will be. Else what people see, whether or not something is left to do. */
  readonly phase: 'reading' | Exclude<ReextractionState, 'waiting' | 'running'>;
  /** As `reading_in_use` has it. */
  readonly isInUse: boolean;
  /** All that follows from the last switch was told. */
  readonly isSettled: boolean;
  /** The version of the extractor that reads; null: nothing was read yet. */
  readonly extractor: number | null;
  /** Pages that were read so far. */
  readonly pages: number;
  readonly tally: Tally;
}

/** Its place is the last content that was looked at. Finished: nothing is left to do until people want a change. */
export type ReextractionRow = JobRow<ReextractionDetail, ReextractionProgress, number>;

export const reextractionRows = jobsOf<ReextractionRow>('reextraction');

export const stateOf = ({ state, progress }: ReextractionRow): ReextractionState =>
  progress.phase === 'reading' ? state : progress.phase;

const begun: ReextractionProgress = {
  phase: 'reading',
  isInUse: false,
  isSettled: true,
  extractor: null,
  pages: 0,
  tally: emptyTally,
};

const lastContent = statement<[crawlId: string], { id: number }>('last-content')`
   select coalesce(max(id), 0) as id from content where crawl_id = $1`;

/** The caller must have locked the crawl. No row: it has `most` that have something to do. */
export async function addReextraction(db: Queryable, crawlId: string, most: number) {
  const [last] = await lastContent(db, crawlId);
  return reextractionRows.add(db, crawlId, { until: last?.id ?? 0 }, begun, most);
}

/** The job is the owner's, of a crawl that is not being deleted. */
const isHeld = `j.id = $1 and j.kind = 'reextraction' and j.owner = $2 and j.state = 'running'
        and exists (select from crawl c where c.id = j.crawl_id and c.removed_at is null)`;

/** Locks the job until the end of the transaction. No row: it is somebody else's by now, or is gone. */
export const holdReextraction = statement<[id: string, owner: string], { id: string }>('hold-reextraction')`
   select j.id::text from job j where ${isHeld} for no key update of j`;

/** Extractions that differ, as JSON. Bytes are hex strings. */
export interface ReextractedPage {
  readonly content_id: number;
  readonly host_id: number;
  readonly key: string;
  readonly print: object | null;
}

/**
 * Stores what a step has found. `rows`: `ReextractedPage`s with the columns of an extraction. A body that has gone
 * meanwhile gets no reading. No row: the job is somebody else's by now, or is gone.
 */
export const storeReextracted = statement<[id: string, owner: string, rows: string], { id: string }>(
  'store-reextracted',
)`
   with noted as (
     select j.id, j.crawl_id from job j where ${isHeld} for no key update of j
   ), held as materialized (
     select c.id from content c
      where c.crawl_id = (select crawl_id from noted)
        and c.id in (select content_id from json_to_recordset($3) as r(content_id bigint))
      order by c.id for key share
   ), stored as (
     insert into reading (crawl_id, content_id, job_id, host_id, key, ${extractionColumns}, cut, print, simhash, relevance,
                          extracted_at)
     select n.crawl_id, r.content_id, n.id, r.host_id, decode(r.key, 'hex'), ${extractionOf('r')}, nullif(r.cut, '{}'), r.print,
            p.simhash, p.relevance, p.extracted_at
       from noted n
      cross join json_to_recordset($3) as r(
            content_id bigint, host_id bigint, key text, ${extractionTypes}, cut jsonb, print jsonb)
       join held c on c.id = r.content_id
       join reading p on p.crawl_id = n.crawl_id and p.content_id = r.content_id and p.job_id = 0
      order by r.content_id
     on conflict (crawl_id, content_id, job_id) do update
       set host_id = excluded.host_id, key = excluded.key, ${extractionSet('excluded')}, cut = excluded.cut,
           print = excluded.print
   )
   select id::text from noted`;

/**
 * What people have changed of the progress, as JSON. The job has something to do again, and whoever worked at it notes
 * nothing more. `isRead`: only while bodies are being read, and otherwise only when they no longer are. No row: it is not so.
 */
export const turnReextraction = statement<[id: string, changed: string, isRead: boolean], { id: string }>(
  'turn-reextraction',
)`
   update job set state = 'waiting', ended_at = coalesce(ended_at, now()), progress = progress || $2::jsonb
    where kind = 'reextraction' and id = $1 and (progress ->> 'phase' = 'reading') = $3
   returning id::text`;

/** Everybody reads the job's extraction from the commit on. The caller must have locked the crawl, and asked what may be. */
export const useReextraction = statement<[crawlId: string, id: string]>('use-reextraction')`
   insert into reading_in_use (crawl_id, job_id) values ($1, $2)`;

/** Everybody reads what was read before, or what the job has made the pages' own, from the commit on. */
export const leaveReextraction = statement<[crawlId: string, id: string]>('leave-reextraction')`
   delete from reading_in_use where crawl_id = $1 and job_id = $2`;
