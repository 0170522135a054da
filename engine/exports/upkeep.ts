/** Removes the files of exports that nobody wants any more. */
import {
  dropExport,
  exportsToClear,
  noteCleared,
  type ExportFiles,
  type ExportRow,
} from '../../storage/exports/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { fileName, objectName } from './job.ts';

/** Jobs of one look. */
const most = 20;

/** @param days after its end at which an export goes with its file; null: never by itself */
export async function clearExports(pool: Pool, files: ExportFiles, days: number | null): Promise<void> {
  for (const job of await exportsToClear(pool, days, most)) {
    await removeFiles(files, job);
    await (job.over ? dropExport : noteCleared)(pool, job.id);
  }
}

/** Removes what there is of a job in the folder and in the bucket. */
export async function removeFiles(
  files: ExportFiles,
  job: Pick<ExportRow, 'id' | 'format' | 'target' | 'folder'> & { readonly crawl_id: string },
): Promise<void> {
  const object = objectName(job.folder, fileName(job.crawl_id, job.id, job.format));
  if (job.target === 'bucket') await files.bucket?.remove(object);
  await files.clear(job, null);
}
