/**
 * Seeds of a crawl: listed and added. Seeds as JSON are added all or none; seeds as lines are stored batch by batch
 * while they arrive.
 */
import type { Request, Response } from 'express';
import {
  addedSeeds,
  defaultSeedLimit,
  moreSeeds,
  rejectedSeedsShown,
  seedLines,
  seedLineTypes,
  seedList,
  seedQuery,
  type AddedSeeds,
} from '../../contracts/http/seeds.ts';
import { crawlPath } from '../../contracts/http/shared.ts';
import { type SeedLine, listSeeds } from '../../storage/seeds/index.ts';
import { judgeSeeds } from '../crawls/judged-seeds.ts';
import { addSeeds } from '../crawls/seed-intake.ts';
import {
  judgeLines,
  ndjsonLine,
  numberedLines,
  uriListLine,
  type NumberedLine,
} from '../crawls/seed-lines.ts';
import type { Dependencies } from '../dependencies.ts';
import { operator, reader } from '../way-in/access.ts';
import { chunksOf, drain } from '../way-in/body-lines.ts';
import { callerOf } from '../way-in/caller.ts';
import { HttpProblem, parseInput } from '../way-in/problem.ts';
import { turnsOf } from '../way-in/turns.ts';
import { fails, json } from './answers.ts';
import { route } from './route.ts';

/** Lines that are held, and stored in one transaction; the next lines are read when these are stored. */
const batch = 2_000;
export const seedRoutes = [
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/seeds',
    access: reader('crawls'),
    id: 'listSeeds',
    summary: 'Seeds of a crawl: all, the good ones, or the rejected ones with the reason',
    params: crawlPath,
    query: seedQuery,
    answers: { 200: json('Seeds, in the order in which they were sent.', seedList) },
    handler:
      ({ pool }) =>
      async ({ params: { crawlId }, query: { cursor, state, limit = defaultSeedLimit } }) => {
        const wanted = state === undefined ? null : state === 'rejected';
        const items = await listSeeds(pool, crawlId, Number(cursor ?? 0), wanted, limit);
        const last = items.at(-1);
        return { items, next: last === undefined || items.length < limit ? null : String(last.line) };
      },
  }),
  route({
    method: 'POST',
    path: '/v1/crawls/{crawlId}/seeds',
    access: operator('crawls'),
    id: 'addSeeds',
    summary: 'Add seeds to a crawl; a crawl that had run out of work goes on',
    params: crawlPath,
    bodies: { 'application/json': moreSeeds, ...seedLines },
    answers: {
      200: json('The seeds are stored, and are admitted within some seconds.', addedSeeds),
      400: fails('The body is not valid JSON, or was cut off.'),
      409: fails('The crawl has been ended and takes no more seeds.'),
      413: fails('The body is too large; the detail says how many of its seeds are stored.'),
      415: fails('The body is neither JSON nor lines of text.'),
      422: fails('The body is not valid, or has no seed that can be crawled.'),
    },
    handler:
      (parts) =>
      ({ params: { crawlId }, request, response }) => {
        const inLines = typeof request.is([...seedLineTypes]) === 'string';
        return (inLines ? storeLines : storeList)(parts, crawlId, request, response);
      },
  }),
];

async function storeList(
  dependencies: Dependencies,
  crawlId: string,
  request: Request,
  response: Response,
): Promise<AddedSeeds> {
  const { urls } = parseInput(moreSeeds, request.body, 422);
  const { tenantId } = callerOf(request);
  const { seeds, accepted, rejectedCount, rejected } = await judgeSeeds(urls);
  await addSeeds(dependencies, response, { tenantId, crawlId, seeds });
  return { accepted, rejectedCount, rejected: [...rejected] };
}

/**
 * @throws HttpProblem if the body ends too early or is refused; the problem says how many seeds are stored all the same
 */
async function storeLines(
  dependencies: Dependencies,
  crawlId: string,
  request: Request,
  response: Response,
): Promise<AddedSeeds> {
  const { tenantId } = callerOf(request);
  if (request.headers['content-encoding'] !== undefined)
    throw new HttpProblem(415, 'Lines of seeds must be sent without Content-Encoding.');
  const rejected: AddedSeeds['rejected'] = [];
  let accepted = 0;
  let rejectedCount = 0;
  let lines: NumberedLine[] = [];
  const turns = turnsOf(request);
  // The body may come for an hour, and takes a turn for each batch.
  turns?.leavePlace();
  const read = request.is('application/x-ndjson') === false ? uriListLine : ndjsonLine;
  const store = async (): Promise<void> => {
    const judged = await judgeLines(lines, read);
    lines = [];
    const held: SeedLine[] = judged.map(({ seed }) => seed);
    for (const { rejected: why } of judged)
      if (why !== null && ++rejectedCount <= rejectedSeedsShown) rejected.push(why);
    const good = held.filter((seed) => seed.rejected === null).length;
    // Bad lines alone must not make a finished crawl run again; the answer still lists them.
    if (good > 0) await addSeeds(dependencies, response, { tenantId, crawlId, seeds: held });
    accepted += good;
  };
  const storeInTurn = (): Promise<void> => turns?.inTurn(store) ?? store();
  try {
    for await (const line of numberedLines(chunksOf(request))) {
      lines.push(line);
      if (lines.length >= batch) await storeInTurn();
    }
    if (lines.length > 0) await storeInTurn();
  } catch (error) {
    const stored =
      accepted === 0 ? 'No seed of the body was stored.' : `The ${String(accepted)} seeds before are stored.`;
    const wasCut = request.destroyed && !request.complete;
    await drain(request);
    if (!request.complete) response.set('Connection', 'close');
    if (!(error instanceof HttpProblem) && wasCut) {
      dependencies.log.warn(
        { crawlId, accepted },
        'a body of seeds was cut off; the batches that were complete are stored',
      );
      throw new HttpProblem(400, `The request ended before its body was whole. ${stored}`);
    }
    if (!(error instanceof HttpProblem)) throw error;
    throw new HttpProblem(error.status, `${error.message} ${stored}`, error.extras);
  }
  if (accepted === 0) {
    const why = rejectedCount === 0 ? 'No seed was given.' : 'None of the seeds can be crawled.';
    throw new HttpProblem(422, why, { rejected });
  }
  return { accepted, rejectedCount, rejected };
}
