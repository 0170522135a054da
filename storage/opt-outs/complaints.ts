/** Complaints about the crawler (F15): stored, and counted by domain. No complaint opts a domain out by itself. */
import type { ComplaintView } from '../../contracts/opt-out.ts';
import { type Queryable, retrying } from '../postgres/index.ts';
import { insertComplaint, listComplaints, type ComplaintRow } from './complaints.sql.ts';

/** @param domain as `readDomain` answers it */
export async function storeComplaint(
  db: Queryable,
  domain: string,
  text: string,
  contact: string | null,
): Promise<ComplaintView> {
  const [row] = await retrying(() => insertComplaint(db, domain, text, contact));
  if (row === undefined) throw new Error('Postgres returned no row for the complaint');
  return viewOf(row);
}

/** Newest first. `domain`: only complaints about this domain; `before`: only those older than this id. */
export async function complaintsBefore(
  db: Queryable,
  domain: string | null,
  before: string | null,
  limit: number,
): Promise<readonly ComplaintView[]> {
  return (await listComplaints(db, domain, before, limit)).map(viewOf);
}

const viewOf = (row: ComplaintRow): ComplaintView => ({
  id: row.id,
  domain: row.domain,
  text: row.text,
  contact: row.contact,
  createdAt: row.created_at.toISOString(),
  complaintsOfDomain: row.complaints,
});
