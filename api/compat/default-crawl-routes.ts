/**
 * One crawl for a whole tenant (F35): seeds are thrown in, limits set, and it is paused and resumed, without its id.
 * Thin: it acts on the tenant's standing crawl (storage/default-crawl.ts) by the services of the other routes.
 */
import { Router, type Request, type Response } from 'express';
import { closedCrawlStates, type UrlState } from '../../contracts/crawl.ts';
import {
  rejectedShown,
  seedUrls,
  urlLimit,
  urlPath,
  type PauseAnswer,
  type SeedUrlsAnswer,
  type UrlLimitAnswer,
  type UrlStatusAnswer,
} from '../../contracts/http/compat.ts';
import { changeReason } from '../../contracts/http/shared.ts';
import { canonicalize } from '../../domain/url.ts';
import {
  findDefaultCrawl,
  findUrl,
  provideDefaultCrawl,
  type UrlStanding,
} from '../../storage/default-crawl.ts';
import { rejectionSentence } from '../../storage/seeds.ts';
import { callerOf } from '../way-in/caller.ts';
import { editCrawl } from '../crawls/crawl-edits.ts';
import { changeCrawl } from '../routes/crawls.ts';
import type { Dependencies } from '../dependencies.ts';
import { withJudgedSeeds } from '../crawls/judged-seeds.ts';
import { HttpProblem, methodNotAllowed, parseInput } from '../way-in/problem.ts';
import { refuseSpent, refuseToGrow } from '../crawls/quotas.ts';
import { addSeeds } from '../crawls/seed-intake.ts';

export function defaultCrawlRoutes(dependencies: Dependencies): Router {
  const { pool } = dependencies;
  const router = Router();

  const change = async (what: 'pause' | 'resume', request: Request, response: Response): Promise<void> => {
    const { tenantId, quotas } = callerOf(request);
    const crawl = await findDefaultCrawl(pool, tenantId);
    const rests = crawl === null || crawl.state === 'paused' || closedCrawlStates.includes(crawl.state);
    if (what === 'pause' && rests) {
      parseInput(changeReason, request.body ?? {}, 422);
      // Nothing is sent for it: that is all a pause is for.
      response.json({ crawl_id: crawl?.id ?? null, state: crawl?.state ?? null } satisfies PauseAnswer);
      return;
    }
    if (crawl === null) throw new HttpProblem(409, 'There is nothing to resume yet: send seeds first.');
    if (what === 'resume') await refuseToGrow(pool, response, tenantId, quotas);
    const { id, state } = await changeCrawl(dependencies, crawl.id, what, request.body);
    response.json({ crawl_id: id, state } satisfies PauseAnswer);
  };
  for (const what of ['pause', 'resume'] as const) {
    router
      .route(`/api/v1/${what}`)
      .post((request, response) => change(what, request, response))
      .all(methodNotAllowed('POST'));
  }

  for (const path of ['/seed/urls', '/api/v1/seed']) {
    router
      .route(path)
      .post(async (request, response) => {
        const { urls } = parseInput(seedUrls, request.body, 422);
        const parts = typeof urls === 'string' ? urls.split(/[\s,]+/) : urls;
        const { tenantId } = callerOf(request);
        const answer = await withJudgedSeeds(response, parts, async ({ seeds, ...told }) => {
          const crawl = await provideDefaultCrawl(pool, tenantId);
          if (crawl.id === null) refuseSpent(response, crawl.spent);
          await addSeeds(dependencies, response, { tenantId, crawlId: crawl.id, seeds });
          return {
            crawl_id: crawl.id,
            accepted: told.accepted,
            rejected_count: told.rejectedCount,
            rejected: told.rejected.slice(0, rejectedShown).map(({ url, reason }) => ({ url, reason })),
          } satisfies SeedUrlsAnswer;
        });
        response.json(answer);
      })
      .all(methodNotAllowed('POST'));
  }

  router
    .route('/url/limit')
    .post(async (request, response) => {
      const limits = parseInput(urlLimit, request.body, 422);
      const crawl = await provideDefaultCrawl(pool, callerOf(request).tenantId);
      if (crawl.id === null) refuseSpent(response, crawl.spent);
      const { config } = await editCrawl(dependencies, request, response, crawl.id, {
        change: (before) => ({
          ...before,
          excludeDomains: limits.excludedDomains ?? before.excludeDomains,
          maxDepth: limits.depthLimit,
          maxUrlLength: limits.urlLengthLimit,
        }),
        ...{ note: null, restores: null },
      });
      response.json({
        crawl_id: crawl.id,
        excludedDomains: config.excludeDomains,
        depthLimit: config.maxDepth,
        urlLengthLimit: config.maxUrlLength,
      } satisfies UrlLimitAnswer);
    })
    .all(methodNotAllowed('POST'));

  router
    .route('/api/v1/:url/status')
    .get(async (request, response) => {
      const { url } = parseInput(urlPath, request.params, 400);
      const link = canonicalize(url.trim());
      if (!link.ok) throw new HttpProblem(400, `url: it ${rejectionSentence(link.rejected)}.`);
      const crawl = await findDefaultCrawl(pool, callerOf(request).tenantId);
      const row = crawl === null ? null : await findUrl(pool, crawl.id, link.value);
      if (row === null) throw new HttpProblem(404, `${link.value.url} was never met.`);
      response.json(statusOf(row));
    })
    .all(methodNotAllowed('GET'));
  return router;
}

const progressOf: Readonly<Record<UrlState, UrlStatusAnswer['status']>> = {
  queued: 'PENDING',
  leased: 'STARTED',
  done: 'COMPLETED',
  excluded: 'COMPLETED',
  dead: 'COMPLETED',
  failed: 'COMPLETED',
};

function statusOf(row: UrlStanding): UrlStatusAnswer {
  return {
    url: row.url,
    // A body that is still to be read may yet bring links.
    status: row.stage > 0 ? 'STARTED' : progressOf[row.state],
    detail: {
      state: row.state,
      reason: row.reason,
      message: row.detail,
      http_status: row.status,
      content_type: row.content_type,
      bytes: row.bytes,
      depth: row.depth,
      discovered_at: row.discovered_at.toISOString(),
      fetched_at: row.fetched_at?.toISOString() ?? null,
    },
  };
}
