import { statement } from '../statement.ts';

export interface AuditRow {
  readonly number: number;
  readonly at: Date;
  readonly actor: string;
  readonly role: string;
  readonly method: string;
  readonly route: string;
  readonly target: string;
  readonly request_id: string;
  readonly status: number | null;
  readonly detail: string | null;
}

/** Newest first. `before`: older than this number; `since` to before `until`; null: any. */
export const listAudit = statement<
  [
    tenantId: number,
    before: string | null,
    actor: string | null,
    method: string | null,
    targetStart: string | null,
    since: string | null,
    until: string | null,
    limit: number,
  ],
  AuditRow
>(
  'list-audit',
  `select number, at, actor, role, method, route, target, request_id, status, detail
     from audit_log
    where tenant_id = $1 and ($2::bigint is null or number < $2)
      and ($3::text is null or actor = $3) and ($4::text is null or method = $4)
      and ($5::text is null or starts_with(target, $5))
      and ($6::timestamptz is null or at >= $6) and ($7::timestamptz is null or at < $7)
    order by number desc limit $8`,
);
