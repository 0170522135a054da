/** `GET /v1/crawls/{crawlId}/report`: as JSON, and as a page for people (F38). */
import { Router, type Response } from 'express';
import { reportQuery, type CrawlReport } from '../contracts/http/report.ts';
import { reportCrawl } from '../storage/report.ts';
import { crawlIdOf, noSuchCrawl } from './crawl-ids.ts';
import type { Dependencies } from './dependencies.ts';
import { oneAtATime } from './in-line.ts';
import { methodNotAllowed, parseInput } from './problem.ts';
import { reportHtml, reportPolicy } from './report-page.ts';

export function reportRoutes({ pool }: Pick<Dependencies, 'pool'>): Router {
  /**
   * A report looks at every URL of a crawl, several times: whoever asks while one is being made gets that one, and
   * reports of different crawls are made one after another.
   */
  const underWay = new Map<string, Promise<CrawlReport | null>>();
  const inLine = oneAtATime(20);
  const reportOf = (response: Response, id: string): Promise<CrawlReport | null> => {
    const known = underWay.get(id);
    if (known !== undefined) return known;
    const made = inLine(response, () => reportCrawl(pool, id, new Date())).finally(() => underWay.delete(id));
    underWay.set(id, made);
    return made;
  };

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
      const report = (await reportOf(response, id)) ?? noSuchCrawl(id);
      response.vary('Accept');
      if (format === 'json') response.json(report);
      else response.set('Content-Security-Policy', reportPolicy).type('html').send(reportHtml(report));
    })
    .all(methodNotAllowed('GET'));
  return router;
}
