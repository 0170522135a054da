/** The outlook of a crawl: what it waits for, how long it may still take, and where its time goes. */
import { crawlHostList, crawlHostsQuery, defaultCrawlHostLimit } from '../../contracts/http/crawl-hosts.ts';
import { crawlOutlookView, defaultOutlookLimit, outlookQuery } from '../../contracts/http/outlook.ts';
import { crawlTimeView } from '../../contracts/http/crawl-time.ts';
import { crawlPath } from '../../contracts/http/shared.ts';
import { crawlHostsAfter, outlookOf, timeOf } from '../../storage/reports/index.ts';
import { noSuchCrawl } from '../crawls/crawl-ids.ts';
import { reader } from '../way-in/access.ts';
import { json } from './answers.ts';
import { route } from './route.ts';

export const outlookRoutes = [
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/outlook',
    access: reader('crawls'),
    id: 'getOutlook',
    summary:
      'What a crawl waits for and until when, which services are down, and when the crawl will be over',
    params: crawlPath,
    query: outlookQuery,
    answers: { 200: json('The outlook at this moment.', crawlOutlookView) },
    handler:
      ({ pool }) =>
      async ({ params: { crawlId }, query: { limit = defaultOutlookLimit, fields } }) =>
        (await outlookOf(pool, crawlId, limit, fields === 'parked')) ?? noSuchCrawl(crawlId),
  }),
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/hosts',
    access: reader('crawls'),
    id: 'listHostsOfCrawl',
    summary: 'Hosts at which a crawl has URLs, with how many, and why those that are queued wait',
    params: crawlPath,
    query: crawlHostsQuery,
    answers: { 200: json('Hosts.', crawlHostList) },
    handler:
      ({ pool }) =>
      async ({ params: { crawlId }, query: { cursor = null, limit = defaultCrawlHostLimit } }) =>
        (await crawlHostsAfter(pool, crawlId, cursor, limit)) ?? noSuchCrawl(crawlId),
  }),
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/time',
    access: reader('crawls'),
    id: 'explainTime',
    summary:
      'Why a crawl is slow or not finished: its time by cause, the hosts that hold it up, when it will be over',
    params: crawlPath,
    answers: { 200: json('Where the time of the crawl goes.', crawlTimeView) },
    cost: 'heavy',
    handler:
      ({ pool }) =>
      async ({ params: { crawlId } }) =>
        (await timeOf(pool, crawlId, new Date())) ?? noSuchCrawl(crawlId),
  }),
];
