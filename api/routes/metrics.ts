/** `GET /metrics`, where monitoring looks for it. */
import { z } from 'zod';
import { instanceSources, type InstanceNow } from '../../engine/metrics/instance.ts';
import { metrics, type ProcessNow } from '../../engine/metrics/list.ts';
import { scrapeOf } from '../../engine/metrics/scrape.ts';
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
    handler: ({ pool, freeBytes, settings, log }) => {
      const { version } = settings;
      const list = { ...metrics.ofProcess, ...metrics.ofApi, ...metrics.ofInstance };
      const ofProcess = { version: () => version, pools: () => [pool], freeBytes };
      const scrape = scrapeOf<ProcessNow & InstanceNow>(
        list,
        { ...ofProcess, ...instanceSources(pool) },
        log,
      );
      return async ({ response }) => {
        response.type(scrape.contentType).send(await scrape.read());
        return answered;
      };
    },
  }),
];
