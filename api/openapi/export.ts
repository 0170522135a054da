import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { pageView } from '../../contracts/http/results.ts';
import { crawlPath } from '../../contracts/http/shared.ts';
import { exportQuery } from '../../contracts/http/export.ts';
import { fails } from './parts.ts';

export const exportPaths: ZodOpenApiPathsObject = {
  '/v1/crawls/{crawlId}/export': {
    get: {
      operationId: 'exportCrawl',
      summary: 'All pages of a crawl in one answer, as far as it has come',
      requestParams: { path: crawlPath, query: exportQuery },
      responses: {
        '200': {
          description: 'A page a line, oldest first.',
          content: {
            'application/x-ndjson': { schema: pageView },
            'text/csv': { schema: { type: 'string' } },
          },
        },
        '400': fails('The query is not valid.'),
        '429': fails('Too many exports are under way; Retry-After says when to ask again.'),
        '404': fails('There is no such crawl.'),
      },
    },
  },
};
