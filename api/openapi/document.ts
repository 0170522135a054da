/** The OpenAPI 3.1 document, made from the schemas that judge the requests. */
import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponseObject } from 'zod-openapi';
import * as deadLetters from '../../contracts/dead-letters.ts';
import * as hosts from '../../contracts/hosts.ts';
import {
  crawlList,
  crawlStateAnswer,
  crawlView,
  createdCrawl,
  ledgerAnswer,
  listQuery,
  newCrawl,
  crawlRemoval,
} from '../../contracts/http/crawls.ts';
import { explainQuery, explanation } from '../../contracts/http/explain.ts';
import { auditView, pageList, pagesQuery } from '../../contracts/http/results.ts';
import { changeReason, crawlPath } from '../../contracts/http/shared.ts';
import * as optOuts from '../../contracts/opt-out.ts';
import { withAccess } from './access-docs.ts';
import { fails, ifMatch, ifNoneMatch, json, made, notModified, stale, tagged } from './parts.ts';
import { tenancyPaths } from './tenancy.ts';
import { auditPaths } from './audit.ts';
import { compatPaths } from './compat.ts';
import { editPaths, patchCrawlOperation } from './edits.ts';
import { eventPaths } from './events.ts';
import { exportPaths } from './export.ts';
import { frontierPaths } from './frontier.ts';
import { headerComponents } from './headers.ts';
import { hostActionPaths } from './host-actions.ts';
import { outlookPaths } from './outlook.ts';
import { reportPaths } from './report.ts';
import { seedPaths } from './seeds.ts';
import { tags } from './tags.ts';
import { webhookPaths } from './webhooks.ts';

const unknownCrawl = fails('There is no such crawl.');
const badQuery = fails('The query is not valid.');

const reads = (
  operationId: string,
  summary: string,
  answer: z.ZodType,
  query?: z.ZodObject,
): ZodOpenApiOperationObject => ({
  operationId,
  summary,
  requestParams: { path: crawlPath, ...(query !== undefined && { query }) },
  responses: {
    '200': json(summary, answer),
    ...(query !== undefined && { '400': badQuery }),
    '404': unknownCrawl,
  },
});

const withResponse = (
  operation: ZodOpenApiOperationObject,
  status: '422' | '503',
  response: ZodOpenApiResponseObject,
): ZodOpenApiOperationObject => ({
  ...operation,
  responses: { ...operation.responses, [status]: response },
});

const changes = (operationId: string, summary: string): ZodOpenApiOperationObject => ({
  operationId,
  summary,
  requestParams: { path: crawlPath },
  requestBody: { required: false, content: { 'application/json': { schema: changeReason } } },
  responses: {
    '200': json('The state the crawl is in now.', crawlStateAnswer),
    '404': unknownCrawl,
    '409': fails('The crawl is in a state in which that cannot be done.'),
    '422': fails('The body is not valid.'),
    '503': fails('Temporal or a worker did not answer in time.'),
  },
});

const status = z.object({ status: z.string() });
const crawl = '/v1/crawls/{crawlId}';

