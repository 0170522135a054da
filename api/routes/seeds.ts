/** Seeds of a crawl: listed, and more of them. More come as JSON, all or none; or as lines, stored batch by batch while they arrive. */
import { Router, type Request, type Response } from 'express';
import {
  defaultSeedLimit,
  moreSeeds,
  rejectedSeedsShown,
  seedLineTypes,
  seedQuery,
  type AddedSeeds,
} from '../../contracts/http/seeds.ts';
import type { SeedLine } from '../../storage/seeds.ts';
import { listSeeds } from '../../storage/statements/list-seeds.ts';
import { callerOf } from '../way-in/caller.ts';
import { crawlIdOf } from '../crawls/crawl-ids.ts';
import type { Dependencies } from '../dependencies.ts';
import { withJudgedSeeds } from '../crawls/judged-seeds.ts';
import { HttpProblem, methodNotAllowed, parseInput } from '../way-in/problem.ts';
import { addSeeds } from '../crawls/seed-intake.ts';
import { ndjsonLine, readSeedLines, uriListLine } from '../crawls/seed-lines.ts';

/** Lines held, and stored in one transaction; the next are read when they are stored. */
const batch = 2_000;
/** Of a body that is refused so much more is read, and for so long: whoever still sends would not read the answer. */
const drainBytes = 32 * 1024 * 1024;
const drainMs = 2_000;
/** Milliseconds for which nothing may come. */
const quietMs = 120_000;

export function seedRoutes(dependencies: Dependencies): Router {
  const router = Router();
  router
    .route('/crawls/:crawlId/seeds')
    .post(async (request, response) => {
      const inLines = typeof request.is([...seedLineTypes]) === 'string';
      const store = inLines ? storeLines : storeList;
      response.json(await store(dependencies, request, response));
    })
    .get(async (request, response) => {
      const { cursor, state, limit = defaultSeedLimit } = parseInput(seedQuery, request.query, 400);
      const wanted = state === undefined ? null : state === 'rejected';
      const crawlId = crawlIdOf(request);
      const items = await listSeeds(dependencies.pool, crawlId, Number(cursor ?? 0), wanted, limit);
      const last = items.at(-1);
      const next = last === undefined || items.length < limit ? null : String(last.line);
      response.json({ items, next });
    })
    .all(methodNotAllowed('GET', 'POST'));
  return router;
}

async function storeList(
  dependencies: Dependencies,
  request: Request,
  response: Response,
): Promise<AddedSeeds> {
  const crawlId = crawlIdOf(request);
  const { urls } = parseInput(moreSeeds, request.body, 422);
  const { tenantId } = callerOf(request);
  return withJudgedSeeds(response, urls, async ({ seeds, accepted, rejectedCount, rejected }) => {
    await addSeeds(dependencies, response, { tenantId, crawlId, seeds });
    return { accepted, rejectedCount, rejected: [...rejected] };
  });
}

/** @throws HttpProblem which says how many seeds are stored all the same, where it ends before the body does */
async function storeLines(
  dependencies: Dependencies,
  request: Request,
  response: Response,
): Promise<AddedSeeds> {
  const crawlId = crawlIdOf(request);
  const { tenantId } = callerOf(request);
  if (request.headers['content-encoding'] !== undefined)
    throw new HttpProblem(415, 'Lines of seeds are read as they are: send them without Content-Encoding.');
  const rejected: AddedSeeds['rejected'] = [];
  let accepted = 0;
  let rejectedCount = 0;
  let held: SeedLine[] = [];
  const store = async (): Promise<void> => {
    const good = held.filter((seed) => seed.rejected === null).length;
    // Bad lines alone set no finished crawl running again; the answer tells of them all the same.
    if (good > 0) await addSeeds(dependencies, response, { tenantId, crawlId, seeds: held });
    accepted += good;
    held = [];
  };
  try {
    const read = request.is('application/x-ndjson') === false ? uriListLine : ndjsonLine;
    // Left alone by our own errors: it is destroyed only where whoever sends has gone.
    const body = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    request.socket.setTimeout(quietMs, () => request.destroy());
    for await (const line of readSeedLines(body, read)) {
      if (line.rejected !== null && ++rejectedCount <= rejectedSeedsShown) rejected.push(line.rejected);
      held.push(line.seed);
      if (held.length >= batch) await store();
    }
    if (held.length > 0) await store();
  } catch (error) {
    const stored =
      accepted === 0 ? 'No seed of it was stored.' : `${String(accepted)} seeds before are stored.`;
    const wasCut = request.destroyed && !request.complete;
    await drain(request);
    if (!request.complete) response.set('Connection', 'close');
    if (!(error instanceof HttpProblem) && wasCut) {
      dependencies.log.warn(
        { crawlId, accepted },
        'a body of seeds was cut off; whole batches of it are stored',
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

/** Reads on, and keeps nothing. Resolves at the end of the body, or when it has been long enough. */
function drain(request: Request): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve();
  return new Promise((drained) => {
    let bytes = 0;
    const count = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > drainBytes) end();
    };
    const end = (): void => {
      clearTimeout(timer);
      request.off('data', count).off('end', end).off('close', end).pause();
      drained();
    };
    const timer = setTimeout(end, drainMs);
    request.on('data', count).once('end', end).once('close', end).resume();
  });
}
