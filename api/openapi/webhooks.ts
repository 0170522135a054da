import type { ZodOpenApiPathsObject } from 'zod-openapi';
import * as webhooks from '../../contracts/http/webhooks.ts';
import { headers } from './headers.ts';
import { tagOf } from './tags.ts';
import { fails, ifMatch, ifNoneMatch, json, notModified, stale, tagged } from './parts.ts';

const one = '/v1/webhooks/{webhookId}';
const path = webhooks.webhookPath;
const noWebhook = fails('The tenant has no such webhook.');
const badIfMatch = fails('The body is not valid JSON, or If-Match is not well-formed.');

export const webhookPaths: ZodOpenApiPathsObject = {
  '/v1/webhooks': {
    post: {
      operationId: 'createWebhook',
      summary: 'Have events sent to a URL, signed as Standard Webhooks says; the key is shown this once',
      requestBody: { required: true, content: { 'application/json': { schema: webhooks.newWebhook } } },
      responses: {
        '201': {
          ...tagged('The webhook, with its secret.', webhooks.createdWebhook),
          headers: headers('ETag', 'Location'),
        },
        '404': fails('There is no such crawl.'),
        '409': fails('The tenant has as many webhooks as it may.'),
        '422': fails('The body is not valid.'),
      },
      callbacks: {
        event: {
          '{$request.body#/url}': {
            post: {
              summary: 'An event; any 2xx within 15 s says that it was taken',
              requestBody: { content: { 'application/json': { schema: webhooks.webhookMessage } } },
              security: [],
              tags: [tagOf('/v1/webhooks')],
              description: 'Sent by this API. Its signature says so; no key is sent.',
              operationId: 'receiveEvent',
              responses: {
                '204': { description: 'It was taken.' },
                '4XX': { description: 'It was not taken: it is sent again later.' },
              },
            },
          },
        },
      },
    },
    get: {
      operationId: 'listWebhooks',
      summary: 'Webhooks of the tenant, oldest first; never their secrets',
      responses: { '200': json('All of them.', webhooks.webhookList) },
    },
  },
  [one]: {
    get: {
      operationId: 'getWebhook',
      summary: 'A webhook, without its secret: how it stands',
      requestParams: { path, header: ifNoneMatch },
      responses: {
        '200': tagged('The webhook.', webhooks.webhookView),
        '304': notModified,
        '404': noWebhook,
      },
    },
    patch: {
      operationId: 'changeWebhook',
      summary: 'Change where it goes or what is sent; disable or enable it',
      requestParams: { path, header: ifMatch },
      requestBody: { required: true, content: { 'application/json': { schema: webhooks.webhookChange } } },
      responses: {
        '200': tagged('The webhook as it is now.', webhooks.webhookView),
        '400': badIfMatch,
        '404': noWebhook,
        '412': stale,
        '422': fails('The body is not valid.'),
      },
    },
    delete: {
      operationId: 'deleteWebhook',
      summary: 'Send nothing more; a request under way may still arrive',
      requestParams: { path, header: ifMatch },
      responses: {
        '200': json('It is gone; this is what it was.', webhooks.webhookView),
        '400': badIfMatch,
        '404': noWebhook,
        '412': stale,
      },
    },
  },
  [`${one}/deliveries`]: {
    get: {
      operationId: 'listDeliveries',
      summary: 'The latest attempts, and the events that were given up',
      requestParams: { path, query: webhooks.deliveriesQuery },
      responses: {
        '200': json('Attempts and dead letters.', webhooks.deliveries),
        '400': fails('The query is not valid.'),
        '404': noWebhook,
      },
    },
  },
  [`${one}/replay`]: {
    post: {
      operationId: 'replayWebhook',
      summary: 'Have events sent (again), from one of a crawl or from an instant on',
      requestParams: { path },
      requestBody: { required: true, content: { 'application/json': { schema: webhooks.newReplay } } },
      responses: {
        '202': json('They will be sent, in order; each with the id it had.', webhooks.replayAnswer),
        '404': fails('The tenant has no such webhook, or no such crawl.'),
        '422': fails('The body is not valid, or the webhook is for another crawl.'),
      },
    },
  },
  [`${one}/test`]: {
    post: {
      operationId: 'testWebhook',
      summary: 'Have an event of kind webhook.test sent, once, also where the webhook is disabled',
      requestParams: { path },
      responses: { '202': json('It will be sent.', webhooks.testAnswer), '404': noWebhook },
    },
  },
};
