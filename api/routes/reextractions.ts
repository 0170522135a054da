/** Re-extractions (G10): asked for, watched, compared, switched to and back, kept, removed. */
import { z } from 'zod';
import {
  comparison,
  comparisonQuery,
  reextractionList,
  reextractionPath,
  reextractionView,
  type ReextractionView,
} from '../../contracts/http/reextractions.ts';
import { crawlPath } from '../../contracts/http/shared.ts';
import type { ReextractionChange } from '../../domain/reextraction/may.ts';
import { compareReextraction } from '../../engine/reextraction/compare.ts';
import { findCrawl } from '../../storage/crawls/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import {
  changeReextraction,
  listReextractions,
  reextractionRows,
  startReextraction,
  stateOf,
  type ReextractionRow,
} from '../../storage/reextraction/index.ts';
import { beginJob } from '../crawls/crawl-control.ts';
import { noSuchCrawl } from '../crawls/crawl-ids.ts';
import type { Parts } from '../dependencies.ts';
import { operator, reader } from '../way-in/access.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { fails, json, made } from './answers.ts';
import { route } from './route.ts';

const unknown = fails('There is no such crawl, or no such re-extraction of it.');
const noSuchReextraction = (crawlId: string, id: string): never => {
  throw new HttpProblem(404, `Crawl ${crawlId} has no re-extraction ${id}.`);
};

/** A text that cannot be a re-extraction names none. */
const ofOne = {
  params: reextractionPath,
  unknown: ({ crawlId = '', reextractionId = '' }: Readonly<Record<string, string>>) =>
    noSuchReextraction(crawlId, reextractionId),
};

/** A change of one re-extraction, by the last part of its path. */
const change = (name: Exclude<ReextractionChange, 'start' | 'remove'>, summary: string, refused: string) =>
  route({
    method: 'POST',
    path: `/v1/crawls/{crawlId}/reextractions/{reextractionId}/${name}`,
    access: operator('crawls'),
    id: `${name}Reextraction`,
    summary,
    ...ofOne,
    answers: { 200: json('The re-extraction.', reextractionView), 404: unknown, 409: fails(refused) },
    handler:
      (parts) =>
      async ({ params: { crawlId, reextractionId } }) => {
        await changed(parts, crawlId, reextractionId, name);
        return viewAgain(parts, crawlId, reextractionId);
      },
  });

