/** Crawls as a resource: create, list, look at, edit, pause, resume, cancel. */
import { Router, type Request, type Response } from 'express';
import {
  closedCrawlStates,
  defaultCrawlConfig,
  type CrawlConfig,
  type CrawlState,
  standsAs,
} from '../../contracts/crawl.ts';
import {
  defaultListLimit,
  listQuery,
  newCrawl,
  type CrawlRemoval,
  type CrawlSettings,
  type CrawlStateAnswer,
  type CrawlView,
  type CreatedCrawl,
} from '../../contracts/http/crawls.ts';
import { changeReason, crawlId as crawlIdSchema } from '../../contracts/http/shared.ts';
import { admitCrawl } from '../../storage/crawl-admission.ts';
import { crawlsBefore, failUnstarted, findCrawl, viewCrawl } from '../../storage/crawls.ts';
import { markRemoved } from '../../storage/statements/mark-removed.ts';
import { callerOf } from '../way-in/caller.ts';
import { ControlError, type CrawlChange } from '../crawls/crawl-control.ts';
import { patchCrawl } from '../crawls/crawl-edits.ts';
import { crawlIdOf, noSuchCrawl } from '../crawls/crawl-ids.ts';
import type { Dependencies } from '../dependencies.ts';
import { withJudgedSeeds } from '../crawls/judged-seeds.ts';
import { refuseUnowned } from '../crawls/own-tenant.ts';
import { sendTagged } from './preconditions.ts';
import { badCursor, HttpProblem, methodNotAllowed, parseInput } from '../way-in/problem.ts';
import { refuseSpent, refuseToGrow, tellQuotas } from '../crawls/quotas.ts';

export function crawlRoutes(dependencies: Dependencies): Router {
  const { pool } = dependencies;
  const router = Router();
  router
    .route('/crawls')
    .post(async (request, response) => {
      const created = await create(dependencies, request, response);
      response.status(201).location(`/v1/crawls/${created.id}`).json(created);
    })
    .get(async (request, response) => {
      const { cursor, limit = defaultListLimit, state } = parseInput(listQuery, request.query, 400);
      if (cursor !== undefined && !crawlIdSchema.safeParse(cursor).success) {
        badCursor();
      }
      const items = await crawlsBefore(pool, cursor ?? null, limit, callerOf(request).tenantId, state);
      response.json({ items, next: items.length < limit ? null : (items.at(-1)?.id ?? null) });
    })
    .all(methodNotAllowed('GET', 'POST'));
  router
    .route('/crawls/:crawlId')
    .get(async (request, response) => {
      const id = crawlIdOf(request);
      const view: CrawlView = (await viewCrawl(pool, id)) ?? noSuchCrawl(id);
      sendTagged(response, view.configVersion, view);
    })
    .patch((request, response) => patchCrawl(dependencies, request, response, crawlIdOf(request)))
    .delete(async (request, response) => {
      const id = crawlIdOf(request);
      const [crawl] = await markRemoved(pool, id);
      if (crawl === undefined) noSuchCrawl(id);
      if (!crawl.removed)
        throw new HttpProblem(
          409,
          `Crawl ${id} is ${crawl.state}: only crawls that are over can be deleted.`,
        );
      const answer: CrawlRemoval = { id, urls: crawl.urls };
      response.status(202).json(answer);
    })
    .all(methodNotAllowed('GET', 'PATCH', 'DELETE'));
  for (const change of ['pause', 'resume', 'cancel'] as const) {
    router
      .route(`/crawls/:crawlId/${change}`)
      .post(async (request: Request, response: Response) => {
        const id = crawlIdOf(request);
        if (change === 'resume') {
          const { tenantId, quotas } = callerOf(request);
          await refuseToGrow(pool, response, tenantId, quotas);
        }
        response.json(await changeCrawl(dependencies, id, change, request.body));
      })
      .all(methodNotAllowed('POST'));
  }
  return router;
}

async function create(
  dependencies: Dependencies,
  request: Request,
  response: Response,
): Promise<CreatedCrawl> {
  const { seeds, label = null, ...settings } = parseInput(newCrawl, request.body, 422);
  const { tenantId } = callerOf(request);
  refuseUnowned(tenantId, settings);
  return startCrawl(dependencies, response, { tenantId, settings, seeds, label });
}

interface WantedCrawl {
  readonly tenantId: number;
  readonly settings: CrawlSettings;
  /** As they were sent. */
  readonly seeds: string | readonly string[];
  readonly label: string | null;
  /** Of a job: whom it is for, a decimal number. */
  readonly userId?: string;
}

/** Stores a crawl within the quotas of its tenant and starts its workflow. @throws HttpProblem */
export async function startCrawl(
  { pool, control, log }: Dependencies,
  response: Response,
  { tenantId, settings, seeds: asked, label, userId }: WantedCrawl,
): Promise<CreatedCrawl> {
  const { admission, accepted, rejectedCount, rejected } = await withJudgedSeeds(
    response,
    asked,
    async ({ seeds, ...told }) => ({
      ...told,
      admission: await admitCrawl(pool, tenantId, withDefaults(settings), seeds, label, userId),
    }),
  );
  tellQuotas(response, admission.quotas, admission.used);
  if (admission.id === null) refuseSpent(response, admission.spent);
  const { id } = admission;
  try {
    await control.start(id);
  } catch (error) {
    log.error({ err: error, crawlId: id }, 'the workflow of a new crawl could not be started');
    await failUnstarted(pool, id, 'not-started');
    throw new HttpProblem(
      503,
      `Crawl ${id} was not started, since Temporal does not answer; try again soon.`,
    );
  }
  return { id, state: 'seeding', accepted, rejectedCount, rejected: [...rejected] };
}

/** Absent and undefined are the same to JSON, not to a spread. */
function withDefaults(settings: CrawlSettings): CrawlConfig {
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  return { ...defaultCrawlConfig, ...given };
}

/** The states each change is for. A change that has happened already is answered as a conflict, too. */
const changeable: Readonly<Record<CrawlChange, readonly CrawlState[]>> = {
  pause: ['seeding', 'running'],
  resume: ['paused'],
  cancel: ['seeding', 'running', 'paused'],
};

/** @param body what was sent: a reason, or nothing. @throws HttpProblem */
export async function changeCrawl(
  { pool, control }: Dependencies,
  id: string,
  change: CrawlChange,
  body: unknown,
): Promise<CrawlStateAnswer> {
  const { reason = null } = parseInput(changeReason, body ?? {}, 422);
  const crawl = (await findCrawl(pool, id)) ?? noSuchCrawl(id);
  if (!changeable[change].includes(crawl.state)) throw conflict(id, change, crawl.state);
  try {
    return { id, ...(await control.change(id, change, reason)) };
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    switch (error.fault) {
      case 'refused':
        throw new HttpProblem(409, `Crawl ${id} refuses to ${change}: ${error.message}.`);
      case 'over': {
        const now = (await findCrawl(pool, id))?.state ?? crawl.state;
        if (closedCrawlStates.includes(now)) throw conflict(id, change, now);
        throw new HttpProblem(409, `Crawl ${id} has no workflow that could ${change} it.`);
      }
      case 'unavailable':
        throw new HttpProblem(
          503,
          `Crawl ${id} could not be told to ${change}: ${error.message}; it may yet do so.`,
        );
    }
  }
}

const conflict = (id: string, change: CrawlChange, state: CrawlState): HttpProblem =>
  new HttpProblem(409, `Crawl ${id} ${standsAs(state)}: it cannot ${change}.`);
