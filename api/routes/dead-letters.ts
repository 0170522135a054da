/** Dead letters: what was given up, with its evidence, and how it is driven again (G7). */
import { Router, type Request } from 'express';
import { closedCrawlStates } from '../../contracts/crawl.ts';
import {
  deadLetterQuery,
  defaultDeadLetterLimit,
  hostDeadLetterQuery,
  newRedrive,
  type RedriveAnswer,
} from '../../contracts/dead-letters.ts';
import { defaultTenant } from '../../contracts/tenancy.ts';
import { restMs, restingClass } from '../../domain/dead-letter.ts';
import { canonicalize } from '../../domain/url.ts';
import { findCrawl } from '../../storage/crawls.ts';
import { readDeadLetters, type DeadLetterPage } from '../../storage/dead-letters.ts';
import { urlKey } from '../../storage/key.ts';
import { chooseLetters, crawlBar } from '../../storage/redrive.ts';
import { hostIds } from '../../storage/statements/host-ids.ts';
import { callerOf, type Caller } from '../way-in/caller.ts';
import { ControlError } from '../crawls/crawl-control.ts';
import { crawlIdOf, noSuchCrawl } from '../crawls/crawl-ids.ts';
import type { Dependencies } from '../dependencies.ts';
import { badCursor, HttpProblem, methodNotAllowed, parseInput } from '../way-in/problem.ts';
import { refuseToGrow, refuseToReopen } from '../crawls/quotas.ts';

export function deadLetterRoutes(dependencies: Dependencies): Router {
  const { pool } = dependencies;
  const router = Router();
  const idOf = async (origin: string): Promise<string | null> => {
    const [host] = await hostIds(pool, [origin]);
    return host === undefined ? null : String(host.id);
  };
  router
    .route('/crawls/:crawlId/dead-letters')
    .get(async (request, response) => {
      const crawlId = crawlIdOf(request);
      const query = parseInput(deadLetterQuery, request.query, 400);
      if ((await findCrawl(pool, crawlId)) === null) noSuchCrawl(crawlId);
      const hostId = query.host === undefined ? null : await idOf(query.host);
      const filter = { crawlId, hostId, class: query.class ?? null, key: null };
      const unmet = query.host !== undefined && hostId === null;
      const { cursor = null, limit = defaultDeadLetterLimit } = query;
      response.json(unmet ? nothing : goodPage(await readDeadLetters(pool, filter, cursor, limit)));
    })
    .all(methodNotAllowed('GET'));
  router
    .route('/dead-letters')
    .get(async (request, response) => {
      const query = parseInput(hostDeadLetterQuery, request.query, 400);
      const hostId = await idOf(query.host);
      const { cursor = null, limit = defaultDeadLetterLimit } = query;
      if (hostId === null) response.json(nothing);
      else {
        const filter = { crawlId: null, hostId, class: query.class ?? null, key: null };
        response.json(goodPage(await readDeadLetters(pool, filter, cursor, limit)));
      }
    })
    .all(methodNotAllowed('GET'));
  router
    .route('/crawls/:crawlId/dead-letters/redrive')
    .post(async (request, response) => {
      const { tenantId, quotas } = callerOf(request);
      const state = (await findCrawl(pool, crawlIdOf(request)))?.state;
      const isOver = state !== undefined && closedCrawlStates.includes(state);
      await (isOver ? refuseToReopen : refuseToGrow)(pool, response, tenantId, quotas);
      const answer = await redrive(dependencies, request);
      response.status(answer.done ? 200 : 202).json(answer);
    })
    .all(methodNotAllowed('POST'));
  return router;
}

const nothing: DeadLetterPage = { items: [], next: null };

function goodPage(page: DeadLetterPage | 'bad-cursor'): DeadLetterPage {
  if (page === 'bad-cursor') badCursor();
  return page;
}

async function redrive({ pool, control, log }: Dependencies, request: Request): Promise<RedriveAnswer> {
  const crawlId = crawlIdOf(request);
  const choice = parseInput(newRedrive, request.body ?? {}, 422);
  const standing = await crawlBar(pool, crawlId);
  if (standing === 'unknown-crawl') return noSuchCrawl(crawlId);
  if (standing.bar !== null) {
    throw new HttpProblem(409, `Crawl ${crawlId} ${standing.bar}: its dead letters stay as they are.`);
  }
  if (choice.url !== undefined) await expectReady(pool, crawlId, choice.url);
  const input = {
    crawlId,
    origin: choice.host ?? null,
    class: choice.class ?? null,
    url: choice.url ?? null,
    mayUnpark: mayUnpark(callerOf(request)),
  };
  try {
    const { done, view } = await control.redrive(input);
    log.info({ ...input, done, ...view }, 'dead letters were driven again');
    return {
      crawlId,
      done,
      queued: view.requeued,
      waitingAtParkedHosts: view.atParked,
      resting: view.resting,
      notBefore: view.notBefore === null ? null : new Date(view.notBefore).toISOString(),
      unparked: view.unparked,
    };
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    const conflict = error.fault === 'refused';
    throw new HttpProblem(conflict ? 409 : 503, `Crawl ${crawlId}: ${error.message}.`);
  }
}

/** A host is everybody's: what it asked for in vain is for those who may change its settings to set aside. */
const mayUnpark = ({ tenantId, scopes }: Caller): boolean =>
  tenantId === defaultTenant && (scopes === null || scopes.includes('hosts'));

/** One URL is asked for by name: whoever does so is told why nothing would come of it. */
async function expectReady(pool: Dependencies['pool'], crawlId: string, url: string): Promise<void> {
  const link = canonicalize(url);
  const [host] = link.ok ? await hostIds(pool, [link.value.host]) : [];
  const key = link.ok ? urlKey(link.value.canonical).toString('hex') : '';
  const filter = { crawlId, hostId: String(host?.id ?? 0), class: null, key };
  const [letter] = host === undefined ? [] : await chooseLetters(pool, filter, null, 1);
  if (letter === undefined)
    throw new HttpProblem(
      404,
      `Crawl ${crawlId} has no dead letter of ${url}; explain says where it stands.`,
    );
  if (letter.class === restingClass && letter.age_ms < restMs) {
    const notBefore = new Date(Date.now() - letter.age_ms + restMs).toISOString();
    throw new HttpProblem(
      409,
      `The server refused ${url} less than seven days ago: it is not asked again before ${notBefore}.`,
    );
  }
}
