/** The report of a crawl: as JSON, and as a page for people. */
import { crawlReport, reportQuery } from '../../contracts/http/report.ts';
import { crawlPath } from '../../contracts/http/shared.ts';
import { reportCrawl } from '../../storage/reports/index.ts';
import { noSuchCrawl } from '../crawls/crawl-ids.ts';
import { reportHtml, reportPolicy } from '../pages/report-page.ts';
import { reader } from '../way-in/access.ts';
import { alsoAs, json } from './answers.ts';
import { answered, route } from './route.ts';

export const reportRoutes = [
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/report',
    access: reader('crawls'),
    id: 'reportCrawl',
    summary: 'Report of a crawl, as JSON or as a web page',
    params: crawlPath,
    query: reportQuery,
    answers: {
      200: alsoAs(
        'text/html',
        { schema: { type: 'string' } },
        json('The report at this moment.', crawlReport),
      ),
    },
    cost: 'heavy',
    handler:
      ({ pool }) =>
      async ({ params: { crawlId }, query, request, response }) => {
        const { format = request.accepts(['json', 'html']) === 'html' ? 'html' : 'json' } = query;
        const report = (await reportCrawl(pool, crawlId, new Date())) ?? noSuchCrawl(crawlId);
        response.vary('Accept');
        if (format === 'json') return report;
        response.set('Content-Security-Policy', reportPolicy).type('html').send(reportHtml(report));
        return answered;
      },
  }),
];
