/** Exchanges the fingerprints of texts (storage/alike/) with the extraction that is in use. */
import { storePrints } from '../alike/index.ts';
import { inTransaction, type Pool } from '../postgres/index.ts';
import { holdReextraction, type ReextractionRow } from './jobs.sql.ts';
import { notePrints, printsToTurn } from './pages.sql.ts';

/** Of a text that is too short to be like another one. */
export const noPrint = { words: 0, simhash: '0', sketch: '', numbers: '', bands: [] };

/**
 * Exchanges so many fingerprints of a job for those that are stored, so that the stored ones are those of the extraction
 * in use. Each row knows which one it has, so that a batch that is repeated changes nothing. Near-duplicates are judged
 * anew by whoever judges them.
 * @returns how many were looked at; null: the job is somebody else's by now, or is gone
 */
export const turnPrints = (
  pool: Pool,
  { id, crawl_id: crawlId, progress: { isInUse } }: ReextractionRow,
  owner: string,
  limit: number,
): Promise<number | null> =>
  inTransaction(pool, async (db) => {
    if ((await holdReextraction(db, id, owner)).length === 0) return null;
    const due = await printsToTurn(db, id, crawlId, isInUse, limit);
    if (due.length === 0) return 0;
    const rows = due.map(({ content_id, print }) => ({ ...print, crawl_id: crawlId, content_id }));
    await storePrints(db, JSON.stringify(rows));
    const kept = due.map(({ content_id, stored }) => ({ content_id, print: stored ?? noPrint }));
    await notePrints(db, id, crawlId, isInUse, JSON.stringify(kept));
    return due.length;
  });