export function openApiDocument(version: string): ReturnType<typeof createDocument> {
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Orbweaver',
      version,
      description:
        'Start, steer and read crawls. Every error is a problem document (RFC 9457); cursors are given by `next`.',
      contact: { name: 'The Orbweaver authors' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags,
    components: {
      headers: headerComponents,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key (`owk_…`), or a JWT where the instance knows an issuer.',
        },
        header: {
          type: 'apiKey',
          in: 'header',
          name: 'API-X-TOKEN',
          description: 'The same, as `Bearer …`.',
        },
      },
    },
    paths: withAccess({
      '/v1/crawls': {
        post: {
          operationId: 'createCrawl',
          summary: 'Start a crawl',
          requestBody: { required: true, content: { 'application/json': { schema: newCrawl } } },
          responses: {
            '201': made('The crawl was created and started.', createdCrawl),
            '413': fails('The body is too large.'),
            '415': fails('The body is not JSON.'),
            '422': fails('The body is not valid, or holds no good seed.'),
            '503': fails('Temporal does not answer; nothing was started.'),
          },
        },
        get: {
          operationId: 'listCrawls',
          summary: 'Crawls, newest first',
          requestParams: { query: listQuery },
          responses: { '200': json('Crawls.', crawlList), '400': badQuery },
        },
      },
      [crawl]: {
        get: {
          operationId: 'getCrawl',
          summary: 'A crawl: state, settings, counts',
          requestParams: { path: crawlPath, header: ifNoneMatch },
          responses: {
            '200': tagged('The crawl.', crawlView),
            '304': notModified,
            '404': fails('There is no such crawl.'),
          },
        },
        patch: patchCrawlOperation,
        delete: {
          operationId: 'deleteCrawl',
          summary:
            'Delete a crawl that is over, with its data; ask again to see how far it is, until it is unknown',
          requestParams: { path: crawlPath },
          responses: {
            '202': json('It is being deleted, and unknown to all else from now on.', crawlRemoval),
            '404': fails('There is no such crawl (any more).'),
            '409': fails('The crawl is not over: cancel it first.'),
          },
        },
      },
      [`${crawl}/pause`]: { post: changes('pauseCrawl', 'Send no more requests until resumed') },
      [`${crawl}/resume`]: { post: changes('resumeCrawl', 'Go on with a paused crawl') },
      [`${crawl}/cancel`]: { post: changes('cancelCrawl', 'End a crawl; what is queued is excluded') },
      [`${crawl}/pages`]: {
        get: reads(
          'listPages',
          'Answered URLs with what was found in them, oldest first; follow `next` while the crawl runs',
          pageList,
          pagesQuery,
        ),
      },
      [`${crawl}/ledger`]: {
        get: reads('getLedger', 'URLs by state, and whether they add up', ledgerAnswer),
      },
      [`${crawl}/audit`]: {
        get: withResponse(
          reads('auditCrawl', 'The ledger recounted over every URL', auditView),
          '503',
          fails('Too many audits are asked for at the moment; Retry-After says when to ask again.'),
        ),
      },
      [`${crawl}/explain`]: {
        get: withResponse(
          reads(
            'explainUrl',
            'Every decision on a URL: why it was fetched, skipped or waits, or what would become of it',
            explanation,
            explainQuery,
          ),
          '422',
          fails('No crawl can have such a URL.'),
        ),
      },
      [`${crawl}/dead-letters`]: {
        get: reads(
          'listDeadLetters',
          'URLs that were given up, with class and evidence, host by host',
          deadLetters.deadLetterList,
          deadLetters.deadLetterQuery,
        ),
      },
      [`${crawl}/dead-letters/redrive`]: {
        post: {
          operationId: 'redriveDeadLetters',
          summary:
            'Queue dead letters again: all of the crawl, or one URL, one class, one host, or both of these',
          requestParams: { path: crawlPath },
          requestBody: {
            required: false,
            content: { 'application/json': { schema: deadLetters.newRedrive } },
          },
          responses: {
            '200': json('It is done.', deadLetters.redriveAnswer),
            '202': json('It goes on by itself.', deadLetters.redriveAnswer),
            '404': fails('There is no such crawl, or no dead letter of that URL.'),
            '409': fails(
              'The crawl does not go on, another re-drive of it is under way, or the URL was refused within seven days.',
            ),
            '422': fails('The body is not valid.'),
            '503': fails('Temporal does not answer; nothing was queued.'),
          },
        },
      },
      '/v1/dead-letters': {
        get: {
          operationId: 'listHostDeadLetters',
          summary: 'Dead letters of one host, over all crawls',
          requestParams: { query: deadLetters.hostDeadLetterQuery },
          responses: { '200': json('Dead letters.', deadLetters.deadLetterList), '400': badQuery },
        },
      },
      '/v1/hosts': {
        get: {
          operationId: 'listHosts',
          summary: 'Hosts that crawls have met or operators have set; all, or those in one state',
          requestParams: { query: hosts.hostsQuery },
          responses: { '200': json('Hosts.', hosts.hostList), '400': badQuery },
        },
      },
      '/v1/hosts/{origin}': {
        get: {
          operationId: 'getHost',
          summary: 'A host: where it stands, its settings, its requests of the day, its crawls',
          requestParams: { path: hosts.hostPath, header: ifNoneMatch },
          responses: {
            '200': tagged('The host.', hosts.hostView),
            '304': notModified,
            '400': fails('That is no origin.'),
            '404': fails('No crawl has met it, and nothing is set for it.'),
          },
        },
      },
      '/v1/hosts/{origin}/robots': {
        post: {
          operationId: 'rereadRobots',
          summary: 'Have robots.txt read again before the next request to the host, whatever copy is kept',
          requestParams: { path: hosts.hostPath },
          responses: {
            '200': tagged('The host as it is now.', hosts.hostView),
            '400': fails('That is no origin.'),
            '404': fails('No crawl has met it, and nothing is set for it.'),
          },
        },
      },
      '/v1/hosts/{origin}/settings': {
        patch: {
          operationId: 'setHost',
          summary: 'Change settings of a host; they hold from the next request on, or a second later',
          requestParams: { path: hosts.hostPath, header: ifMatch },
          requestBody: {
            required: true,
            content: { 'application/json': { schema: hosts.hostSettingsChange } },
          },
          responses: {
            '200': tagged('The host as it is set now.', hosts.hostView),
            '400': fails('That is no origin, the body is not valid JSON, or If-Match holds no ETags.'),
            '412': stale,
            '422': fails('The body is not valid, or the windows never open.'),
          },
        },
      },
      '/v1/opt-outs': {
        post: {
          operationId: 'addOptOut',
          summary: 'Opt a domain out of every crawl; once answered, no further request is sent to it',
          requestBody: { required: true, content: { 'application/json': { schema: optOuts.newOptOut } } },
          responses: {
            '200': json('It had opted out already.', optOuts.optOutAdded),
            '201': made('It has opted out. Answering takes two to twenty seconds.', optOuts.optOutAdded),
            '422': fails('The body is not valid.'),
          },
        },
        get: {
          operationId: 'listOptOuts',
          summary: 'Domains that have opted out, by name',
          requestParams: { query: optOuts.optOutQuery },
          responses: { '200': json('Domains.', optOuts.optOutList), '400': badQuery },
        },
      },
      '/v1/opt-outs/{domain}': {
        delete: {
          operationId: 'removeOptOut',
          summary: 'Take an opt-out back; what it excluded is queued again where the crawl is open',
          requestParams: { path: optOuts.domainPath },
          responses: {
            '200': json('It is taken back.', optOuts.optOutRemoved),
            '400': fails('That is no domain.'),
            '404': fails('The domain has not opted out.'),
          },
        },
      },
      '/v1/complaints': {
        post: {
          operationId: 'addComplaint',
          summary: 'Store a complaint about the crawler; it opts nobody out by itself',
          requestBody: { required: true, content: { 'application/json': { schema: optOuts.newComplaint } } },
          responses: {
            '201': json('It is stored and counted.', optOuts.complaintView),
            '422': fails('The body is not valid.'),
          },
        },
        get: {
          operationId: 'listComplaints',
          summary: 'Complaints, newest first; all, or those about one domain',
          requestParams: { query: optOuts.complaintQuery },
          responses: { '200': json('Complaints.', optOuts.complaintList), '400': badQuery },
        },
      },
      '/crawler': {
        get: {
          operationId: 'crawlerPage',
          summary: 'About this crawler, for people who found it in their logs',
          responses: { '200': { description: 'A page.', content: { 'text/html': { schema: z.string() } } } },
        },
      },
      '/healthz': {
        get: {
          operationId: 'health',
          summary: 'Is the process up?',
          responses: { '200': json('It is.', status) },
        },
      },
      '/readyz': {
        get: {
          operationId: 'readiness',
          summary: 'Do Postgres and Temporal answer?',
          responses: { '200': json('They do.', status), '503': fails('One of them does not.') },
        },
      },
      ...editPaths,
      ...hostActionPaths,
      ...seedPaths,
      ...outlookPaths,
      ...reportPaths,
      ...exportPaths,
      ...eventPaths,
      ...webhookPaths,
      ...compatPaths,
      ...frontierPaths,
      ...tenancyPaths,
      ...auditPaths,
    }),
  });
}
