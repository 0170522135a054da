/** Keys and tenants in the OpenAPI document. */
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import * as tenancy from '../../contracts/tenancy.ts';
import { fails, ifMatch, ifNoneMatch, json, made, notModified, stale, tagged } from './parts.ts';

const badQuery = fails('The query is not valid.');
const badBody = fails('The body is not valid.');
const noTenant = fails('There is no such tenant.');
const noKey = fails('The tenant has no such key.');

export const tenancyPaths: ZodOpenApiPathsObject = {
  '/v1/keys': {
    post: {
      operationId: 'createKey',
      summary: 'Make an API key; it is shown this once',
      requestBody: { required: true, content: { 'application/json': { schema: tenancy.newKey } } },
      responses: {
        '201': made('The key, with its secret.', tenancy.createdKey),
        '404': noTenant,
        '422': badBody,
      },
    },
    get: {
      operationId: 'listKeys',
      summary: 'Keys of the tenant, oldest first, revoked ones too; never their secrets',
      requestParams: { query: tenancy.keyQuery },
      responses: { '200': json('Keys.', tenancy.keyList), '400': badQuery, '404': noTenant },
    },
  },
  '/v1/keys/{keyId}': {
    get: {
      operationId: 'getKey',
      summary: 'A key, without its secret',
      requestParams: { path: tenancy.keyPath },
      responses: { '200': json('The key.', tenancy.keyView), '404': noKey },
    },
    delete: {
      operationId: 'revokeKey',
      summary: 'Revoke a key; within five seconds no process accepts it any more',
      requestParams: { path: tenancy.keyPath },
      responses: { '200': json('It is revoked.', tenancy.keyView), '404': noKey },
    },
  },
  '/v1/tenant': {
    get: {
      operationId: 'ownTenant',
      summary: 'The own tenant, its quotas and what is used of them',
      requestParams: { header: ifNoneMatch },
      responses: {
        '200': tagged('The tenant.', tenancy.tenantDetail),
        '304': notModified,
        '404': noTenant,
      },
    },
  },
  '/v1/tenants': {
    post: {
      operationId: 'createTenant',
      summary: 'Make a tenant',
      requestBody: { required: true, content: { 'application/json': { schema: tenancy.newTenant } } },
      responses: {
        '201': made('The tenant.', tenancy.tenantView),
        '409': fails('There is one of this name.'),
        '422': badBody,
      },
    },
    get: {
      operationId: 'listTenants',
      summary: 'All tenants, by id',
      requestParams: { query: tenancy.tenantQuery },
      responses: { '200': json('Tenants.', tenancy.tenantList), '400': badQuery },
    },
  },
  '/v1/tenants/{tenantId}': {
    get: {
      operationId: 'getTenant',
      summary: 'A tenant, its quotas and what is used of them',
      requestParams: { path: tenancy.tenantPath, header: ifNoneMatch },
      responses: {
        '200': tagged('The tenant.', tenancy.tenantDetail),
        '304': notModified,
        '404': noTenant,
      },
    },
    patch: {
      operationId: 'changeTenant',
      summary: 'Change its name or quotas; quotas that are not named stay',
      requestParams: { path: tenancy.tenantPath, header: ifMatch },
      requestBody: { required: true, content: { 'application/json': { schema: tenancy.tenantChange } } },
      responses: {
        '200': tagged('The tenant as it is now.', tenancy.tenantView),
        '400': fails('The body is not valid JSON, or If-Match holds no ETags.'),
        '404': noTenant,
        '409': fails('There is one of this name.'),
        '412': stale,
        '422': badBody,
      },
    },
    delete: {
      operationId: 'closeTenant',
      summary: 'Close a tenant: its keys and tokens are refused, what it crawled stays',
      requestParams: { path: tenancy.tenantPath },
      responses: {
        '200': json('It is closed.', tenancy.tenantView),
        '404': noTenant,
        '409': fails('It has open crawls, or it is the first tenant.'),
      },
    },
  },
};
