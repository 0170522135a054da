/** `GET /metrics`, where monitoring looks for it. */
import { Router } from 'express';
import type { Dependencies } from '../dependencies.ts';
import { createMetrics } from '../watchers/metrics.ts';
import { methodNotAllowed } from '../way-in/problem.ts';

export function metricsRoutes({ pool, settings }: Dependencies): Router {
  const metrics = createMetrics(pool, settings.version);
  const router = Router();
  router
    .route('/metrics')
    .get(async (_request, response) => {
      response.type(metrics.contentType).send(await metrics.read());
    })
    .all(methodNotAllowed('GET'));
  return router;
}
