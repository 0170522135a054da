/** The near-duplicates of a crawl. */
import {
  defaultClusterLimit,
  mostAlikeShown,
  mostUnjudgedCounted,
  nearDuplicateList,
  nearDuplicatesQuery,
} from '../../contracts/http/near-duplicates.ts';
import { crawlPath } from '../../contracts/http/shared.ts';
import { countUnjudged, listClusters } from '../../storage/alike/index.ts';
import { findCrawl } from '../../storage/crawls/index.ts';
import { noSuchCrawl } from '../crawls/crawl-ids.ts';
import { reader } from '../way-in/access.ts';
import { fails, json } from './answers.ts';
import { route } from './route.ts';

export const nearDuplicateRoutes = [
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/near-duplicates',
    access: reader('crawls'),
    id: 'listNearDuplicates',
    summary: 'Pages with nearly the same text, by the page that stands for them',
    params: crawlPath,
    query: nearDuplicatesQuery,
    answers: {
      200: json('Clusters of pages, in the order in which their first pages came.', nearDuplicateList),
      404: fails('There is no such crawl.'),
    },
    cost: 'heavy',
    handler:
      ({ pool }) =>
      async ({ params: { crawlId }, query: { cursor = '0', limit = defaultClusterLimit } }) => {
        if ((await findCrawl(pool, crawlId)) === null) noSuchCrawl(crawlId);
        const rows = await listClusters(pool, crawlId, cursor, limit, mostAlikeShown);
        const [counts] = await countUnjudged(pool, crawlId, mostUnjudgedCounted);
        const last = rows.at(-1);
        return {
          items: rows.map(({ url, pages, alike }) => ({ url, pages, alike: [...alike] })),
          next: rows.length < limit || last === undefined ? null : String(last.original),
          waiting: counts?.waiting ?? 0,
        };
      },
  }),
];
