/** Level 3 of the seen-set: checks and adds in one step. */
import type { Queryable } from '../postgres/index.ts';
import { type Admitted, type AdmissionRow, insertUrls, turnKinds } from './admission.sql.ts';
import { asJson } from './as-json.ts';

/** Rows that need a transaction. */
export const turning = (rows: readonly AdmissionRow[]): AdmissionRow[] =>
  rows.filter(({ turns, reason }) => turns === true && reason === null);

/** A URL of a crawl as what it is fetched for. */
export const nameOf = (row: Omit<Admitted, 'queued' | 'leased'>): string =>
  `${String(row.crawl_id)} ${String(row.host_id)} ${row.key} ${String(row.kind)}`;

/**
 * Returns the rows that are new; the others were seen. What was met before only as something that a page needs is new as
 * a page, and what was kept out only as a page is new as something that a page needs. The caller must be in a
 * transaction if some rows turn (`turning`): a crash between the two statements would leave such a URL unread. Fails as
 * `insertUrls` does.
 */
export async function admitUrls(db: Queryable, rows: readonly AdmissionRow[]): Promise<readonly Admitted[]> {
  const added = await insertUrls(db, asJson(rows));
  const fresh = new Set(added.map(nameOf));
  const turn = turning(rows).filter((row) => !fresh.has(nameOf(row)));
  return turn.length === 0 ? added : [...added, ...(await turnKinds(db, asJson(turn)))];
}
