/** The frontier for other fetchers (F37): hands out URLs under their hosts' leases, takes reports, admits links. */
import type { Response } from 'express';
import type { z } from 'zod';
import { lend } from '../../engine/lending/lend.ts';
import { CrawlOver, offer } from '../../engine/lending/offer.ts';
import { settle, type Report, type Settled } from '../../engine/lending/settle.ts';
import { closedCrawlStates } from '../../contracts/crawl.ts';
import * as frontier from '../../contracts/http/frontier.ts';
import { maxUrlInUrl } from '../../contracts/http/shared.ts';
import { shardsBehind } from '../../domain/lending.ts';
import { provideDefaultCrawl } from '../../storage/starting/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { readSeeds } from '../../storage/seeds/index.ts';
import { crawlOfTenant, loadCrawls } from '../../storage/crawls/index.ts';
import { noSuchCrawl } from '../crawls/crawl-ids.ts';
import { refuseSpent, refuseToGrow } from '../crawls/quotas.ts';
import { addSeeds } from '../crawls/seed-intake.ts';
import type { Dependencies } from '../dependencies.ts';
import { operator } from '../way-in/access.ts';
import { countForAudit, noteForAudit } from '../way-in/audit-log.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { fails, json } from './answers.ts';
import { route } from './route.ts';

const ofFetchers = { method: 'POST', access: operator('fetch') } as const;
const noShard = fails('The shard is not a number from 0 to 63, or the body is not valid JSON.');
const badBody = fails('The body is not valid, so nothing was done.');
const unknownCrawl = fails('There is no such crawl.');

export const frontierRoutes = [
  route({
    ...ofFetchers,
    path: '/frontier/{shard}/lease_batch',
    id: 'leaseBatch',
    summary: 'Lend URLs to a fetcher of your own, at most one per host, with leases of their hosts',
    params: frontier.shardPath,
    body: frontier.leaseBatch,
    answers: {
      200: json('The URLs that may be fetched now; the list may be empty.', frontier.leasedBatch),
      400: noShard,
      404: unknownCrawl,
      422: badBody,
    },
    handler:
      ({ pool, lending, settings: { shards } }) =>
      async ({ params: { shard }, body: wanted, caller: { tenantId }, response }) => {
        const crawlId = wanted.crawl_id ?? null;
        if (crawlId !== null) await mustOwn(pool, tenantId, crawlId);
        const loan = await lend(lending, {
          tenantId,
          shards: shardsBehind(shard, shards),
          crawlId,
          fetcherId: wanted.fetcher_id,
          batchSize: wanted.batch_size,
          toldMs: wanted.lease_seconds * 1_000,
        });
        if (loan === null) {
          noteForAudit(response, 'no URL could be lent');
          countForAudit(response);
        } else {
          const urls = `${String(loan.urls.length)} of at most ${String(wanted.batch_size)} URLs`;
          noteForAudit(response, `batch ${loan.id} of ${urls} to ${wanted.fetcher_id}`);
        }
        return {
          lease_id: loan?.id ?? null,
          urls: (loan?.urls ?? []).map(({ crawlId: id, userAgent: agent, ...url }) => ({
            ...url,
            host: new URL(url.origin).hostname,
            crawl_id: String(id),
            user_agent: agent,
          })),
          expires_at: loan === null ? null : new Date(loan.expiresAt).toISOString(),
          expires_in_seconds: loan === null ? null : loan.expiresInMs / 1_000,
        };
      },
  }),
  route({
    ...ofFetchers,
    path: '/frontier/{shard}/ack',
    id: 'ackBatch',
    summary: 'Report the results of some or all URLs of a batch; a repeated report changes nothing',
    params: frontier.shardPath,
    body: frontier.ackEnvelope,
    bodies: { 'application/json': frontier.ackBatch },
    answers: {
      200: json('What became of each report, in the order of the request.', frontier.ackedBatch),
      400: noShard,
      404: fails('No such batch was handed out to the caller.'),
      422: badBody,
    },
    handler:
      ({ lending }) =>
      async ({ body: { lease_id: batchId, results }, caller: { tenantId }, response }) => {
        const read = results.map((each) => frontier.report.safeParse(each));
        const reports = read.flatMap(({ data }) => (data === undefined ? [] : [reportOf(data)]));
        const settled = await settle(lending, tenantId, batchId, reports);
        if (settled === null) {
          throw new HttpProblem(
            404,
            `lease_id: no batch ${batchId} was handed out to you, or it ended more than a day ago.`,
          );
        }
        const accepted = settled.filter((result) => result === 'accepted').length;
        noteForAudit(
          response,
          `${String(accepted)} of ${String(results.length)} reports on batch ${batchId}`,
        );
        const inOrder = settled.values();
        const nextResult = (): Settled => {
          const { value } = inOrder.next();
          if (value === undefined) throw new Error(`a report on batch ${batchId} has no result`);
          return value;
        };
        return {
          results: read.map(({ data, error }, at) =>
            data === undefined
              ? { url: urlOf(results[at]), result: 'invalid' as const, why: faultOf(error) }
              : { url: data.url, result: nextResult() },
          ),
        };
      },
  }),
  route({
    ...ofFetchers,
    path: '/dedup/check_and_add',
    id: 'checkAndAdd',
    summary: 'Add links that were found; those that are new and belong to the crawl are queued',
    body: frontier.checkAndAdd,
    answers: {
      200: json('The links that were new.', frontier.checkedAndAdded),
      404: unknownCrawl,
      409: fails('The crawl is closed.'),
      422: badBody,
    },
    countsQuotas: true,
    handler:
      (parts) =>
      async ({ body: { candidates, crawl_id: crawlId = null }, caller: { tenantId, quotas }, response }) => {
        const { pool, lending } = parts;
        if (crawlId !== null) await mustBeOpen(pool, tenantId, crawlId);
        await refuseToGrow(pool, response, tenantId, quotas);
        const offered = candidates.map(({ url, parent_url: parentUrl, depth }) => ({
          url,
          parentUrl,
          depth,
        }));
        const { newUrls, rejected, unplaced } = await offer(lending, tenantId, crawlId, offered).catch(
          (error: unknown) => {
            throw error instanceof CrawlOver ? closed(String(error.crawlId)) : error;
          },
        );
        const homeless = unplaced.flatMap((index) => candidates[index]?.url ?? []);
        const seeded =
          homeless.length === 0 ? [] : await seedDefaultCrawl(parts, response, tenantId, homeless);
        return { new_urls: [...newUrls, ...seeded], rejected };
      },
  }),
];

