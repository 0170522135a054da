/** Level 3 of the seen-set: checks and adds in one step. */
import type { Queryable } from '../postgres/index.ts';
import { type Admitted, type AdmissionRow, insertUrls, turnRequisites } from './admission.sql.ts';
import { asJson } from './as-json.ts';

/** Rows that need a transaction. */
export const turning = (rows: readonly AdmissionRow[]): AdmissionRow[] =>
  rows.filter(({ turns, reason }) => turns === true && reason === null);

/**
 * Returns the rows that are new; the others were seen. What was met before only as something that a page needs is new as
 * a page. The caller must be in a transaction if some rows turn (`turning`): a crash between the two statements would
 * leave such a page unread. Fails as `insertUrls` does.
 */
export async function admitUrls(db: Queryable, rows: readonly AdmissionRow[]): Promise<readonly Admitted[]> {
  const added = await insertUrls(db, asJson(rows));
  const turn = turning(rows);
  return turn.length === 0 ? added : [...added, ...(await turnRequisites(db, asJson(turn)))];
}
