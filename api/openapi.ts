/** The OpenAPI 3.1 document, made from the schemas that judge the requests. */
import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponseObject } from 'zod-openapi';
import * as http from '../contracts/http.ts';

const json = (description: string, schema: z.ZodType): ZodOpenApiResponseObject => ({
  description,
  content: { 'application/json': { schema } },
});

const fails = (description: string): ZodOpenApiResponseObject => ({
  description,
  content: { 'application/problem+json': { schema: http.problem } },
});

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
  requestParams: { path: http.crawlPath, ...(query !== undefined && { query }) },
  responses: {
    '200': json(summary, answer),
    ...(query !== undefined && { '400': badQuery }),
    '404': unknownCrawl,
  },
});

const changes = (operationId: string, summary: string): ZodOpenApiOperationObject => ({
  operationId,
  summary,
  requestParams: { path: http.crawlPath },
  requestBody: { required: false, content: { 'application/json': { schema: http.changeReason } } },
  responses: {
    '200': json('The state the crawl is in now.', http.crawlStateAnswer),
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
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths: {
      '/v1/crawls': {
        post: {
          operationId: 'createCrawl',
          summary: 'Start a crawl',
          requestBody: { required: true, content: { 'application/json': { schema: http.newCrawl } } },
          responses: {
            '201': json('The crawl was created and started.', http.createdCrawl),
            '413': fails('The body is too large.'),
            '415': fails('The body is not JSON.'),
            '422': fails('The body is not valid, or holds no good seed.'),
            '503': fails('Temporal does not answer; nothing was started.'),
          },
        },
        get: {
          operationId: 'listCrawls',
          summary: 'Crawls, newest first',
          requestParams: { query: http.listQuery },
          responses: { '200': json('Crawls.', http.crawlList), '400': badQuery },
        },
      },
      [crawl]: { get: reads('getCrawl', 'A crawl: state, settings, counts', http.crawlView) },
      [`${crawl}/pause`]: { post: changes('pauseCrawl', 'Send no more requests until resumed') },
      [`${crawl}/resume`]: { post: changes('resumeCrawl', 'Go on with a paused crawl') },
      [`${crawl}/cancel`]: { post: changes('cancelCrawl', 'End a crawl; what is queued is excluded') },
      [`${crawl}/pages`]: {
        get: reads(
          'listPages',
          'Answered URLs with what was found in them, oldest first; follow `next` while the crawl runs',
          http.pageList,
          http.pagesQuery,
        ),
      },
      [`${crawl}/ledger`]: {
        get: reads('getLedger', 'URLs by state, and whether they add up', http.ledgerAnswer),
      },
      [`${crawl}/audit`]: { get: reads('auditCrawl', 'The ledger recounted over every URL', http.auditView) },
      [`${crawl}/explain`]: {
        get: reads(
          'explainUrl',
          'Why a URL was fetched, skipped or waits',
          http.explanation,
          http.explainQuery,
        ),
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
    },
  });
}
