/** Jobs of exports. */
import { statement } from '../postgres/index.ts';

export interface ExportRow {
  readonly id: string;
  readonly format: string;
  readonly choice: unknown;
  readonly target: 'folder' | 'bucket';
  readonly state: 'waiting' | 'running' | 'finished' | 'failed' | 'cancelled';
  readonly reason: string | null;
  readonly created_at: Date;
  readonly ended_at: Date | null;
  readonly phase: 'pages' | 'whole' | 'bucket';
  readonly folder: string;
  readonly draft: string | null;
  readonly pages: number;
  readonly bytes: number;
  readonly has_files: boolean;
}

const columns = `id::text, format, choice, target, state, reason, created_at, ended_at, phase, folder, draft, pages,
          bytes, has_files`;

/** No row: the crawl has as many unfinished jobs as it may have. */
export const addExport = statement<
  [crawlId: string, format: string, choice: string, target: ExportRow['target'], most: number],
  { id: string }
>('add-export')`
   insert into export_job (crawl_id, format, choice, target, until)
   select $1, $2, $3, $4, (extract(epoch from now()) * 1000000)::bigint
    where (select count(*) from export_job where crawl_id = $1 and state in ('waiting', 'running')) < $5
   returning id::text`;

/** The latest first, below an id. */
export const listExports = statement<[crawlId: string, below: string, limit: number], ExportRow>(
  'list-exports',
)`
   select ${columns} from export_job where crawl_id = $1 and id < $2::bigint order by export_job.id desc limit $3`;

export const findExport = statement<[crawlId: string, id: string], ExportRow>('find-export')`
   select ${columns} from export_job where crawl_id = $1 and id = $2`;

export interface ClaimedExport extends ExportRow {
  readonly crawl_id: string;
  /** Microseconds since 1970. */
  readonly until: number;
  readonly place: string | null;
  readonly parts: Readonly<Record<string, number>>;
  readonly memory: unknown;
  /** The activity that had the job and did not give it back: it may still be writing. */
  readonly before: string | null;
}

/** From now on the job is the activity's. No row: it has ended, or its crawl is gone. */
export const claimExport = statement<[id: string, owner: string], ClaimedExport>('claim-export')`
   update export_job e set owner = $2, state = 'running'
    where id = $1 and state in ('waiting', 'running') and exists (select from crawl c where c.id = e.crawl_id)
   returning e.id::text, e.crawl_id::text, e.format, e.choice, e.target, e.state, e.reason, e.created_at, e.ended_at,
             e.phase, e.folder, e.draft, e.pages, e.bytes, e.has_files, e.until, e.place, e.parts, e.memory,
             old.owner as before`;

/**
 * Notes how far a job is. `next`: {phase, draft, place, parts, memory, pages, bytes}. `holds`: the activity goes on with
 * the job. No row: the job is somebody else's by now, or has ended.
 */
export const noteExport = statement<
  [id: string, owner: string, next: string, holds: boolean],
  { id: string }
>('note-export')`
   update export_job e
      set phase = n.phase, draft = n.draft, place = n.place, parts = n.parts, memory = n.memory, pages = n.pages,
          bytes = n.bytes, owner = case when $4 then e.owner end
     from json_to_record($3) n (phase text, draft uuid, place text, parts jsonb, memory jsonb, pages bigint, bytes bigint)
    where e.id = $1 and e.owner = $2 and e.state = 'running'
   returning e.id::text`;

/** The activity has stopped writing. */
export const releaseExport = statement<[id: string, owner: string]>('release-export')`
   update export_job set owner = null where id = $1 and owner = $2`;

/** No row: the job is somebody else's by now, or has ended. */
export const endExport = statement<
  [
    id: string,
    owner: string,
    state: 'finished' | 'failed',
    reason: string | null,
    bytes: number,
    inBucket: boolean,
  ],
  { id: string }
>('end-export')`
   update export_job set state = $3, reason = $4, bytes = $5, ended_at = now(), owner = null, place = null, parts = '{}',
          memory = null, phase = case when $6 then 'bucket' else phase end
    where id = $1 and owner = $2 and state = 'running'
   returning id::text`;

/** @param crawlId null: whichever crawl it is of. No row: there is no such job, or it has ended. */
export const cancelExport = statement<[id: string, crawlId: string | null], { id: string }>('cancel-export')`
   update export_job set state = 'cancelled', ended_at = now()
    where id = $1 and ($2::bigint is null or crawl_id = $2) and state in ('waiting', 'running')
   returning id::text`;

/** Jobs that were asked for a while ago and have not ended, by their ids. */
export const openExports = statement<[after: string, limit: number], { id: string }>('open-exports')`
   select id::text from export_job
    where state in ('waiting', 'running') and created_at < now() - interval '10 seconds' and id > $1::bigint
    order by export_job.id limit $2`;

/** Bytes of the files of all jobs in the folder of exports. */
export const exportsInUse = statement<[], { bytes: number }>('exports-in-use')`
   select coalesce(sum(bytes), 0)::bigint as bytes from export_job
    where has_files and (target = 'folder' or state = 'running')`;

/**
 * Jobs whose files nobody wants any more: those that did not end well, and those that ended `days` ago (null: never) or
 * whose crawl is gone, which go themselves. Those after an id, in the order of ids.
 */
export const exportsToClear = statement<
  [days: number | null, after: string, limit: number],
  Pick<ExportRow, 'id' | 'format' | 'target' | 'folder'> & {
    readonly crawl_id: string;
    readonly over: boolean;
  }
>('exports-to-clear')`
   select id::text, crawl_id, format, target, folder, over from (
     select id, crawl_id::text, format, target, folder,
            coalesce(ended_at < now() - $1::float8 * interval '1 day', false)
              or not exists (select from crawl c where c.id = e.crawl_id) as over,
            has_files and state in ('failed', 'cancelled') and ended_at < now() - interval '20 seconds' as left_over
       from export_job e where id > $2::bigint) j
    where over or left_over order by j.id limit $3`;

/** The files of a job are gone. */
export const noteCleared = statement<[id: string], { id: string }>('note-cleared')`
   update export_job set has_files = false, bytes = 0 where id = $1 and state not in ('waiting', 'running')
   returning id::text`;

/** Forgets a job. */
export const dropExport = statement<[id: string], { id: string }>('drop-export')`
   delete from export_job where id = $1 returning id::text`;
