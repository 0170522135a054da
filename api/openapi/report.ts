import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { crawlPath } from '../../contracts/http/shared.ts';
import { crawlReport, reportQuery } from '../../contracts/http/report.ts';
import { fails, json } from './parts.ts';

export const reportPaths: ZodOpenApiPathsObject = {
  '/v1/crawls/{crawlId}/report': {
    get: {
      operationId: 'reportCrawl',
      summary: 'What a crawl did and what came of it, as JSON or as a page for people',
      requestParams: { path: crawlPath, query: reportQuery },
      responses: {
        '200': {
          ...json('The report, of this moment.', crawlReport),
          content: {
            ...json('', crawlReport).content,
            'text/html': { schema: { type: 'string' } },
          },
        },
        '400': fails('The query is not valid.'),
        '404': fails('There is no such crawl.'),
        '503': fails('Too many reports are asked for at the moment; Retry-After says when to ask again.'),
      },
    },
  },
};
