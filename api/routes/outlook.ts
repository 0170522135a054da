/** What a crawl waits for, and how long it may still take (G14). */
import { Router } from 'express';
import { defaultOutlookLimit, outlookQuery } from '../../contracts/http/outlook.ts';
import { outlookOf } from '../../storage/outlook.ts';
import { crawlIdOf, noSuchCrawl } from '../crawls/crawl-ids.ts';
import type { Dependencies } from '../dependencies.ts';
import { methodNotAllowed, parseInput } from '../way-in/problem.ts';

export function outlookRoutes({ pool }: Pick<Dependencies, 'pool'>): Router {
  const router = Router();
  router
    .route('/crawls/:crawlId/outlook')
    .get(async (request, response) => {
      const crawlId = crawlIdOf(request);
      const { limit = defaultOutlookLimit } = parseInput(outlookQuery, request.query, 400);
      response.json((await outlookOf(pool, crawlId, limit)) ?? noSuchCrawl(crawlId));
    })
    .all(methodNotAllowed('GET'));
  return router;
}
