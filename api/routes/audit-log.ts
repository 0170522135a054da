/** The audit log of the own tenant, for its admins. */
import { Router } from 'express';
import { auditQuery } from '../../contracts/http/audit.ts';
import { auditBefore } from '../../storage/audit-log.ts';
import { callerOf } from '../way-in/caller.ts';
import type { Dependencies } from '../dependencies.ts';
import { methodNotAllowed, parseInput } from '../way-in/problem.ts';

export function auditRoutes({ pool }: Dependencies): Router {
  const router = Router();
  router
    .route('/audit-log')
    .get(async (request, response) => {
      const query = parseInput(auditQuery, request.query, 400);
      response.json(await auditBefore(pool, callerOf(request).tenantId, query));
    })
    .all(methodNotAllowed('GET'));
  return router;
}
