/**
 * Webhooks as a resource of a tenant. engine/webhooks/deliver.ts decides what is sent, when, and which addresses are
 * allowed.
 */
import { isIP } from 'node:net';
import * as webhooks from '../../contracts/http/webhooks.ts';
import { addressRefusal, parseCidrs } from '../../net/address-guard.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { crawlOfTenant } from '../../storage/crawls/index.ts';
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
} from '../../storage/webhooks/index.ts';
import { noSuchCrawl } from '../crawls/crawl-ids.ts';
import { tagOf } from '../openapi/tags.ts';
import { admin } from '../way-in/access.ts';
import { noteForAudit } from '../way-in/audit-log.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { fails, ifMatch, ifNoneMatch, json, tagged } from './answers.ts';
import { etagOf, ifMatchOf, refuseStale } from './preconditions.ts';
import { route } from './route.ts';

const ofAdmins = { access: admin('webhooks') } as const;
/** A text that cannot be an id names no webhook. */
const ofOne = {
  ...ofAdmins,
  params: webhooks.webhookPath,
  unknown: ({ webhookId }: { readonly webhookId?: string }) => noSuchWebhook(webhookId),
} as const;
const one = '/v1/webhooks/{webhookId}';
const unknownWebhook = fails('The tenant has no such webhook.');
const badIfMatch = fails('The body is not valid JSON, or If-Match is not well-formed.');

async function find(pool: Pool, tenantId: number, id: string): Promise<VersionedWebhook> {
  return (await readWebhook(pool, tenantId, id)) ?? noSuchWebhook(id);
}

async function mustOwn(pool: Pool, tenantId: number, crawlId: string): Promise<void> {
  if ((await crawlOfTenant(pool, crawlId, tenantId)).length === 0) noSuchCrawl(crawlId);
}

