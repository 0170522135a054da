/** Removes the files of exports that nobody wants any more. */
import {
  exportRows,
  exportsToClear,
  noteCleared,
  type ExportFiles,
  type ExportRow,
} from '../../storage/exports/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { objectName } from './job.ts';

/** Jobs of one look. */
const most = 20;

/**
 * A file that cannot be removed keeps no other one: it is tried again at each look, and the caller learns of it when all
 * were tried. @param days after its end at which an export goes with its file; null: never by itself
 */
export async function clearExports(pool: Pool, files: ExportFiles, days: number | null): Promise<void> {
  const faults: unknown[] = [];
  for (let [after, found] = ['0', most]; found === most;) {
    const jobs = await exportsToClear(pool, days, after, most);
    for (const job of jobs) {
      try {
        await removeFiles(files, job);
        await (job.over ? exportRows.drop : noteCleared)(pool, job.id);
      } catch (fault) {
        faults.push(fault);
      }
    }
    found = jobs.length;
    after = jobs.at(-1)?.id ?? after;
  }
  if (faults.length > 0)
    throw new AggregateError(faults, `the files of ${String(faults.length)} exports could not be removed`);
}

/** Removes what there is of a job in the folder and in the bucket. */
export async function removeFiles(
  files: ExportFiles,
  job: Pick<ExportRow, 'id' | 'crawl_id' | 'detail'>,
): Promise<void> {
  if (job.detail.target === 'bucket') await files.bucket?.remove(objectName(job));
  await files.clear(job, null);
}
