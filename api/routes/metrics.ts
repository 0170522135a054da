/** `GET /metrics`, where monitoring looks for it. */
import { z } from 'zod';
import { instanceReader } from '../../engine/metrics/instance.ts';
import { metrics } from '../../engine/metrics/list.ts';
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
    handler: ({ pool, freeBytes, settings }) => {
      const { version } = settings;
      const read = instanceReader(pool);
      const list = { ...metrics.ofProcess, ...metrics.ofApi, ...metrics.ofInstance };
      const scrape = scrapeOf(list, async () => ({
        version,
        pools: [pool],
        freeBytes: await freeBytes(),
        ...(await read()),
      }));
      return async ({ response }) => {
        response.type(scrape.contentType).send(await scrape.read());
        return answered;
      };
    },
  }),
];
