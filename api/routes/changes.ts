/** What has changed in the pages of a crawl from one fetch to the next. */
import {
  changeList,
  changesQuery,
  defaultChangeLimit,
  diffQuery,
  pageDiff,
  pageVersionList,
  pageVersionsQuery,
  versionChange,
} from '../../contracts/http/changes.ts';
import { crawlPath } from '../../contracts/http/shared.ts';
import { differences, versionsOf } from '../../engine/changes/differences.ts';
import { NotHereYet } from '../../storage/archive/index.ts';
import { changesProgress } from '../../storage/changes/index.ts';
import { findCrawl } from '../../storage/crawls/index.ts';
import { readEvents } from '../../storage/events/index.ts';
import { noSuchCrawl } from '../crawls/crawl-ids.ts';
import { reader } from '../way-in/access.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { fails, json } from './answers.ts';
import { refuseUncrawlable } from './crawlable.ts';
import { route } from './route.ts';

const nothingCompared = { is_over: false, compared: 0, forgotten: 0, dropped: 0, lost: 0 };

export const changeRoutes = [
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/changes',
    access: reader('crawls'),
    id: 'listChanges',
    summary: 'Pages of a crawl that changed since they were fetched before, in order',
    params: crawlPath,
    query: changesQuery,
    answers: { 200: json('Changes, oldest first.', changeList) },
    handler:
      ({ pool }) =>
      async ({ params: { crawlId }, query: { cursor = '0', limit = defaultChangeLimit } }) => {
        if ((await findCrawl(pool, crawlId)) === null) noSuchCrawl(crawlId);
        // Read before the events: if everything is compared by now, the events that are read next are complete.
        const [progress] = await changesProgress(pool, crawlId);
        const events = await readEvents(pool, crawlId, cursor, limit, ['page.changed']);
        const more = events.length === limit;
        const { is_over: isOver, ...counts } = progress ?? nothingCompared;
        return {
          items: events.map(({ id, data }) => ({ event: id, ...versionChange.parse(data) })),
          next: isOver && !more ? null : (events.at(-1)?.id ?? cursor),
          more,
          ...counts,
        };
      },
  }),
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/page-versions',
    access: reader('crawls'),
    id: 'listPageVersions',
    summary: 'Versions of a page: of this crawl, and of earlier crawls of the tenant',
    params: crawlPath,
    query: pageVersionsQuery,
    answers: {
      200: json('Versions, the latest first; none: the page was never fetched.', pageVersionList),
      422: fails('The text is not a URL that can be crawled.'),
    },
    handler:
      ({ pool }) =>
      async ({ params: { crawlId }, query: { url } }) => {
        refuseUncrawlable(url);
        if ((await findCrawl(pool, crawlId)) === null) noSuchCrawl(crawlId);
        return { items: await versionsOf(pool, crawlId, url) };
      },
  }),
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/diff',
    access: reader('crawls'),
    id: 'diffPage',
    summary: 'What differs between two versions of a page: metadata by field, the main text by words',
    params: crawlPath,
    query: diffQuery,
    answers: {
      200: json('The differences.', pageDiff),
      409: fails('A body lies on another machine, and cannot be read before its segment is closed.'),
      422: fails('The text is not a URL that can be crawled.'),
    },
    cost: 'heavy',
    handler:
      ({ pool, readVersion }) =>
      async ({ params: { crawlId }, query: { url, from, to } }) => {
        refuseUncrawlable(url);
        if ((await findCrawl(pool, crawlId)) === null) noSuchCrawl(crawlId);
        const found = await differences(pool, readVersion, crawlId, url, from, to).catch((error: unknown) => {
          if (!(error instanceof NotHereYet)) throw error;
          throw new HttpProblem(409, 'A body of this page lies on another machine. Ask again later.');
        });
        if (found === 'no-version')
          throw new HttpProblem(
            404,
            'There are no two such versions of this URL; page-versions lists those there are.',
          );
        if (found === 'no-body')
          throw new HttpProblem(404, 'The body of one of the versions is not stored any more.');
        return found;
      },
  }),
];
