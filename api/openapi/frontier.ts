/** The frontier for other fetchers in the OpenAPI document. */
import type { ZodOpenApiPathsObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import * as frontier from '../../contracts/http/frontier.ts';
import { fails, json } from './parts.ts';

const noShard: ZodOpenApiResponsesObject = {
  '400': fails('The shard is no number from 0 to 63, or the body is not valid JSON.'),
};
const badBody: ZodOpenApiResponsesObject = { '422': fails('The body is not valid; nothing was done.') };

export const frontierPaths: ZodOpenApiPathsObject = {
  '/frontier/{shard}/lease_batch': {
    post: {
      operationId: 'leaseBatch',
      summary: 'URLs for a fetcher of your own, one of a host at most, under the leases of their hosts',
      requestParams: { path: frontier.shardPath },
      requestBody: { required: true, content: { 'application/json': { schema: frontier.leaseBatch } } },
      responses: {
        '200': json('What may be fetched now; possibly nothing.', frontier.leasedBatch),
        '404': fails('There is no such crawl.'),
        ...noShard,
        ...badBody,
      },
    },
  },
  '/frontier/{shard}/ack': {
    post: {
      operationId: 'ackBatch',
      summary: 'What came of URLs of a batch, some or all; a repeated report changes nothing',
      requestParams: { path: frontier.shardPath },
      requestBody: { required: true, content: { 'application/json': { schema: frontier.ackBatch } } },
      responses: {
        '200': json('What became of each report, in their order.', frontier.ackedBatch),
        '404': fails('There is no such batch of yours.'),
        ...noShard,
        ...badBody,
      },
    },
  },
  '/dedup/check_and_add': {
    post: {
      operationId: 'checkAndAdd',
      summary: 'Links that were found; those that are new and belong to the crawl are queued',
      requestBody: { required: true, content: { 'application/json': { schema: frontier.checkAndAdd } } },
      responses: {
        '200': json('Which of them were new.', frontier.checkedAndAdded),
        '400': fails('The body is not valid JSON.'),
        '404': fails('There is no such crawl.'),
        '409': fails('The crawl is closed.'),
        ...badBody,
      },
    },
  },
};