export const reextractionRoutes = [
  route({
    method: 'POST',
    path: '/v1/crawls/{crawlId}/reextractions',
    access: operator('crawls'),
    id: 'startReextraction',
    summary:
      'Read the stored bodies of a crawl again, without any fetch, by a job that survives crashes: what they say stays beside the pages until it is switched to',
    params: crawlPath,
    body: z.strictObject({}).meta({ id: 'NewReextraction' }),
    answers: {
      201: made('The re-extraction is on record and begins by itself.', reextractionView),
      404: fails('There is no such crawl.'),
      409: fails('Another re-extraction of the crawl has not ended, or is in use.'),
    },
    handler:
      (parts) =>
      async ({ params: { crawlId }, response }) => {
        if ((await findCrawl(parts.pool, crawlId)) === null) noSuchCrawl(crawlId);
        const id = await startReextraction(parts.pool, crawlId);
        if (typeof id !== 'string') throw new HttpProblem(409, id.refused);
        await beginJob(parts, 'reextraction', id, crawlId);
        response.set('Location', `/v1/crawls/${crawlId}/reextractions/${id}`);
        return viewAgain(parts, crawlId, id);
      },
  }),
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/reextractions',
    access: reader('crawls'),
    id: 'listReextractions',
    summary: 'Re-extractions of a crawl, the latest first: 20 at most',
    params: crawlPath,
    answers: { 200: json('Re-extractions.', reextractionList), 404: fails('There is no such crawl.') },
    handler:
      ({ pool }) =>
      async ({ params: { crawlId } }) => {
        const crawl = (await findCrawl(pool, crawlId)) ?? noSuchCrawl(crawlId);
        const rows = await listReextractions(pool, crawlId);
        return { items: rows.map((row) => viewOf(crawl.pages, row)), next: null };
      },
  }),
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/reextractions/{reextractionId}',
    access: reader('crawls'),
    id: 'getReextraction',
    summary: 'How far a re-extraction is',
    ...ofOne,
    answers: { 200: json('The re-extraction.', reextractionView), 404: unknown },
    handler:
      (parts) =>
      async ({ params: { crawlId, reextractionId } }) =>
        viewAgain(parts, crawlId, reextractionId),
  }),
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/reextractions/{reextractionId}/comparison',
    access: reader('crawls'),
    id: 'compareReextraction',
    summary: 'How a re-extraction differs from the pages so far, by field, with samples',
    ...ofOne,
    query: comparisonQuery,
    answers: {
      200: json('The comparison.', comparison),
      404: unknown,
      409: fails('The re-extraction has no pages any more.'),
    },
    handler:
      ({ pool }) =>
      async ({ params: { crawlId, reextractionId }, query: { field, samples = 3 } }) => {
        const row = await rowOf(pool, crawlId, reextractionId);
        const state = stateOf(row);
        if (!['running', 'finished', 'waiting'].includes(state))
          throw new HttpProblem(
            409,
            `Re-extraction ${reextractionId} is ${state}: nothing is left to compare.`,
          );
        return compareReextraction(pool, row, field, samples);
      },
  }),
  change(
    'switch',
    'Have everybody read this extraction from now on, of all pages of the crawl at one moment',
    'The re-extraction is not finished, or another one is in use.',
  ),
  change(
    'undo',
    'Have everybody read again what they read before the switch, at one moment',
    'The re-extraction is not in use.',
  ),
  change(
    'keep',
    'Make the extraction in use the pages’ own: the earlier one goes, and cannot come back',
    'The re-extraction is not in use, or others were compared with the earlier extraction.',
  ),
  change('cancel', 'Cancel a re-extraction: what it has found is removed', 'The re-extraction has ended.'),
  route({
    method: 'DELETE',
    path: '/v1/crawls/{crawlId}/reextractions/{reextractionId}',
    access: operator('crawls'),
    id: 'removeReextraction',
    summary: 'Remove a re-extraction that is not in use, with all that it has found',
    ...ofOne,
    answers: {
      200: json('The re-extraction; it goes by itself.', reextractionView),
      404: unknown,
      409: fails('The re-extraction has not ended, or is in use.'),
    },
    handler:
      (parts) =>
      async ({ params: { crawlId, reextractionId } }) => {
        await changed(parts, crawlId, reextractionId, 'remove');
        return viewAgain(parts, crawlId, reextractionId);
      },
  }),
];

const rowOf = async (pool: Pool, crawlId: string, id: string): Promise<ReextractionRow> =>
  (await reextractionRows.find(pool, crawlId, id))[0] ?? noSuchReextraction(crawlId, id);

async function changed(
  parts: Parts,
  crawlId: string,
  id: string,
  what: Exclude<ReextractionChange, 'start'>,
): Promise<void> {
  await rowOf(parts.pool, crawlId, id);
  const refused = await changeReextraction(parts.pool, crawlId, id, what);
  if (refused !== null) throw new HttpProblem(409, refused.refused);
  await beginJob(parts, 'reextraction', id, crawlId);
}

async function viewAgain(parts: Parts, crawlId: string, id: string): Promise<ReextractionView> {
  const crawl = (await findCrawl(parts.pool, crawlId)) ?? noSuchCrawl(crawlId);
  return viewOf(crawl.pages, await rowOf(parts.pool, crawlId, id));
}

function viewOf(ofPages: number, row: ReextractionRow): ReextractionView {
  const { id, crawl_id: crawlId, progress, error: reason, created_at, ended_at } = row;
  const { isInUse: inUse, isSettled: settled, extractor, pages, tally } = progress;
  const { equal, different, unread } = tally;
  return {
    id,
    crawlId,
    state: stateOf(row),
    inUse,
    settled,
    reason,
    extractor,
    pages,
    equal,
    different,
    unread: { ...unread },
    ofPages,
    createdAt: created_at.toISOString(),
    endedAt: ended_at?.toISOString() ?? null,
  };
}
