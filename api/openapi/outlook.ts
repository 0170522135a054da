import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { crawlOutlookView, outlookQuery } from '../../contracts/http/outlook.ts';
import { crawlPath } from '../../contracts/http/shared.ts';
import { fails, json } from './parts.ts';

export const outlookPaths: ZodOpenApiPathsObject = {
  '/v1/crawls/{crawlId}/outlook': {
    get: {
      operationId: 'getOutlook',
      summary: 'What a crawl waits for and until when, and how long what is queued takes',
      requestParams: { path: crawlPath, query: outlookQuery },
      responses: {
        '200': json('The outlook, of this moment.', crawlOutlookView),
        '400': fails('The query is not valid.'),
        '404': fails('There is no such crawl.'),
      },
    },
  },
};
