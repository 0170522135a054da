/** The sitemaps of a crawl, each with what was found in it and what is wrong with it. */
import { crawlPath } from '../../contracts/http/shared.ts';
import {
  defaultSitemapLimit,
  sitemapList,
  sitemapsQuery,
  type SitemapView,
} from '../../contracts/http/sitemaps.ts';
import { faultText } from '../../domain/sitemap-faults.ts';
import { reasonText } from '../../domain/url-reason.ts';
import { findCrawl } from '../../storage/crawls/index.ts';
import { listSitemaps, type SitemapRow } from '../../storage/sitemaps/index.ts';
import { noSuchCrawl } from '../crawls/crawl-ids.ts';
import { reader } from '../way-in/access.ts';
import { badCursor } from '../way-in/problem.ts';
import { json } from './answers.ts';
import { route } from './route.ts';

const cursorForm = /^(\d{1,18})\.((?:[0-9a-f]{2}){0,16})$/;

export const sitemapRoutes = [
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/sitemaps',
    access: reader('crawls'),
    id: 'listSitemaps',
    summary: 'Sitemaps of a crawl: what each names, and what is wrong with it, by line',
    params: crawlPath,
    query: sitemapsQuery,
    answers: { 200: json('Sitemaps, host by host.', sitemapList) },
    handler:
      ({ pool }) =>
      async ({ params: { crawlId }, query }) => {
        const { cursor = '0.', limit = defaultSitemapLimit, state = null } = query;
        const [, host, key] = cursorForm.exec(cursor) ?? [];
        if (host === undefined || key === undefined) return badCursor();
        if ((await findCrawl(pool, crawlId)) === null) return noSuchCrawl(crawlId);
        const rows = await listSitemaps(pool, {
          crawlId,
          afterHost: host,
          afterKey: key,
          states: state,
          limit,
        });
        const last = rows.length < limit ? undefined : rows.at(-1);
        const next = last === undefined ? null : `${String(last.hostId)}.${last.key}`;
        return { items: rows.map(viewOf), next };
      },
  }),
];

const viewOf = ({ hostId: _, key: __, reason, detail, ...row }: SitemapRow): SitemapView => ({
  ...row,
  why: row.state === 'excluded' || row.state === 'failed' ? reasonText(reason, detail) : null,
  faults: row.faults.map((fault) => ({ line: fault.line, kind: fault.kind, what: faultText(fault) })),
});
