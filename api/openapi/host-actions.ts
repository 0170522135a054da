/** What an operator does to hosts, in the OpenAPI document. */
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import {
  hostActed,
  hostActionBody,
  hostBulk,
  hostPath,
  hostsActed,
  type HostAction,
} from '../../contracts/hosts.ts';
import { fails, json } from './parts.ts';

const acts = (operationId: string, summary: string): ZodOpenApiOperationObject => ({
  operationId,
  summary,
  requestParams: { path: hostPath },
  requestBody: { required: false, content: { 'application/json': { schema: hostActionBody } } },
  responses: {
    '200': json('What came of it, and the host as it is now.', hostActed),
    '400': fails('That is no origin, or the body is not valid JSON.'),
    '404': fails('No crawl has met it, and nothing is set for it.'),
    '422': fails('The body is not valid.'),
    '503': fails('Temporal does not answer; it may yet be done.'),
  },
});

const actions: Readonly<Record<HostAction, ZodOpenApiOperationObject>> = {
  retry: acts(
    'retryHost',
    'Forget parking, backoff and failures, and try the host now; its delay still holds',
  ),
  pause: acts(
    'pauseHost',
    'Send no request to the host until it is resumed; one in flight is finished first',
  ),
  resume: acts('resumeHost', 'End a pause; a parked host is tried again'),
  drop: acts('dropHost', 'Exclude what is queued at the host, for good, in all crawls'),
};

export const hostActionPaths: ZodOpenApiPathsObject = {
  ...Object.fromEntries(
    Object.entries(actions).map(([action, post]) => [`/v1/hosts/{origin}/${action}`, { post }]),
  ),
  '/v1/hosts/bulk': {
    post: {
      operationId: 'actOnHosts',
      summary: 'Retry, pause, resume or drop all hosts in a state, or whose origin matches, page by page',
      requestBody: { required: true, content: { 'application/json': { schema: hostBulk } } },
      responses: {
        '200': json(
          'Those it was done to; while `next` is not null, ask again with it as `cursor`.',
          hostsActed,
        ),
        '422': fails('The body is not valid, or names neither state nor pattern.'),
        '503': fails('Temporal does not answer; some of it may have been done.'),
      },
    },
  },
};