export const webhookRoutes = [
  route({
    method: 'POST',
    path: '/v1/webhooks',
    ...ofAdmins,
    id: 'createWebhook',
    summary:
      'Create a webhook: events are sent to a URL, signed as Standard Webhooks says; the key is shown only in this answer',
    body: webhooks.newWebhook,
    answers: {
      201: json('The new webhook, with its secret.', webhooks.createdWebhook, 'ETag', 'Location'),
      404: fails('There is no such crawl.'),
      409: fails('The tenant has the largest allowed number of webhooks.'),
    },
    callbacks: {
      event: {
        '{$request.body#/url}': {
          post: {
            summary: 'An event; a 2xx status within 15 s says that it was received',
            requestBody: { content: { 'application/json': { schema: webhooks.webhookMessage } } },
            security: [],
            tags: [tagOf('/v1/webhooks')],
            description: 'The instance sends this request. Its signature proves that; no key is sent.',
            operationId: 'receiveEvent',
            responses: {
              '204': { description: 'The event was received.' },
              '4XX': { description: 'The event was not received, and is sent again later.' },
            },
          },
        },
      },
    },
    handler:
      ({ pool, log, settings }) =>
      async ({ body: { url, kinds = null, crawlId = null }, caller: { id: by, tenantId }, response }) => {
        refusePrivate(url, settings.webhookAllowPrivate);
        if (crawlId !== null) await mustOwn(pool, tenantId, crawlId);
        const made = await createWebhook(pool, tenantId, { url, kinds, crawlId });
        if (made === null) {
          const detail = `A tenant has at most ${String(webhooks.mostWebhooks)} webhooks: delete one, or let one webhook receive more events.`;
          throw new HttpProblem(409, detail);
        }
        const { secret, ...view } = made.body;
        log.info({ by, webhookId: view.id, tenantId }, 'a webhook was created');
        response
          .location(`/v1/webhooks/${view.id}`)
          .set({ ETag: etagOf(made.version, view), 'Cache-Control': 'no-store' });
        return { ...view, secret };
      },
  }),
  route({
    method: 'GET',
    path: '/v1/webhooks',
    ...ofAdmins,
    id: 'listWebhooks',
    summary: 'Webhooks of the tenant, oldest first, without their secrets',
    answers: { 200: json('The complete list.', webhooks.webhookList) },
    handler:
      ({ pool }) =>
      async ({ caller }) => ({ items: await webhooksOf(pool, caller.tenantId) }),
  }),
  route({
    method: 'GET',
    path: one,
    ...ofOne,
    id: 'getWebhook',
    summary: 'A webhook and the state of its deliveries, without its secret',
    header: ifNoneMatch,
    answers: { 200: tagged('The webhook.', webhooks.webhookView), 404: unknownWebhook },
    handler:
      ({ pool }) =>
      ({ params: { webhookId }, caller }) =>
        find(pool, caller.tenantId, webhookId),
  }),
  route({
    method: 'PATCH',
    path: one,
    ...ofOne,
    id: 'changeWebhook',
    summary: 'Change the URL or the events of a webhook; disable or enable it',
    header: ifMatch,
    body: webhooks.webhookChange,
    answers: {
      200: tagged('The webhook as it is now.', webhooks.webhookView),
      400: badIfMatch,
      404: unknownWebhook,
    },
    handler:
      ({ pool, log, settings }) =>
      async ({
        params: { webhookId: id },
        body: change,
        caller: { id: by, tenantId },
        request,
        response,
      }) => {
        const versions = ifMatchOf(request)?.versions ?? null;
        if (change.url !== undefined) refusePrivate(change.url, settings.webhookAllowPrivate);
        if (!(await editWebhook(pool, tenantId, id, change, versions)))
          refuseStale(response, await find(pool, tenantId, id));
        noteForAudit(response, `changed ${Object.keys(change).join(', ')}`);
        log.info({ by, webhookId: id, changed: Object.keys(change) }, 'a webhook was changed');
        return find(pool, tenantId, id);
      },
  }),
  route({
    method: 'DELETE',
    path: one,
    ...ofOne,
    id: 'deleteWebhook',
    summary: 'Delete a webhook; a request under way may still arrive',
    header: ifMatch,
    answers: {
      200: json('The webhook as it was before it was deleted.', webhooks.webhookView),
      400: badIfMatch,
      404: unknownWebhook,
    },
    handler:
      ({ pool, log }) =>
      async ({ params: { webhookId: id }, caller: { id: by, tenantId }, request, response }) => {
        const found = await find(pool, tenantId, id);
        const versions = ifMatchOf(request)?.versions ?? null;
        if (!(await removeWebhook(pool, tenantId, id, versions)))
          refuseStale(response, await find(pool, tenantId, id));
        log.info({ by, webhookId: id }, 'a webhook was deleted');
        return found.body;
      },
  }),
  route({
    method: 'GET',
    path: `${one}/deliveries`,
    ...ofOne,
    id: 'listDeliveries',
    summary: 'Latest delivery attempts of a webhook, and the events that were given up',
    query: webhooks.deliveriesQuery,
    answers: { 200: json('Attempts and dead letters.', webhooks.deliveries), 404: unknownWebhook },
    handler:
      ({ pool }) =>
      async ({ params: { webhookId }, query: { limit = webhooks.defaultDeliveryLimit }, caller }) => {
        await find(pool, caller.tenantId, webhookId);
        return readDeliveries(pool, webhookId, limit);
      },
  }),
  route({
    method: 'POST',
    path: `${one}/replay`,
    ...ofOne,
    id: 'replayWebhook',
    summary: 'Send events of a webhook again, after an event of a crawl or from an instant on',
    body: webhooks.newReplay,
    answers: {
      202: json('The events will be sent in order, each with the same id as before.', webhooks.replayAnswer),
      404: fails('The tenant has no such webhook, or no such crawl.'),
      422: fails('The body is not valid, or the webhook is for another crawl.'),
    },
    handler:
      ({ pool, log }) =>
      async ({ params: { webhookId }, body: asked, caller: { id: by, tenantId } }) => {
        if (asked.crawlId !== undefined) await mustOwn(pool, tenantId, asked.crawlId);
        const crawls = await replay(pool, tenantId, webhookId, asked);
        if (crawls === null) return noSuchWebhook(webhookId);
        if (crawls === 'other-crawl') {
          const message = 'the webhook is for another crawl only';
          throw new HttpProblem(422, `crawlId: ${message}`, { errors: [{ path: 'crawlId', message }] });
        }
        log.info({ by, webhookId, crawls }, 'events of a webhook are sent again');
        return { crawls };
      },
  }),
  route({
    method: 'POST',
    path: `${one}/test`,
    ...ofOne,
    id: 'testWebhook',
    summary: 'Send one event of kind webhook.test, even if the webhook is disabled',
    answers: { 202: json('The test will be sent.', webhooks.testAnswer), 404: unknownWebhook },
    handler:
      ({ pool, log }) =>
      async ({ params: { webhookId }, caller: { id: by, tenantId } }) => {
        const messageId = (await requestTest(pool, tenantId, webhookId)) ?? noSuchWebhook(webhookId);
        log.info({ by, webhookId }, 'a test of a webhook was requested');
        return { messageId };
      },
  }),
];

/**
 * An address that no event can be sent to is refused at once. A host name may resolve to any address, and to another
 * one tomorrow, so each delivery checks it.
 */
function refusePrivate(receiver: string, allowed: readonly string[]): void {
  const host = new URL(receiver).hostname.replace(/^\[|\]$/g, '');
  const address = /(^|\.)localhost\.?$/.test(host) ? '127.0.0.1' : host;
  const refusal = isIP(address) === 0 ? null : addressRefusal(address, parseCidrs(allowed));
  if (refusal === null) return;
  const message = `is at a ${refusal} address, to which this instance sends no events; ORBWEAVER_WEBHOOK_ALLOW_PRIVATE allows blocks`;
  throw new HttpProblem(422, `url: ${message}.`, { errors: [{ path: 'url', message }] });
}

function noSuchWebhook(id = ''): never {
  throw new HttpProblem(404, `There is no webhook ${id}.`);
}
