import { statement } from '../statement.ts';

/**
 * Forgets entries of a tenant beyond its `kept` newest, and entries of anybody older than `days`; `limit` of each at
 * most, oldest first. Answers a row for each.
 */
export const dropOldAudit = statement<
  [tenantId: number, kept: number, days: number, limit: number],
  { readonly dropped: boolean }
>(
  'drop-old-audit',
  `with surplus as (
     select number from audit_log
      where tenant_id = $1 and number <= (select number from audit_log where tenant_id = $1
                                           order by number desc offset $2 limit 1)
      order by number limit $4
   ), aged as (
     select number from audit_log where at < now() - make_interval(days => $3) order by at limit $4
   )
   delete from audit_log where number in (select number from surplus union all select number from aged)
   returning true as dropped`,
);
