/** The audit log of the caller's own tenant, for its admins. */
import { auditList, auditQuery } from '../../contracts/http/audit.ts';
import { auditBefore } from '../../storage/tenancy/index.ts';
import { admin } from '../way-in/access.ts';
import { json } from './answers.ts';
import { route } from './route.ts';

export const auditLogRoutes = [
  route({
    method: 'GET',
    path: '/v1/audit-log',
    access: admin('tenants'),
    id: 'listAuditLog',
    summary: 'Changes and downloads that callers of the tenant asked for, newest first',
    query: auditQuery,
    answers: { 200: json('Entries.', auditList) },
    handler:
      ({ pool }) =>
      ({ query, caller }) =>
        auditBefore(pool, caller.tenantId, query),
  }),
];
