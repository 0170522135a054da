/** The text that a crawl leaves out of the pages of a host, since many of them have it. */
import { boilerplateQuery, boilerplateView } from '../../contracts/http/boilerplate.ts';
import { crawlPath } from '../../contracts/http/shared.ts';
import { repeatedBlocks } from '../../storage/boilerplate/index.ts';
import { findCrawl } from '../../storage/crawls/index.ts';
import { noSuchCrawl } from '../crawls/crawl-ids.ts';
import { reader } from '../way-in/access.ts';
import { fails, json } from './answers.ts';
import { route } from './route.ts';

export const boilerplateRoutes = [
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/boilerplate',
    access: reader('crawls'),
    id: 'listBoilerplate',
    summary: 'Blocks of text that many pages of a host have, which the crawl leaves out',
    params: crawlPath,
    query: boilerplateQuery,
    answers: {
      200: json('The blocks, and how many pages have each.', boilerplateView),
      404: fails('There is no such crawl.'),
    },
    handler:
      ({ pool }) =>
      async ({ params: { crawlId }, query: { host } }) => {
        if ((await findCrawl(pool, crawlId)) === null) noSuchCrawl(crawlId);
        const [row] = await repeatedBlocks(pool, crawlId, host);
        const blocks = (row?.repeated ?? []).map(({ text, pages }) => ({ text, pages }));
        return { host, pages: row?.pages ?? 0, blocks: blocks.sort((a, b) => b.pages - a.pages) };
      },
  }),
];
