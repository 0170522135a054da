/** The audit log: requests that change something or take bodies away, noted before they are carried out. */
import { auditDays, auditEntries, defaultAuditLimit, type AuditEntry, type AuditQuery } from '../../contracts/http/audit.ts'; // prettier-ignore
import type { Queryable } from '../postgres/index.ts';
import { dropOldAudit, listAudit } from './calls.sql.ts';

export interface AuditPage {
  readonly items: readonly AuditEntry[];
  /** The `cursor` of the next call; null: no more entries follow. */
  readonly next: string | null;
}

/** Newest first. */
export async function auditBefore(db: Queryable, tenantId: number, query: AuditQuery): Promise<AuditPage> {
  const { limit = defaultAuditLimit } = query;
  const rows = await listAudit(db, { ...query, tenantId, limit });
  const last = rows.at(-1);
  return {
    items: rows.map(({ number: _, ...entry }) => entry),
    next: last === undefined || rows.length < limit ? null : String(last.number),
  };
}

/** Entries of each kind that are dropped at once, at most, so that the statement takes well below a second. */
const mostDropped = 5_000;

/**
 * Keeps the log bounded; the caller must call it at least once every few thousand entries. Answers how many entries
 * were dropped.
 */
export async function tidyAudit(
  db: Queryable,
  tenantId: number,
  entries = auditEntries,
  securityEntries = auditEntries,
): Promise<number> {
  return (await dropOldAudit(db, tenantId, entries, securityEntries, auditDays, mostDropped)).length;
}
