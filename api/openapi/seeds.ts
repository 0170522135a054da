/** Seeds of a crawl in the OpenAPI document. */
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { crawlPath } from '../../contracts/http/shared.ts';
import { addedSeeds, moreSeeds, seedList, seedQuery } from '../../contracts/http/seeds.ts';
import { fails, json } from './parts.ts';

export const seedPaths: ZodOpenApiPathsObject = {
  '/v1/crawls/{crawlId}/seeds': {
    get: {
      operationId: 'listSeeds',
      summary: 'Seeds as they were asked for; all, the good ones, or the rejected ones with the reason',
      requestParams: { path: crawlPath, query: seedQuery },
      responses: {
        '200': json('Seeds, in the order in which they came.', seedList),
        '400': fails('The query is not valid.'),
        '404': fails('There is no such crawl.'),
      },
    },
    post: {
      operationId: 'addSeeds',
      summary: 'More seeds for a crawl; one that had run out of work goes on',
      requestParams: { path: crawlPath },
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: moreSeeds },
          'text/uri-list': { schema: z.string() },
          'application/x-ndjson': { schema: z.string() },
        },
      },
      responses: {
        '200': json('They are stored, and are admitted within some seconds.', addedSeeds),
        '400': fails('The body is not valid JSON, or was cut off.'),
        '404': fails('There is no such crawl.'),
        '409': fails('The crawl was ended.'),
        '413': fails('The body is too large; what is said to be stored is stored.'),
        '415': fails('The body is neither JSON nor lines.'),
        '422': fails('The body is not valid, or holds no good seed.'),
      },
    },
  },
};
