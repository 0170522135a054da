/** How fresh a standing crawl is, and what a goal can reach (F33). */
import {
  defaultSamples,
  freshnessPreview,
  freshnessQuery,
  freshnessView,
} from '../../contracts/http/freshness.ts';
import { keepFresh } from '../../contracts/http/keep-fresh.ts';
import { crawlPath } from '../../contracts/http/shared.ts';
import { freshnessOf, previewGoal } from '../../engine/recrawl/freshness.ts';
import { findCrawl } from '../../storage/crawls/index.ts';
import { noSuchCrawl } from '../crawls/crawl-ids.ts';
import { operator, reader } from '../way-in/access.ts';
import { noteForAudit } from '../way-in/audit-log.ts';
import { json } from './answers.ts';
import { route } from './route.ts';

export const freshnessRoutes = [
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/freshness',
    access: reader('crawls'),
    id: 'getFreshness',
    summary: 'How fresh a crawl that keeps its pages fresh is, and was, hour by hour',
    params: crawlPath,
    query: freshnessQuery,
    answers: { 200: json('The freshness at this moment.', freshnessView) },
    handler:
      ({ pool }) =>
      async ({ params: { crawlId }, query: { limit = defaultSamples } }) =>
        (await freshnessOf(pool, crawlId, limit)) ?? noSuchCrawl(crawlId),
  }),
  route({
    method: 'POST',
    path: '/v1/crawls/{crawlId}/freshness/preview',
    access: operator('crawls'),
    id: 'previewFreshness',
    summary: 'What a goal for the freshness of a crawl can reach; nothing is changed',
    params: crawlPath,
    body: keepFresh,
    answers: { 200: json('What can be reached.', freshnessPreview) },
    cost: 'heavy',
    handler:
      ({ pool }) =>
      async ({ params: { crawlId }, body, response }) => {
        if ((await findCrawl(pool, crawlId)) === null) return noSuchCrawl(crawlId);
        noteForAudit(response, 'a preview: nothing was changed');
        return previewGoal(pool, crawlId, body);
      },
  }),
];
