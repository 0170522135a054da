/** For supervisors: is the process up (healthz), and does what it stands on answer (readyz)? */
import { Router } from 'express';
import type { Dependencies } from './dependencies.ts';
import { methodNotAllowed, sendProblem } from './problem.ts';

export function healthRoutes({ pool, control }: Dependencies): Router {
  const whatIsAway = async (): Promise<readonly string[]> => {
    // The table, not only the server: the schema may still be on its way.
    const checks = { Postgres: pool.query('select from crawl limit 1'), Temporal: control.ping() };
    const results = await Promise.allSettled(Object.values(checks));
    return Object.keys(checks).filter((_, index) => results[index]?.status === 'rejected');
  };
  /** Whoever asks meanwhile is answered by it: anybody may ask, as often as they like. */
  let looking: Promise<readonly string[]> | null = null;
  const router = Router();
  router
    .route('/healthz')
    .get((_request, response) => {
      response.json({ status: 'up' });
    })
    .all(methodNotAllowed('GET'));
  router
    .route('/readyz')
    .get(async (_request, response) => {
      looking ??= whatIsAway().finally(() => (looking = null));
      const away = await looking;
      if (away.length === 0) response.json({ status: 'ready' });
      else sendProblem(response, 503, `Not ready: no answer from ${away.join(' and ')}.`);
    })
    .all(methodNotAllowed('GET'));
  return router;
}
