import { statement } from '../statement.ts';

/** Written before the request is done; `number` is only for `endAudit`, and never leaves: it counts over all tenants. */
export const beginAudit = statement<
  [
    tenantId: number,
    actor: string,
    role: string,
    method: string,
    route: string,
    target: string,
    requestId: string,
  ],
  { readonly number: number }
>(
  'begin-audit',
  `insert into audit_log (tenant_id, actor, role, method, route, target, request_id)
   values ($1, $2, $3, $4, $5, $6, $7) returning number`,
);
