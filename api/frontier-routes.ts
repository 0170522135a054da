/** The frontier for other fetchers (F37): URLs handed out under their hosts' leases, reports taken, links admitted. */
import { Router } from 'express';
import { lend } from '../activities/lending/lend.ts';
import { CrawlOver, offer } from '../activities/lending/offer.ts';
import { LendingRoom } from '../activities/lending/room.ts';
import { settle } from '../activities/lending/settle.ts';
import { closedCrawlStates } from '../contracts/crawl.ts';
import { ackBatch, checkAndAdd, leaseBatch, shardPath } from '../contracts/http/frontier.ts';
import type { Pool } from '../storage/pool.ts';
import { crawlOfTenant } from '../storage/statements/crawl-of-tenant.ts';
import { loadCrawls } from '../storage/statements/load-crawls.ts';
import { callerOf } from './caller.ts';
import { noSuchCrawl } from './crawl-ids.ts';
import type { Dependencies } from './dependencies.ts';
import { HttpProblem, methodNotAllowed, parseInput } from './problem.ts';
import { refuseToGrow } from './quotas.ts';

export function frontierRoutes({
  pool,
  log,
  wakeHost,
  isHostPaused = () => Promise.resolve(false),
  settings: { userAgent, shards },
}: Dependencies): Router {
  const room = new LendingRoom({ pool, log, wakeHost, isHostPaused, userAgent, shards });
  const router = Router();
  router
    .route('/frontier/:shard/lease_batch')
    .post(async (request, response) => {
      const { tenantId } = callerOf(request);
      const shard = shardOfPath(request.params, shards);
      const wish = parseInput(leaseBatch, request.body, 422);
      const crawlId = wish.crawl_id ?? null;
      if (crawlId !== null) await mustOwn(pool, tenantId, crawlId);
      const loan = await lend(room, {
        ...{ tenantId, shard, crawlId, fetcherId: wish.fetcher_id },
        ...{ batchSize: wish.batch_size, leaseMs: wish.lease_seconds * 1_000 },
      });
      response.json({
        lease_id: loan?.id ?? null,
        urls: (loan?.urls ?? []).map(({ crawlId: id, userAgent: agent, ...url }) => ({
          ...url,
          crawl_id: String(id),
          user_agent: agent,
        })),
        expires_at: loan === null ? null : new Date(loan.expiresAt).toISOString(),
        expires_in_seconds: loan === null ? null : loan.expiresInMs / 1_000,
      });
    })
    .all(methodNotAllowed('POST'));
  router
    .route('/frontier/:shard/ack')
    .post(async (request, response) => {
      const { tenantId } = callerOf(request);
      shardOfPath(request.params, shards);
      const { lease_id: batchId, results } = parseInput(ackBatch, request.body, 422);
      const reports = results.map((each) => ({
        ...{ url: each.url, status: each.status, error: each.error, location: each.location },
        ...{ contentHash: each.content_hash, retryAfterSeconds: each.retry_after_seconds },
      }));
      const settled = await settle(room, tenantId, batchId, reports);
      if (settled === null) {
        throw new HttpProblem(
          404,
          `lease_id: no batch ${batchId} was handed out to you, or it ended more than a day ago.`,
        );
      }
      response.json({ results: settled.map((result, at) => ({ url: results[at]?.url, result })) });
    })
    .all(methodNotAllowed('POST'));
  router
    .route('/dedup/check_and_add')
    .post(async (request, response) => {
      const { tenantId, quotas } = callerOf(request);
      const { candidates, crawl_id: crawlId = null } = parseInput(checkAndAdd, request.body, 422);
      if (crawlId !== null) await mustBeOpen(pool, tenantId, crawlId);
      await refuseToGrow(pool, response, tenantId, quotas);
      const offered = candidates.map(({ url, parent_url: parentUrl, depth }) => ({ url, parentUrl, depth }));
      const { newUrls, rejected } = await offer(room, tenantId, crawlId, offered).catch((error: unknown) => {
        throw error instanceof CrawlOver ? closed(String(error.crawlId)) : error;
      });
      response.json({ new_urls: newUrls, rejected });
    })
    .all(methodNotAllowed('POST'));
  return router;
}

function shardOfPath(params: unknown, shards: number): number {
  const { shard } = parseInput(shardPath, params, 400);
  if (shard < shards) return shard;
  throw new HttpProblem(404, `There is no shard ${String(shard)}: they are 0 to ${String(shards - 1)}.`);
}

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
