/**
 * One crawl for a whole tenant: programs add seeds, set limits, pause and resume without knowing its id.
 * This file is thin: it finds the tenant's default crawl (storage/starting/default-crawl.ts) and calls the services of the
 * other routes.
 */
import { closedCrawlStates, type UrlState } from '../../contracts/crawl.ts';
import * as compat from '../../contracts/http/compat.ts';
import { changeReason } from '../../contracts/http/shared.ts';
import { canonicalize } from '../../domain/url.ts';
import {
  findDefaultCrawl,
  findUrl,
  provideDefaultCrawl,
  type UrlStatus,
} from '../../storage/starting/index.ts';
import { rejectionSentence } from '../../domain/seeds.ts';
import { changeCrawl } from '../crawls/change-crawl.ts';
import { editCrawl } from '../crawls/crawl-edits.ts';
import { judgeSeeds } from '../crawls/judged-seeds.ts';
import { refuseSpent, refuseToGrow } from '../crawls/quotas.ts';
import { addSeeds } from '../crawls/seed-intake.ts';
import { json } from '../routes/answers.ts';
import { route, type Route } from '../routes/route.ts';
import { operator, reader } from '../way-in/access.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { bodyRefusals, refusals, says } from './answers.ts';

const endsNow = says('The default crawl is ending now.');

const changes = (change: 'pause' | 'resume', id: string, summary: string): Route =>
  route({
    method: 'POST',
    path: `/api/v1/${change}`,
    access: operator('crawls'),
    id,
    summary,
    body: changeReason,
    bodyIsOptional: true,
    answers: {
      200: json('The state of the crawl now.', compat.pauseAnswer),
      409: says('The state of the crawl does not allow this.'),
      ...bodyRefusals,
      ...refusals,
    },
    ...(change === 'resume' && { countsQuotas: true }),
    handler:
      (parts) =>
      async ({ body: { reason = null }, caller: { tenantId, quotas }, response }) => {
        const crawl = await findDefaultCrawl(parts.pool, tenantId);
        const rests = crawl === null || crawl.state === 'paused' || closedCrawlStates.includes(crawl.state);
        // The crawl has nothing to send, and a pause means only that nothing is sent.
        if (change === 'pause' && rests) return { crawl_id: crawl?.id ?? null, state: crawl?.state ?? null };
        if (crawl === null)
          throw new HttpProblem(409, 'There is no default crawl to resume yet: send seeds first.');
        if (change === 'resume') await refuseToGrow(parts.pool, response, tenantId, quotas);
        const { id: crawlId, state } = await changeCrawl(parts, crawl.id, change, reason);
        return { crawl_id: crawlId, state };
      },
  });

const takesSeeds = (path: string, id: string): Route =>
  route({
    method: 'POST',
    path,
    access: operator('crawls'),
    id,
    summary: 'Add seeds to the default crawl, which goes on with them',
    body: compat.seedUrls,
    answers: {
      200: json('The seeds are stored and will be crawled.', compat.seedUrlsAnswer),
      409: endsNow,
      ...bodyRefusals,
      ...refusals,
    },
    handler:
      (parts) =>
      async ({ body: { urls }, caller: { tenantId }, response }) => {
        const { seeds, ...told } = await judgeSeeds(typeof urls === 'string' ? urls.split(/[\s,]+/) : urls);
        const crawl = await provideDefaultCrawl(parts.pool, tenantId);
        if (crawl.id === null) refuseSpent(response, crawl.spent);
        await addSeeds(parts, response, { tenantId, crawlId: crawl.id, seeds });
        return {
          crawl_id: crawl.id,
          accepted: told.accepted,
          rejected_count: told.rejectedCount,
          rejected: told.rejected.slice(0, compat.rejectedShown).map(({ url, reason }) => ({ url, reason })),
        };
      },
  });

export const defaultCrawlRoutes = [
  takesSeeds('/seed/urls', 'seedUrls'),
  takesSeeds('/api/v1/seed', 'seed'),
  route({
    method: 'POST',
    path: '/url/limit',
    access: operator('crawls'),
    id: 'limitUrls',
    summary: 'Change the limits of the default crawl, at once',
    body: compat.urlLimit,
    answers: {
      200: json('The limits that are in force now.', compat.urlLimitAnswer),
      409: endsNow,
      ...bodyRefusals,
      ...refusals,
    },
    handler:
      (parts) =>
      async ({ body: limits, caller: { tenantId }, request, response }) => {
        const crawl = await provideDefaultCrawl(parts.pool, tenantId);
        if (crawl.id === null) refuseSpent(response, crawl.spent);
        const { config } = await editCrawl(parts, request, response, crawl.id, {
          change: (before) => ({
            ...before,
            excludeDomains: limits.excludedDomains ?? before.excludeDomains,
            maxDepth: limits.depthLimit,
            maxUrlLength: limits.urlLengthLimit,
          }),
          note: null,
          restores: null,
          mayEnd: false,
        });
        return {
          crawl_id: crawl.id,
          excludedDomains: config.excludeDomains,
          depthLimit: config.maxDepth,
          urlLengthLimit: config.maxUrlLength,
        };
      },
  }),
  changes('pause', 'pauseDefaultCrawl', 'Pause the default crawl'),
  changes('resume', 'resumeDefaultCrawl', 'Resume the default crawl'),
  route({
    method: 'GET',
    path: '/api/v1/{url}/status',
    access: reader('crawls'),
    id: 'urlStatus',
    summary: 'Status of a URL in the default crawl',
    params: compat.urlPath,
    answers: {
      200: json('The status of the URL.', compat.urlStatusAnswer),
      400: says('The text is not a URL that can be crawled.'),
      404: says('The crawl has not met the URL.'),
      ...refusals,
    },
    handler:
      ({ pool }) =>
      async ({ params: { url }, caller: { tenantId } }) => {
        const link = canonicalize(url.trim());
        if (!link.ok) throw new HttpProblem(400, `url: it ${rejectionSentence(link.rejected)}.`);
        const crawl = await findDefaultCrawl(pool, tenantId);
        const row = crawl === null ? null : await findUrl(pool, crawl.id, link.value);
        if (row === null) throw new HttpProblem(404, `The crawl has never met ${link.value.url}.`);
        return statusOf(row);
      },
  }),
];

const progressOf: Readonly<Record<UrlState, compat.UrlStatusAnswer['status']>> = {
  queued: 'PENDING',
  leased: 'STARTED',
  done: 'COMPLETED',
  excluded: 'COMPLETED',
  dead: 'COMPLETED',
  failed: 'COMPLETED',
};

function statusOf(row: UrlStatus): compat.UrlStatusAnswer {
  return {
    url: row.url,
    // While the body still waits to be read, the page may bring links.
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
