/** Results of a crawl: pages, ledger, audit, explain. */
import { explainQuery, explanation } from '../../contracts/http/explain.ts';
import { ledgerAnswer } from '../../contracts/http/counts.ts';
import {
  auditView,
  defaultPageLimit,
  pageList,
  pageQuery,
  pagesQuery,
  pageView,
} from '../../contracts/http/results.ts';
import { crawlPath } from '../../contracts/http/shared.ts';
import { urlKey } from '../../contracts/url-key.ts';
import type { PageField } from '../../contracts/page-fields.ts';
import { isBalanced } from '../../domain/ledger.ts';
import { canonicalize } from '../../domain/url.ts';
import { auditCrawl } from '../../storage/reports/index.ts';
import { findCrawl } from '../../storage/crawls/index.ts';
import { hostIds } from '../../storage/hosts/index.ts';
import { explainUrlOf } from '../../engine/explain/explain.ts';
import { bodyFields, readPage, readPages } from '../../storage/pages/index.ts';
import { noSuchCrawl } from '../crawls/crawl-ids.ts';
import { reader } from '../way-in/access.ts';
import { badCursor, HttpProblem } from '../way-in/problem.ts';
import { fails, json } from './answers.ts';
import { refuseUncrawlable } from './crawlable.ts';
import { route, type Cost } from './route.ts';

const ofReaders = { method: 'GET', access: reader('crawls'), params: crawlPath } as const;

/** Texts and the like are read from the bodies. */
const costOfFields = ({ fields = [] }: { fields?: readonly PageField[] | undefined }): Cost =>
  bodyFields.some((field) => fields.includes(field)) ? 'heavy' : 'usual';

export const resultRoutes = [
  route({
    ...ofReaders,
    path: '/v1/crawls/{crawlId}/pages',
    id: 'listPages',
    summary:
      'Pages: answered URLs with what was found in them, oldest first; follow `next` while the crawl runs',
    query: pagesQuery,
    answers: {
      200: json(
        'Pages: answered URLs with what was found in them, oldest first; follow `next` while the crawl runs',
        pageList,
      ),
    },
    cost: costOfFields,
    handler:
      ({ pool, textOf }) =>
      async ({ params: { crawlId }, query }) => {
        const { cursor = null, limit = defaultPageLimit, fields = [], from, ...filter } = query;
        const isLatest = from === 'latest' && cursor === null;
        const answer = await readPages(pool, crawlId, { cursor, isLatest, limit, fields, filter }, textOf);
        if (answer === 'unknown-crawl') return noSuchCrawl(crawlId);
        if (answer === 'bad-cursor') return badCursor();
        const { items, next, more } = answer;
        return { items, next, more };
      },
  }),
  route({
    ...ofReaders,
    path: '/v1/crawls/{crawlId}/page',
    id: 'getPage',
    summary: 'One page: an answered URL with what was found in it',
    query: pageQuery,
    answers: {
      200: json('The page.', pageView),
      404: fails('There is no such crawl, or the URL has no answer in it; explain says why.'),
      422: fails('The text is not a URL that can be crawled.'),
    },
    cost: costOfFields,
    handler:
      ({ pool, textOf }) =>
      async ({ params: { crawlId }, query: { url, fields = [] } }) => {
        refuseUncrawlable(url);
        if ((await findCrawl(pool, crawlId)) === null) noSuchCrawl(crawlId);
        const link = canonicalize(url.trim());
        const [host] = link.ok ? await hostIds(pool, [link.value.host]) : [];
        const key = link.ok ? urlKey(link.value.canonical).toString('hex') : '';
        const page =
          host === undefined ? null : await readPage(pool, { crawlId, host: host.id, key }, fields, textOf);
        if (page === null)
          throw new HttpProblem(
            404,
            `Crawl ${crawlId} has no answer to ${url}; explain says what became of the URL.`,
          );
        return page;
      },
  }),
  route({
    ...ofReaders,
    path: '/v1/crawls/{crawlId}/ledger',
    id: 'getLedger',
    summary: 'Number of URLs by state, and whether the numbers add up',
    answers: { 200: json('Number of URLs by state, and whether the numbers add up', ledgerAnswer) },
    handler:
      ({ pool }) =>
      async ({ params: { crawlId } }) => {
        const crawl = (await findCrawl(pool, crawlId)) ?? noSuchCrawl(crawlId);
        const { ledger, pages, pending, fetches, bytes } = crawl;
        return { ledger, pages, pending, fetches, bytes, balanced: isBalanced(ledger) };
      },
  }),
  route({
    ...ofReaders,
    path: '/v1/crawls/{crawlId}/audit',
    id: 'auditCrawl',
    summary: 'Recount every URL and compare with the ledger',
    answers: {
      200: json('Recount every URL and compare with the ledger', auditView),
    },
    cost: 'heavy',
    handler:
      ({ pool }) =>
      async ({ params: { crawlId } }) =>
        (await auditCrawl(pool, crawlId)) ?? noSuchCrawl(crawlId),
  }),
  route({
    ...ofReaders,
    path: '/v1/crawls/{crawlId}/explain',
    id: 'explainUrl',
    summary:
      'Every decision about a URL: why it was fetched, was skipped or waits, or what would become of it',
    query: explainQuery,
    answers: {
      200: json(
        'Every decision about a URL: why it was fetched, was skipped or waits, or what would become of it',
        explanation,
      ),
      422: fails('The text is not a URL that can be crawled.'),
    },
    handler:
      ({ pool, settings, lending }) =>
      async ({ params: { crawlId }, query: { url } }) => {
        refuseUncrawlable(url);
        const caps = lending.permits.book;
        return (
          (await explainUrlOf(pool, crawlId, url, settings.userAgent, caps, settings.regions)) ??
          noSuchCrawl(crawlId)
        );
      },
  }),
];
