/** Webhooks as a resource of a tenant (F38). What is sent, when, and to where it may go: activities/webhooks.ts. */
import { Router, type Request } from 'express';
import {
  defaultDeliveryLimit,
  deliveriesQuery,
  mostWebhooks,
  newReplay,
  newWebhook,
  webhookChange,
  webhookPath,
} from '../../contracts/http/webhooks.ts';
import { crawlOfTenant } from '../../storage/statements/crawl-of-tenant.ts';
import {
  createWebhook,
  editWebhook,
  readDeliveries,
  readWebhook,
  removeWebhook,
  replay,
  requestTest,
  webhooksOf,
  type VersionedWebhook,
} from '../../storage/webhooks.ts';
import { noteForAudit } from '../way-in/audit-log.ts';
import { callerOf } from '../way-in/caller.ts';
import { noSuchCrawl } from '../crawls/crawl-ids.ts';
import type { Dependencies } from '../dependencies.ts';
import { etagOf, ifMatchOf, refuseStale, sendTagged } from './preconditions.ts';
import { HttpProblem, methodNotAllowed, parseInput } from '../way-in/problem.ts';

export function webhookRoutes({ pool, log }: Pick<Dependencies, 'pool' | 'log'>): Router {
  const find = async (tenantId: number, id: string): Promise<VersionedWebhook> =>
    (await readWebhook(pool, tenantId, id)) ?? noSuchWebhook(id);
  const router = Router();
  router
    .route('/webhooks')
    .post(async (request, response) => {
      const { id: by, tenantId } = callerOf(request);
      const { url, kinds = null, crawlId = null } = parseInput(newWebhook, request.body, 422);
      if (crawlId !== null && (await crawlOfTenant(pool, crawlId, tenantId)).length === 0)
        noSuchCrawl(crawlId);
      const made = await createWebhook(pool, tenantId, { url, kinds, crawlId });
      if (made === null) {
        const detail = `A tenant has at most ${String(mostWebhooks)} webhooks: delete one, or have one get more.`;
        throw new HttpProblem(409, detail);
      }
      const { secret, ...view } = made.body;
      log.info({ by, webhookId: view.id, tenantId }, 'a webhook was made');
      response
        .status(201)
        .location(`/v1/webhooks/${view.id}`)
        .set({ ETag: etagOf(made.version, view), 'Cache-Control': 'no-store' })
        .json({ ...view, secret });
    })
    .get(async (request, response) => {
      response.json({ items: await webhooksOf(pool, callerOf(request).tenantId) });
    })
    .all(methodNotAllowed('GET', 'POST'));
  router
    .route('/webhooks/:webhookId')
    .get(async (request, response) => {
      const { version, body } = await find(callerOf(request).tenantId, webhookIdOf(request));
      sendTagged(response, version, body);
    })
    .patch(async (request, response) => {
      const { id: by, tenantId } = callerOf(request);
      const id = webhookIdOf(request);
      const change = parseInput(webhookChange, request.body, 422);
      const versions = ifMatchOf(request)?.versions ?? null;
      if (!(await editWebhook(pool, tenantId, id, change, versions)))
        refuseStale(response, await find(tenantId, id));
      noteForAudit(response, `changed ${Object.keys(change).join(', ')}`);
      log.info({ by, webhookId: id, changed: Object.keys(change) }, 'a webhook was changed');
      const { version, body } = await find(tenantId, id);
      sendTagged(response, version, body);
    })
    .delete(async (request, response) => {
      const { id: by, tenantId } = callerOf(request);
      const id = webhookIdOf(request);
      const found = await find(tenantId, id);
      const versions = ifMatchOf(request)?.versions ?? null;
      if (!(await removeWebhook(pool, tenantId, id, versions)))
        refuseStale(response, await find(tenantId, id));
      log.info({ by, webhookId: id }, 'a webhook was deleted');
      response.json(found.body);
    })
    .all(methodNotAllowed('GET', 'PATCH', 'DELETE'));
  router
    .route('/webhooks/:webhookId/deliveries')
    .get(async (request, response) => {
      const id = webhookIdOf(request);
      const { limit = defaultDeliveryLimit } = parseInput(deliveriesQuery, request.query, 400);
      await find(callerOf(request).tenantId, id);
      response.json(await readDeliveries(pool, id, limit));
    })
    .all(methodNotAllowed('GET'));
  router
    .route('/webhooks/:webhookId/replay')
    .post(async (request, response) => {
      const { id: by, tenantId } = callerOf(request);
      const id = webhookIdOf(request);
      const asked = parseInput(newReplay, request.body, 422);
      const { crawlId } = asked;
      if (crawlId !== undefined && (await crawlOfTenant(pool, crawlId, tenantId)).length === 0)
        noSuchCrawl(crawlId);
      const crawls = await replay(pool, tenantId, id, asked);
      if (crawls === null) noSuchWebhook(id);
      if (crawls === 'other-crawl') {
        const message = 'the webhook is for another crawl alone';
        throw new HttpProblem(422, `crawlId: ${message}`, { errors: [{ path: 'crawlId', message }] });
      }
      log.info({ by, webhookId: id, crawls }, 'a webhook was set back');
      response.status(202).json({ crawls });
    })
    .all(methodNotAllowed('POST'));
  router
    .route('/webhooks/:webhookId/test')
    .post(async (request, response) => {
      const { id: by, tenantId } = callerOf(request);
      const id = webhookIdOf(request);
      const messageId = (await requestTest(pool, tenantId, id)) ?? noSuchWebhook(id);
      log.info({ by, webhookId: id }, 'a test of a webhook was asked for');
      response.status(202).json({ messageId });
    })
    .all(methodNotAllowed('POST'));
  return router;
}

/** An id that cannot be one names no webhook. */
function webhookIdOf(request: Request): string {
  const { webhookId } = request.params;
  const id = String(webhookId);
  return webhookPath.safeParse({ webhookId: id }).success ? id : noSuchWebhook(id);
}

function noSuchWebhook(id: string): never {
  throw new HttpProblem(404, `There is no webhook ${id}.`);
}
