/** Who does not want to be crawled, and who complained (F15). */
import { Router } from 'express';
import {
  complaintQuery,
  defaultComplaintLimit,
  defaultOptOutLimit,
  domainPath,
  newComplaint,
  newOptOut,
  optOutQuery,
} from '../../contracts/opt-out.ts';
import { complaintsBefore, storeComplaint } from '../../storage/complaints.ts';
import { optOut, optOutsAfter, takeBackOptOut } from '../../storage/opt-outs.ts';
import type { Dependencies } from '../dependencies.ts';
import { HttpProblem, methodNotAllowed, parseInput } from '../way-in/problem.ts';

export function optOutRoutes({ pool, log }: Dependencies): Router {
  const router = Router();
  router
    .route('/opt-outs')
    .post(async (request, response) => {
      const { domain, reason = null } = parseInput(newOptOut, request.body, 422);
      const added = await optOut(pool, domain, reason);
      log.info({ domain, excluded: added.excluded }, 'a domain has opted out');
      response
        .status(added.added ? 201 : 200)
        .location(`/v1/opt-outs/${encodeURIComponent(domain)}`)
        .json(added);
    })
    .get(async (request, response) => {
      const { cursor = null, limit = defaultOptOutLimit } = parseInput(optOutQuery, request.query, 400);
      const items = await optOutsAfter(pool, cursor, limit);
      response.json({ items, next: items.length < limit ? null : (items.at(-1)?.domain ?? null) });
    })
    .all(methodNotAllowed('GET', 'POST'));
  router
    .route('/opt-outs/:domain')
    .delete(async (request, response) => {
      const { domain } = parseInput(domainPath, request.params, 400);
      const removed = await takeBackOptOut(pool, domain);
      if (removed === null) throw new HttpProblem(404, `${domain} has not opted out.`);
      log.info(removed, 'an opt-out was taken back');
      response.json(removed);
    })
    .all(methodNotAllowed('DELETE'));
  router
    .route('/complaints')
    .post(async (request, response) => {
      const { domain, text, contact = null } = parseInput(newComplaint, request.body, 422);
      response.status(201).json(await storeComplaint(pool, domain, text, contact));
    })
    .get(async (request, response) => {
      const {
        domain = null,
        cursor = null,
        limit = defaultComplaintLimit,
      } = parseInput(complaintQuery, request.query, 400);
      const items = await complaintsBefore(pool, domain, cursor, limit);
      response.json({ items, next: items.length < limit ? null : (items.at(-1)?.id ?? null) });
    })
    .all(methodNotAllowed('GET', 'POST'));
  return router;
}
