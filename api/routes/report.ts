/** `GET /v1/crawls/{crawlId}/report`: as JSON, and as a page for people (F38). */
import { Router } from 'express';
import { reportQuery, type CrawlReport } from '../../contracts/http/report.ts';
import { reportCrawl } from '../../storage/report.ts';
import { crawlIdOf, noSuchCrawl } from '../crawls/crawl-ids.ts';
import type { Dependencies } from '../dependencies.ts';
import { madeInLine } from './in-line.ts';
import { methodNotAllowed, parseInput } from '../way-in/problem.ts';
import { reportHtml, reportPolicy } from '../pages/report-page.ts';

export function reportRoutes({ pool }: Pick<Dependencies, 'pool'>): Router {
  // A report looks at every URL of a crawl, several times.
  const inLine = madeInLine<CrawlReport | null>(20);
  const router = Router();
  router
    .route('/crawls/:crawlId/report')
    .get(async (request, response) => {
      const id = crawlIdOf(request);
      const { format = request.accepts(['json', 'html']) === 'html' ? 'html' : 'json' } = parseInput(
        reportQuery,
        request.query,
        400,
      );
      const made = await inLine(response, id, () => reportCrawl(pool, id, new Date()));
      const report = made ?? noSuchCrawl(id);
      response.vary('Accept');
      if (format === 'json') response.json(report);
      else response.set('Content-Security-Policy', reportPolicy).type('html').send(reportHtml(report));
    })
    .all(methodNotAllowed('GET'));
  return router;
}
