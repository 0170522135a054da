/** The audit log in the OpenAPI document. */
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { auditList, auditQuery } from '../../contracts/http/audit.ts';
import { fails, json } from './parts.ts';

export const auditPaths: ZodOpenApiPathsObject = {
  '/v1/audit-log': {
    get: {
      operationId: 'listAuditLog',
      summary: 'Who of the tenant asked for which change, newest first',
      requestParams: { query: auditQuery },
      responses: { '200': json('Entries.', auditList), '400': fails('The query is not valid.') },
    },
  },
};
