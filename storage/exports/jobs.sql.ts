/** Jobs of exports, and their files. */
import { randomUUID } from 'node:crypto';
import type { ExportFormat } from '../../contracts/http/exports.ts';
import type { PageFilter } from '../../contracts/http/page-filter.ts';
import type { PageField } from '../../contracts/page-fields.ts';
import { jobsOf, type JobRow } from '../jobs/index.ts';
import { statement, type Queryable } from '../postgres/index.ts';
import type { Lengths } from './draft.ts';

interface ExportDetail {
  readonly format: ExportFormat;
  readonly choice: { readonly fields: readonly PageField[]; readonly filter: PageFilter };
  /** bucket: the whole file goes to the bucket, and leaves the folder of exports. */
  readonly target: 'folder' | 'bucket';
  /** Names the folder of the job in the folder of exports. */
  readonly folder: string;
}

interface ExportProgress {
  /**
   * pages: the feed is being read. whole: its end was reached, and the file is being made whole. bucket: the whole file is
   * being uploaded, or was.
   */
  readonly phase: 'pages' | 'whole' | 'bucket';
  /** Names the folder in `folder` that has the parts and, later, the whole file. */
  readonly draft: string | null;
  readonly pages: number;
  readonly bytes: number;
  /** The job has no files any more. */
  readonly cleared?: true;
}

interface ExportPlace {
  /** In the feed of pages; null: the start. */
  readonly cursor: string | null;
  /** Bytes of each part of the draft that count: what lies behind them is free. */
  readonly parts: Lengths;
  /** What the format remembers up to that place. */
  readonly memory: unknown;
}

export type ExportRow = JobRow<ExportDetail, ExportProgress, ExportPlace>;

export const exportRows = jobsOf<ExportRow>('export');

const begun: ExportProgress = { phase: 'pages', draft: null, pages: 0, bytes: 0 };

/** No row: the crawl has as many unfinished jobs as it may have. */
export const addExport = (
  db: Queryable,
  crawlId: string,
  asked: Omit<ExportDetail, 'folder'>,
  most: number,
) => exportRows.add(db, crawlId, { ...asked, folder: randomUUID() }, begun, most);

/** Bytes of the files of all jobs in the folder of exports. */
export const exportsInUse = statement<[], { bytes: number }>('exports-in-use')`
   select coalesce(sum((progress ->> 'bytes')::bigint), 0)::bigint as bytes from job
    where kind = 'export' and (detail ->> 'target' = 'folder' or state = 'running')`;

/**
 * Jobs whose files nobody wants any more: those that did not end well, and those that ended `days` ago (null: never) or
 * whose crawl is gone, which go themselves. Those after an id, in the order of ids.
 */
export const exportsToClear = statement<
  [days: number | null, after: string, limit: number],
  Pick<ExportRow, 'id' | 'crawl_id' | 'detail'> & { readonly over: boolean }
>('exports-to-clear')`
   select id::text, crawl_id, detail, over from (
     select id, crawl_id::text, detail,
            coalesce(ended_at < now() - $1::float8 * interval '1 day', false)
              or not exists (select from crawl c where c.id = e.crawl_id) as over,
            not progress ? 'cleared' and state in ('failed', 'cancelled')
              and ended_at < now() - interval '20 seconds' as left_over
       from job e where kind = 'export' and id > $2::bigint) j
    where over or left_over order by j.id limit $3`;

/** The files of a job are gone. */
export const noteCleared = statement<[id: string], { id: string }>('note-cleared')`
   update job set progress = progress || '{"cleared": true, "bytes": 0}', place = null
    where kind = 'export' and id = $1 and state not in ('waiting', 'running')
   returning id::text`;
