/** Searches by the texts of pages, and the indexes that they need. */
import { beginJob } from '../crawls/crawl-control.ts';
import {
  crawlSearchQuery,
  defaultHits,
  mostBuilding,
  mostHits,
  mostIndexes,
  searchAnswer,
  searchIndexView,
  searchQuery,
  type SearchAnswerView,
  type SearchIndexView,
} from '../../contracts/http/search.ts';
import { crawlPath } from '../../contracts/http/shared.ts';
import { inBreaks, withoutBreaks } from '../../content/word-breaks.ts';
import { readQuery, type Term } from '../../domain/search/query.ts';
import { findCrawl } from '../../storage/crawls/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { askIndex, indexedCrawls, indexRows, type SearchIndex } from '../../storage/search/index.ts';
import { noSuchCrawl } from '../crawls/crawl-ids.ts';
import { operator, reader } from '../way-in/access.ts';
import { badCursor, HttpProblem } from '../way-in/problem.ts';
import { fails, json } from './answers.ts';
import { route } from './route.ts';

const ofCrawl = { params: crawlPath } as const;
const found = json('Pages, the best first.', searchAnswer);
const noIndex = fails('A crawl has no index; the answer says how to get one.');

export const searchRoutes = [
  route({
    method: 'GET',
    path: '/v1/search',
    access: reader('crawls'),
    id: 'search',
    summary: 'Search the texts of the pages of several crawls, or of all that are indexed',
    query: searchQuery,
    answers: { 200: found, 404: fails('There is no such crawl.'), 409: noIndex },
    cost: 'heavy',
    handler:
      ({ pool, search }) =>
      async ({ query: { crawl = null, ...query }, caller }) =>
        searched(pool, search, caller.tenantId, crawl, query),
  }),
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/search',
    access: reader('crawls'),
    id: 'searchCrawl',
    summary: 'Search the texts of the pages of a crawl',
    ...ofCrawl,
    query: crawlSearchQuery,
    answers: { 200: found, 409: noIndex },
    cost: 'heavy',
    handler:
      ({ pool, search }) =>
      async ({ params: { crawlId }, query, caller }) =>
        searched(pool, search, caller.tenantId, [crawlId], query),
  }),
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/search/index',
    access: reader('crawls'),
    id: 'getSearchIndex',
    summary: 'Whether a crawl is indexed for searches, and how far',
    ...ofCrawl,
    answers: { 200: json('The index at this moment.', searchIndexView) },
    handler:
      ({ pool, search }) =>
      async ({ params: { crawlId } }) => {
        if ((await findCrawl(pool, crawlId)) === null) return noSuchCrawl(crawlId);
        return indexOf(pool, search, crawlId);
      },
  }),
  route({
    method: 'POST',
    path: '/v1/crawls/{crawlId}/search/index',
    access: operator('crawls'),
    id: 'indexCrawl',
    summary:
      'Index the pages of a crawl for searches, in the background; if the crawl is still open, the index follows it',
    ...ofCrawl,
    answers: { 200: json('The index as it stands; it is built in the background.', searchIndexView) },
    handler:
      ({ pool, search, control, log }) =>
      async ({ params: { crawlId } }) => {
        if ((await findCrawl(pool, crawlId)) === null) return noSuchCrawl(crawlId);
        await askIndex(pool, crawlId);
        await beginJob({ control, log }, 'search', crawlId);
        return indexOf(pool, search, crawlId);
      },
  }),
];

async function indexOf(pool: Pool, search: SearchIndex, crawlId: string): Promise<SearchIndexView> {
  const [row] = await indexRows.find(pool, crawlId, crawlId);
  const isReady = row?.state === 'finished' && row.progress.store === search.name;
  return {
    crawlId,
    state:
      row === undefined ? 'none' : row.state === 'cancelled' ? 'dropped' : isReady ? 'ready' : 'building',
    looked: row?.progress.looked ?? 0,
    lost: row?.progress.lost ?? 0,
    askedAt: row?.created_at.toISOString() ?? null,
    indexedAt: row?.progress.indexedAt ?? null,
  };
}

/** Where a script writes no spaces, what was typed as one word may be several in a row. */
function inWords(term: Term): Term {
  const text = inBreaks(term.text);
  return { ...term, text, isPhrase: term.isPhrase || text !== term.text };
}

type Criteria = (typeof crawlSearchQuery)['_output'];

async function searched(
  pool: Pool,
  search: SearchIndex,
  tenantId: number,
  wanted: readonly string[] | null,
  { q, limit = defaultHits, cursor = '0', ...filter }: Criteria,
): Promise<SearchAnswerView> {
  if (!/^\d{1,4}$/.test(cursor)) return badCursor();
  const terms = readQuery(q).map(inWords);
  if (terms.every(({ isUnwanted }) => isUnwanted))
    throw new HttpProblem(422, 'q: there is no word in it that must be there');
  const crawls = await indexedCrawls(pool, tenantId, wanted, mostIndexes);
  const missing = wanted?.find((id) => !crawls.some((crawl) => crawl.id === id));
  if (missing !== undefined) return noSuchCrawl(missing);
  const bare = crawls.find(({ indexed }) => !indexed);
  if (bare !== undefined)
    throw new HttpProblem(
      409,
      `Crawl ${bare.id} is not indexed for searches. POST /v1/crawls/${bare.id}/search/index, or orbweaver index ${bare.id}, has it indexed; a new crawl is indexed if its setting \`search\` is true.`,
    );
  const building = crawls.flatMap((crawl) => (crawl.building ? [crawl.id] : [])).slice(0, mostBuilding);
  const looked = { crawls: crawls.length, building };
  const offset = Number(cursor);
  const most = Math.min(limit, mostHits - offset);
  if (crawls.length === 0 || most <= 0) return { items: [], found: 0, complete: true, ...looked, next: null };
  const configs = [...new Set(crawls.flatMap((crawl) => crawl.configs))];
  const { hits, found, isComplete } = await search.search({
    crawls,
    configs,
    terms,
    filter,
    limit: most,
    offset,
  });
  const end = offset + hits.length;
  return {
    items: hits.map(({ title, snippet, ...hit }) => ({
      ...hit,
      title: title === null ? null : withoutBreaks(title),
      snippet: snippet.map((part) => ({ ...part, text: withoutBreaks(part.text) })),
    })),
    found,
    complete: isComplete && crawls.length < mostIndexes,
    ...looked,
    next: hits.length < most || end >= Math.min(found, mostHits) ? null : String(end),
  };
}
