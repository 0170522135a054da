/** `GET /v1/crawls/{crawlId}/body`: what a server sent, as it was stored. */
import { bodyQuery } from '../../contracts/http/body.ts';
import { crawlPath } from '../../contracts/http/shared.ts';
import { storedBody, storedHead } from '../../engine/stored-answer.ts';
import { findCrawl } from '../../storage/crawls/index.ts';
import { noSuchCrawl } from '../crawls/crawl-ids.ts';
import { reader } from '../way-in/access.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { byHand, fails } from './answers.ts';
import { refuseUncrawlable } from './crawlable.ts';
import { answered, route } from './route.ts';

export const bodyRoutes = [
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/body',
    access: reader('crawls'),
    id: 'readBody',
    summary: 'The body that a URL was answered with, byte by byte, or the head of that answer',
    params: crawlPath,
    query: bodyQuery,
    answers: {
      200: byHand({
        description:
          'The body without its Content-Encoding, never as a page to show: it comes from a stranger. With `part=head`: a status line and fields, as WARC has them; fields about the encoding begin with `x-archive-orig-`.',
        content: {
          'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
          'text/plain': { schema: { type: 'string' } },
        },
      }),
      422: fails('The text is not a URL that can be crawled.'),
    },
    handler:
      ({ pool, archive }) =>
      async ({ params: { crawlId }, query: { url, part = 'body' }, response }) => {
        refuseUncrawlable(url);
        if ((await findCrawl(pool, crawlId)) === null) noSuchCrawl(crawlId);
        const found =
          part === 'head'
            ? await storedHead(pool, archive, crawlId, url)
            : await storedBody(pool, archive, crawlId, url);
        if (found === null) throw new HttpProblem(404, `Crawl ${crawlId} has no stored ${part} of this URL.`);
        response.type(part === 'head' ? 'text/plain; charset=latin1' : 'application/octet-stream');
        // No browser may take it for a page of ours.
        response.set({ 'Content-Disposition': 'attachment', 'X-Content-Type-Options': 'nosniff' });
        response.end(typeof found === 'string' ? Buffer.from(`${found}\r\n`, 'latin1') : found);
        return answered;
      },
  }),
];
