/** Hosts: where they stand, and what an operator sets for them (F05, F18). */
import { Router } from 'express';
import { defaultHostLimit, hostPath, hostSettingsChange, hostsQuery } from '../../contracts/hosts.ts';
import { shardOf } from '../../domain/shard.ts';
import { hostsAfter, readHost, setHost } from '../../storage/hosts.ts';
import { askRobots } from '../../storage/statements/ask-robots.ts';
import { noteForAudit } from '../way-in/audit-log.ts';
import type { Dependencies } from '../dependencies.ts';
import { ifMatchOf, refuseStale, sendTagged } from './preconditions.ts';
import { HttpProblem, methodNotAllowed, parseInput } from '../way-in/problem.ts';

export function hostRoutes({ pool, wakeHost, log, settings }: Dependencies): Router {
  const router = Router();
  router
    .route('/hosts')
    .get(async (request, response) => {
      const query = parseInput(hostsQuery, request.query, 400);
      const { cursor = null, state = null, limit = defaultHostLimit } = query;
      response.json(await hostsAfter(pool, cursor, state, limit));
    })
    .all(methodNotAllowed('GET'));
  router
    .route('/hosts/:origin')
    .get(async (request, response) => {
      const { origin } = parseInput(hostPath, request.params, 400);
      const host = await readHost(pool, origin);
      if (host === null) throw new HttpProblem(404, `No crawl has met ${origin}, and nothing is set for it.`);
      sendTagged(response, host.version, host.body);
    })
    .all(methodNotAllowed('GET'));
  // It holds in any case: a host that sleeps, and could not be woken, sees it when it wakes up.
  const wake = (origin: string): Promise<void> =>
    wakeHost(origin).catch((error: unknown) => {
      log.warn({ err: error, origin }, 'the workflow of a host was not woken');
    });
  router
    .route('/hosts/:origin/robots')
    .post(async (request, response) => {
      const { origin } = parseInput(hostPath, request.params, 400);
      const asked = await askRobots(pool, origin);
      const host = asked.length === 0 ? null : await readHost(pool, origin);
      if (host === null) throw new HttpProblem(404, `No crawl has met ${origin}, and nothing is set for it.`);
      log.info({ origin }, 'robots.txt of a host is to be read again');
      await wake(origin);
      noteForAudit(response, 'robots.txt is to be read again');
      sendTagged(response, host.version, host.body);
    })
    .all(methodNotAllowed('POST'));
  router
    .route('/hosts/:origin/settings')
    .patch(async (request, response) => {
      const { origin } = parseInput(hostPath, request.params, 400);
      const change = parseInput(hostSettingsChange, request.body, 422);
      const shard = shardOf(origin, settings.shards);
      if (!(await setHost(pool, origin, shard, change, ifMatchOf(request))))
        return refuseStale(response, await readHost(pool, origin));
      log.info({ origin, change }, 'settings of a host were changed');
      await wake(origin);
      const host = await readHost(pool, origin);
      if (host === null) throw new Error(`the row of ${origin} is gone`);
      noteForAudit(response, `revision ${String(host.version)}: ${Object.keys(change).join(', ')}`);
      sendTagged(response, host.version, host.body);
    })
    .all(methodNotAllowed('PATCH'));
  return router;
}
