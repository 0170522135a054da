/** Edits of a crawl in the OpenAPI document. */
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { crawlPath } from '../../contracts/http/shared.ts';
import {
  configRestore,
  configVersion,
  crawlEdit,
  editPreview,
  editQuery,
  versionList,
  versionPath,
  versionsQuery,
} from '../../contracts/http/edits.ts';
import { fails, ifMatch, json, stale, tagged } from './parts.ts';

const edited = tagged(
  'The new version, or the present one where nothing changes; with dryRun what it would do.',
  z.union([configVersion, editPreview]),
);
const busy = fails('Too many previews are asked for at the moment; Retry-After says when to ask again.');
const over = fails('The crawl has ended, or is about to.');

/** Beside GET of the same path. */
export const patchCrawlOperation: ZodOpenApiOperationObject = {
  operationId: 'editCrawl',
  summary: 'Change the settings of a crawl while it runs, or see what that would do',
  requestParams: { path: crawlPath, query: editQuery, header: ifMatch },
  requestBody: { required: true, content: { 'application/json': { schema: crawlEdit } } },
  responses: {
    '200': edited,
    '400': fails('The request is not valid.'),
    '404': fails('There is no such crawl.'),
    '409': over,
    '412': stale,
    '415': fails('The body is not JSON.'),
    '422': fails('The body is not valid, or changes nothing that may be changed.'),
    '429': fails('A quota of the tenant is spent, and the crawl had ended.'),
    '503': busy,
  },
};

export const editPaths: ZodOpenApiPathsObject = {
  '/v1/crawls/{crawlId}/versions': {
    get: {
      operationId: 'listConfigVersions',
      summary: "Versions of a crawl's settings, newest first",
      requestParams: { path: crawlPath, query: versionsQuery },
      responses: {
        '200': json('The versions.', versionList),
        '400': fails('The query is not valid.'),
        '404': fails('There is no such crawl.'),
      },
    },
  },
  '/v1/crawls/{crawlId}/versions/{version}': {
    get: {
      operationId: 'getConfigVersion',
      summary: 'A version, and how far it has been applied',
      requestParams: { path: versionPath },
      responses: {
        '200': json('The version.', configVersion),
        '404': fails('There is no such crawl, or no such version of its settings.'),
      },
    },
  },
  '/v1/crawls/{crawlId}/versions/{version}/restore': {
    post: {
      operationId: 'restoreConfigVersion',
      summary: 'Make the settings what they were, as a new version; or see what that would do',
      requestParams: { path: versionPath, query: editQuery, header: ifMatch },
      requestBody: { content: { 'application/json': { schema: configRestore } } },
      responses: {
        '200': edited,
        '400': fails('The request is not valid.'),
        '404': fails('There is no such crawl, or no such version of its settings.'),
        '409': over,
        '412': stale,
        '415': fails('The body is not JSON.'),
        '422': fails('The body is not valid.'),
        '429': fails('A quota of the tenant is spent, and the crawl had ended.'),
        '503': busy,
      },
    },
  },
};
