/** Jobs (F34): a crawl by another name. Thin: what they do stands in crawl-routes.ts. */
import { pipeline } from 'node:stream/promises';
import { Router, type Request } from 'express';
import { z } from 'zod';
import { closedCrawlStates } from '../../contracts/crawl.ts';
import { type CrawlSettings, type CrawlSummary } from '../../contracts/http/crawls.ts';
import {
  jobQuery,
  jobStatusOf,
  jobWords,
  scanRequest,
  type FinishCriteria,
  type JobStatusAnswer,
  type JobUnderWay,
  type ScanAnswer,
} from '../../contracts/http/compat.ts';
import { findCrawl } from '../../storage/crawls.ts';
import type { Pool } from '../../storage/pool.ts';
import { crawlOfJob } from '../../storage/statements/crawl-of-job.ts';
import { callerOf } from '../way-in/caller.ts';
import { startCrawl } from '../routes/crawls.ts';
import type { Dependencies } from '../dependencies.ts';
import { HttpProblem, methodNotAllowed, parseInput } from '../way-in/problem.ts';
import { jobUrlsDocument } from './job-urls.ts';

/** Milliseconds that a reader of URLs may take none before it is given up. */
const stalledMs = 60_000;
/** Lists of URLs that one tenant reads at a time, and that this process writes: each holds up to some megabytes. */
const mostOfTenant = 10;
const mostOfAll = 50;

export function jobRoutes(dependencies: Dependencies): Router {
  const { pool } = dependencies;
  /** The tenant of each list that is being written. */
  const open: number[] = [];
  const router = Router();
  router
    .route('/v1/url/scan')
    .post(async (request, response) => {
      const { root_url, user_id, finish_criteria } = parseInput(scanRequest, request.body, 422);
      const { id } = await startCrawl(dependencies, response, {
        tenantId: callerOf(request).tenantId,
        settings: settingsOf(finish_criteria ?? {}),
        seeds: [root_url],
        label: user_id,
        userId: user_id,
      });
      const crawl = await findCrawl(pool, id);
      if (crawl === null) throw new Error(`crawl ${id} is gone though it was just made`);
      response.json({ request_status: 'CREATED', jobId: crawl.jobId } satisfies ScanAnswer);
    })
    .all(methodNotAllowed('POST'));
  router
    .route('/v1/job/status')
    .get(async (request, response) => {
      const job = await jobOf(pool, request);
      response.json({ job_status: jobStatusOf[job.state] } satisfies JobStatusAnswer);
    })
    .all(methodNotAllowed('GET'));
  router
    .route('/v1/urls')
    .get(async (request, response) => {
      const job = await jobOf(pool, request);
      const known = { job_id: job.jobId, job_status: jobStatusOf[job.state] };
      if (!closedCrawlStates.includes(job.state) || job.endedAt === null) {
        response.status(202).json({ ...known, message: jobWords.underWay } satisfies JobUnderWay);
        return;
      }
      response.type('application/json');
      if (request.method === 'HEAD') {
        response.end();
        return;
      }
      const { tenantId } = callerOf(request);
      const ofTenant = open.filter((each) => each === tenantId).length;
      if (ofTenant >= mostOfTenant || open.length >= mostOfAll) {
        response.set('Retry-After', '30');
        const detail = 'Too many lists of URLs are being read; Retry-After says when to ask again.';
        throw new HttpProblem(429, detail, { kind: 'rate-limited' });
      }
      const ended = { ...known, job_completion_time: withoutZone(job.endedAt) };
      const document = jobUrlsDocument(pool, job.id, ended);
      response.setTimeout(stalledMs, () => response.destroy());
      open.push(tenantId);
      try {
        await pipeline(document, response);
      } catch (error) {
        if (!leftEarly(error)) throw error;
      } finally {
        open.splice(open.indexOf(tenantId), 1);
      }
    })
    .all(methodNotAllowed('GET'));
  return router;
}

/** @throws HttpProblem 404 also for a crawl of another tenant, and for what is no job id at all */
async function jobOf(pool: Pool, request: Request): Promise<CrawlSummary> {
  const { job_id } = parseInput(jobQuery, request.query, 400);
  const [known] = z.uuid().safeParse(job_id).success
    ? await crawlOfJob(pool, job_id, callerOf(request).tenantId)
    : [];
  const crawl = known === undefined ? null : await findCrawl(pool, known.id);
  if (crawl === null) throw new HttpProblem(404, jobWords.noJob);
  return crawl;
}

/** A local date-time, as that interface has it; ours are in UTC. */
const withoutZone = (instant: string): string => instant.replace(/Z$/, '');

function settingsOf({ max_pages, max_depth, max_seconds, max_bytes }: FinishCriteria): CrawlSettings {
  const finish = max_bytes === undefined ? null : { any: [{ bytes: max_bytes }] };
  return { maxPages: max_pages, maxDepth: max_depth, maxSeconds: max_seconds, finish };
}

/** Whoever asked has gone, or took nothing for too long: nobody is left to be told. */
const leftEarly = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
