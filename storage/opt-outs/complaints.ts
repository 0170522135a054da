/** Complaints about the crawler (F15): stored, and counted by domain. No complaint opts a domain out by itself. */
import type { ComplaintView } from '../../contracts/opt-out.ts';
import { one, type Queryable, retrying } from '../postgres/index.ts';
import { insertComplaint, listComplaints } from './complaints.sql.ts';

/** @param domain as `readDomain` answers it */
export async function storeComplaint(
  db: Queryable,
  domain: string,
  text: string,
  contact: string | null,
): Promise<ComplaintView> {
  return one(retrying(() => insertComplaint(db, domain, text, contact)));
}

/** Newest first. `domain`: only complaints about this domain; `before`: only those older than this id. */
export async function complaintsBefore(
  db: Queryable,
  domain: string | null,
  before: string | null,
  limit: number,
): Promise<readonly ComplaintView[]> {
  return listComplaints(db, domain, before, limit);
}
