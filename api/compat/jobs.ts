/** Jobs: crawls under another name. This file is thin: crawls/start-crawl.ts does the work. */
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import * as compat from '../../contracts/http/compat.ts';
import { closedCrawlStates } from '../../contracts/crawl.ts';
import type { CrawlSettings } from '../../contracts/http/crawl-settings.ts';
import type { CrawlSummary } from '../../contracts/http/crawls.ts';
import { findCrawl, crawlOfJob } from '../../storage/crawls/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { startCrawl } from '../crawls/start-crawl.ts';
import { headers } from '../openapi/headers.ts';
import { byHand, json } from '../routes/answers.ts';
import { answered, route } from '../routes/route.ts';
import { operator, reader } from '../way-in/access.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { turnsOf } from '../way-in/turns.ts';
import { bodyRefusals, refusals, says } from './answers.ts';
import { listCrawlUrls } from '../../storage/frontier/index.ts';

/** Milliseconds after which a reader that takes no URLs is given up. */
const stalledMs = 60_000;
/**
 * Lists of URLs that are written at a time for one tenant, and by this process: each list holds up to some megabytes.
 */
const mostOfTenant = 10;
const mostOfAll = 50;

const badQuery = says('The query is not valid.');
const noJob = says('There is no such job.');

export const jobRoutes = [
  route({
    method: 'POST',
    path: '/v1/url/scan',
    access: operator('crawls'),
    id: 'scanUrl',
    summary: 'Start a job: a crawl from one URL',
    body: compat.scanRequest,
    answers: {
      200: json('The job was created and started.', compat.scanAnswer),
      404: byHand({
        ...says('A quota is spent. If waiting helps, Retry-After says when to try again.').response,
        headers: headers('Retry-After'),
      }),
      ...bodyRefusals,
      409: says('The first request with this Idempotency-Key is under way, or its answer was not kept.'),
      ...refusals,
    },
    countsQuotas: true,
    handler:
      (parts) =>
      async ({ body: { root_url, user_id, finish_criteria }, caller: { tenantId }, response }) => {
        const { id } = await startCrawl(parts, response, {
          tenantId,
          settings: settingsOf(finish_criteria ?? {}),
          seeds: [root_url],
          label: user_id,
          userId: user_id,
        });
        const crawl = await findCrawl(parts.pool, id);
        if (crawl === null) throw new Error(`crawl ${id} is gone although it was just created`);
        return { request_status: 'CREATED' as const, jobId: crawl.jobId };
      },
  }),
  route({
    method: 'GET',
    path: '/v1/job/status',
    access: reader('crawls'),
    id: 'jobStatus',
    summary: 'Status of a job',
    query: compat.jobQuery,
    answers: {
      200: json('The status of the job.', compat.jobStatusAnswer),
      400: badQuery,
      404: noJob,
      ...refusals,
    },
    handler:
      ({ pool }) =>
      async ({ query: { job_id }, caller: { tenantId } }) => {
        const job = await jobOf(pool, tenantId, job_id);
        return { job_status: compat.jobStatusOf[job.state] };
      },
  }),
  route({
    method: 'GET',
    path: '/v1/urls',
    access: reader('crawls'),
    id: 'jobUrls',
    summary: 'The URLs of a job that is over, as a stream',
    query: compat.jobQuery,
    answers: {
      200: byHand(json('The complete list.', compat.jobUrls).response),
      202: json('The job is not over.', compat.jobUnderWay),
      400: badQuery,
      404: noJob,
      ...refusals,
    },
    handler: ({ pool }) => {
      /** The tenant of each list of URLs that is being written. */
      const open: number[] = [];
      return async ({ query: { job_id }, caller: { tenantId }, request, response }) => {
        const job = await jobOf(pool, tenantId, job_id);
        const known = { job_id: job.jobId, job_status: compat.jobStatusOf[job.state] };
        if (!closedCrawlStates.includes(job.state) || job.endedAt === null) {
          response.status(202);
          return { ...known, message: compat.jobWords.underWay };
        }
        response.type('application/json');
        if (request.method === 'HEAD') {
          response.end();
          return answered;
        }
        const ofTenant = open.filter((each) => each === tenantId).length;
        if (ofTenant >= mostOfTenant || open.length >= mostOfAll) {
          response.set('Retry-After', '30');
          const detail = 'Too many lists of URLs are being read now; Retry-After says when to try again.';
          throw new HttpProblem(429, detail, { kind: 'rate-limited' });
        }
        const ended = { ...known, job_completion_time: withoutZone(job.endedAt) };
        const document = jobUrlsDocument(pool, job.id, ended);
        response.setTimeout(stalledMs, () => response.destroy());
        open.push(tenantId);
        try {
          const turns = turnsOf(request);
          turns?.leavePlace();
          await pipeline(turns?.inTurns(document) ?? document, response);
        } catch (error) {
          if (!leftEarly(error)) throw error;
        } finally {
          open.splice(open.indexOf(tenantId), 1);
        }
        return answered;
      };
    },
  }),
];

/** @throws HttpProblem 404 also for a crawl of another tenant, and for a text that cannot be a job id */
async function jobOf(pool: Pool, tenantId: number, jobId: string): Promise<CrawlSummary> {
  const [known] = z.uuid().safeParse(jobId).success ? await crawlOfJob(pool, jobId, tenantId) : [];
  const crawl = known === undefined ? null : await findCrawl(pool, known.id);
  if (crawl === null) throw new HttpProblem(404, compat.jobWords.noJob);
  return crawl;
}

/** The local date-time that this interface wants; ours are in UTC. */
const withoutZone = (instant: string): string => instant.replace(/Z$/, '');

function settingsOf({ max_pages, max_depth, max_seconds, max_bytes }: compat.FinishCriteria): CrawlSettings {
  const finish = max_bytes === undefined ? null : { any: [{ bytes: max_bytes }] };
  return { maxPages: max_pages, maxDepth: max_depth, maxSeconds: max_seconds, finish };
}

/** The client has gone, or took nothing for too long: nobody is left to read an error. */
const leftEarly = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';

/** URLs that are read and held at a time. */
const batch = 2_000;

/**
 * The URLs of a job as one JSON document, which is written while the URLs are read: a crawl may have millions.
 * Answers chunks of text. The next batch is read when the caller has taken the chunk before. The crawl must be over, so
 * that its URLs do not change any more.
 */
async function* jobUrlsDocument(
  pool: Pool,
  crawlId: string,
  head: Omit<compat.JobUrls, 'extracted_urls'>,
): AsyncGenerator<string> {
  const opening = JSON.stringify(head).slice(0, -1);
  let before = `${opening},"extracted_urls":[`;
  for (let host = 0, key = ''; ;) {
    const rows = await listCrawlUrls(pool, crawlId, host, key, batch);
    const last = rows.at(-1);
    if (last !== undefined) {
      yield before + rows.map(({ url }) => JSON.stringify(url)).join(',');
      before = ',';
      ({ host_id: host, key } = last);
    }
    if (rows.length < batch) break;
  }
  yield before === ',' ? ']}' : `${before}]}`;
}
