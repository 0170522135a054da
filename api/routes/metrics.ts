/** `GET /metrics`, where monitoring looks for it. */
import { z } from 'zod';
import { createMetrics } from '../watchers/metrics.ts';
import { instance } from '../way-in/access.ts';
import { byHand } from './answers.ts';
import { answered, route } from './route.ts';

export const metricsRoutes = [
  route({
    method: 'GET',
    path: '/metrics',
    access: instance('reader', 'metrics'),
    id: 'metrics',
    summary: 'Metrics of the whole instance, for Prometheus',
    answers: {
      200: byHand({
        description: 'Metrics in the text format of Prometheus.',
        content: { 'text/plain': { schema: z.string() } },
      }),
    },
    handler: ({ pool, settings }) => {
      const metrics = createMetrics(pool, settings.version);
      return async ({ response }) => {
        response.type(metrics.contentType).send(await metrics.read());
        return answered;
      };
    },
  }),
];