/**
 * Candidates that belong to no crawl become seeds of the default crawl. Answers those that this crawl had not met, as
 * they were sent.
 */
async function seedDefaultCrawl(
  dependencies: Dependencies,
  response: Response,
  tenantId: number,
  urls: readonly string[],
): Promise<string[]> {
  const crawl = await provideDefaultCrawl(dependencies.pool, tenantId);
  if (crawl.id === null) refuseSpent(response, crawl.spent);
  const seeds = readSeeds(urls);
  const added = await addSeeds(dependencies, response, { tenantId, crawlId: crawl.id, seeds, which: 'new' });
  return added.flatMap(({ line }) => urls[line - 1] ?? []);
}

const reportOf = ({ url, status, error, location, ...rest }: z.output<typeof frontier.report>): Report => ({
  url,
  status,
  error,
  location,
  contentHash: rest.content_hash,
  retryAfterSeconds: rest.retry_after_seconds,
});

const urlOf = (result: unknown): string | null =>
  typeof result === 'object' && result !== null && 'url' in result && typeof result.url === 'string'
    ? result.url.slice(0, maxUrlInUrl)
    : null;

/** What is wrong with a result, and where, in one sentence. */
const faultOf = (error: z.ZodError): string => {
  const [first] = error.issues;
  const where = first?.path.map(String).join('.') ?? '';
  return `${where === '' ? '' : `${where}: `}${first?.message ?? 'it is not valid'}`.slice(0, 500);
};

async function mustOwn(pool: Pool, tenantId: number, crawlId: string): Promise<void> {
  if ((await crawlOfTenant(pool, crawlId, tenantId)).length === 0) noSuchCrawl(crawlId);
}

async function mustBeOpen(pool: Pool, tenantId: number, crawlId: string): Promise<void> {
  await mustOwn(pool, tenantId, crawlId);
  const [crawl] = await loadCrawls(pool, [Number(crawlId)]);
  if (crawl === undefined || closedCrawlStates.includes(crawl.state)) throw closed(crawlId);
}

const closed = (crawlId: string): HttpProblem =>
  new HttpProblem(409, `Crawl ${crawlId} is closed and takes no more URLs.`);
