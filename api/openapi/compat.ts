/** The compatible routes and the metrics in the OpenAPI document. */
import type {
  ZodOpenApiOperationObject,
  ZodOpenApiPathsObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { z } from 'zod';
import * as compat from '../../contracts/http/compat.ts';
import { changeReason } from '../../contracts/http/shared.ts';
import { json } from './parts.ts';
import { headers } from './headers.ts';

const says = (description: string) => json(description, compat.errorMessage);

/** Refusals that every one of these routes has. */
const refusals: ZodOpenApiResponsesObject = {
  '401': says('No key or token that is accepted was sent.'),
  '403': says('The role, the scopes or a lasting quota of the caller do not allow it.'),
  '429': says('Too many requests, or a quota that waiting helps with; Retry-After says when to go on.'),
};
const bodyRefusals: ZodOpenApiResponsesObject = {
  '400': says('The body is not valid JSON.'),
  '413': says('The body is too large.'),
  '415': says('The body is not JSON.'),
  '422': says('The body is not valid.'),
};
const noAnswer = says('Temporal or a worker did not answer in time.');
const badQuery = says('The query is not valid.');
const noJob = says('There is no such job.');

const sends = (schema: z.ZodType, required = true): Pick<ZodOpenApiOperationObject, 'requestBody'> => ({
  requestBody: { required, content: { 'application/json': { schema } } },
});

const changes = (operationId: string, summary: string): ZodOpenApiOperationObject => ({
  operationId,
  summary,
  ...sends(changeReason, false),
  responses: {
    '200': json('The state it is in now.', compat.pauseAnswer),
    '409': says('It is in a state in which that cannot be done.'),
    ...bodyRefusals,
    '503': noAnswer,
    ...refusals,
  },
});

const seeds = (operationId: string): ZodOpenApiOperationObject => ({
  operationId,
  summary: 'Add seeds to the standing crawl; it goes on with them',
  ...sends(compat.seedUrls),
  responses: {
    '200': json('They are stored, and will be crawled.', compat.seedUrlsAnswer),
    '409': says('It is just being ended.'),
    ...bodyRefusals,
    '503': noAnswer,
    ...refusals,
  },
});

export const compatPaths: ZodOpenApiPathsObject = {
  '/v1/url/scan': {
    post: {
      operationId: 'scanUrl',
      summary: 'Start a job: a crawl from one URL',
      ...sends(compat.scanRequest),
      responses: {
        '200': json('The job was created and started.', compat.scanAnswer),
        '404': {
          ...says('A quota is spent; Retry-After says when to try again, where waiting helps.'),
          headers: headers('Retry-After'),
        },
        ...bodyRefusals,
        '500': noAnswer,
        ...refusals,
      },
    },
  },
  '/v1/job/status': {
    get: {
      operationId: 'jobStatus',
      summary: 'Where a job stands',
      requestParams: { query: compat.jobQuery },
      responses: {
        '200': json('Its status.', compat.jobStatusAnswer),
        '400': badQuery,
        '404': noJob,
        ...refusals,
      },
    },
  },
  '/v1/urls': {
    get: {
      operationId: 'jobUrls',
      summary: 'The URLs of a job that is over, streamed',
      requestParams: { query: compat.jobQuery },
      responses: {
        '200': json('All of them.', compat.jobUrls),
        '202': json('The job is not over.', compat.jobUnderWay),
        '400': badQuery,
        '404': noJob,
        ...refusals,
      },
    },
  },
  '/seed/urls': { post: seeds('seedUrls') },
  '/api/v1/seed': { post: seeds('seed') },
  '/url/limit': {
    post: {
      operationId: 'limitUrls',
      summary: 'Limits of the standing crawl, in force at once',
      ...sends(compat.urlLimit),
      responses: {
        '200': json('The limits there are now.', compat.urlLimitAnswer),
        '409': says('It is just being ended.'),
        ...bodyRefusals,
        '503': noAnswer,
        ...refusals,
      },
    },
  },
  '/api/v1/pause': { post: changes('pauseDefaultCrawl', 'Pause the standing crawl') },
  '/api/v1/resume': { post: changes('resumeDefaultCrawl', 'Go on with the standing crawl') },
  '/api/v1/{url}/status': {
    get: {
      operationId: 'urlStatus',
      summary: 'Where a URL stands in the standing crawl',
      requestParams: { path: compat.urlPath },
      responses: {
        '200': json('Where it stands.', compat.urlStatusAnswer),
        '400': says('No crawl can have such a URL.'),
        '404': says('The crawl has not met it.'),
        ...refusals,
      },
    },
  },
  '/metrics': {
    get: {
      operationId: 'metrics',
      summary: 'Measures of the whole instance, for Prometheus',
      responses: {
        '200': { description: 'In its text format.', content: { 'text/plain': { schema: z.string() } } },
      },
    },
  },
};
