/** Tenants as a resource of the instance, and its own tenant for each caller. */
import {
  defaultTenant,
  defaultTenantLimit,
  newTenant,
  tenantChange,
  tenantDetail,
  tenantList,
  tenantPath,
  tenantQuery,
  tenantView,
} from '../../contracts/tenancy.ts';
import {
  createTenant,
  editTenant,
  shutTenant,
  tenantsAfter,
  viewTenant,
} from '../../storage/tenancy/index.ts';
import { instance, reader } from '../way-in/access.ts';
import { noteForAudit } from '../way-in/audit-log.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { fails, ifMatch, ifNoneMatch, json, made, tagged } from './answers.ts';
import { ifMatchOf, refuseStale } from './preconditions.ts';
import { route } from './route.ts';

const ofAdmins = { access: instance('admin', 'tenants') } as const;
/** A text that cannot be an id names no tenant. */
const ofOneTenant = {
  ...ofAdmins,
  path: '/v1/tenants/{tenantId}',
  params: tenantPath,
  unknown: ({ tenantId }: { readonly tenantId?: string }) => noSuchTenant(tenantId),
} as const;
export const unknownTenant = fails('There is no such tenant.');
const nameIsTaken = fails('Another tenant has this name.');

export const tenantRoutes = [
  route({
    method: 'GET',
    path: '/v1/tenant',
    access: reader('tenants'),
    id: 'ownTenant',
    summary: 'Your own tenant, its quotas and how much of each is used',
    header: ifNoneMatch,
    answers: { 200: tagged('The tenant.', tenantDetail), 404: unknownTenant },
    handler:
      ({ pool }) =>
      async ({ caller }) => {
        const id = String(caller.tenantId);
        return (await viewTenant(pool, id)) ?? noSuchTenant(id);
      },
  }),
  route({
    method: 'POST',
    path: '/v1/tenants',
    ...ofAdmins,
    id: 'createTenant',
    summary: 'Create a tenant',
    body: newTenant,
    answers: { 201: made('The tenant.', tenantView), 409: nameIsTaken },
    handler:
      ({ pool, log }) =>
      async ({ body: { name, quotas = {} }, caller, response }) => {
        const tenant = (await createTenant(pool, name, quotas)) ?? nameTaken(name);
        log.info({ by: caller.id, tenantId: tenant.id }, 'a tenant was created');
        response.location(`/v1/tenants/${tenant.id}`);
        return tenant;
      },
  }),
  route({
    method: 'GET',
    path: '/v1/tenants',
    ...ofAdmins,
    id: 'listTenants',
    summary: 'All tenants, by id',
    query: tenantQuery,
    answers: { 200: json('Tenants.', tenantList) },
    handler:
      ({ pool }) =>
      async ({ query: { cursor = null, limit = defaultTenantLimit } }) => {
        const items = await tenantsAfter(pool, cursor, limit);
        return { items, next: items.length < limit ? null : (items.at(-1)?.id ?? null) };
      },
  }),
  route({
    method: 'GET',
    ...ofOneTenant,
    id: 'getTenant',
    summary: 'A tenant, its quotas and how much of each is used',
    header: ifNoneMatch,
    answers: { 200: tagged('The tenant.', tenantDetail), 404: unknownTenant },
    handler:
      ({ pool }) =>
      async ({ params: { tenantId } }) =>
        (await viewTenant(pool, tenantId)) ?? noSuchTenant(tenantId),
  }),
  route({
    method: 'PATCH',
    ...ofOneTenant,
    id: 'changeTenant',
    summary: 'Change the name or quotas of a tenant; quotas that are not named stay',
    header: ifMatch,
    body: tenantChange,
    answers: {
      200: tagged('The tenant as it is now.', tenantView),
      400: fails('The body is not valid JSON, or If-Match is not well-formed.'),
      404: unknownTenant,
      409: nameIsTaken,
    },
    handler:
      ({ pool, log, keyring }) =>
      async ({ params: { tenantId: id }, body: { name = null, quotas = {} }, caller, request, response }) => {
        const ifMatches = ifMatchOf(request);
        const tenant = await editTenant(pool, id, name, quotas, ifMatches?.versions);
        if (tenant === null) return refuseStale(response, (await viewTenant(pool, id)) ?? noSuchTenant(id));
        if (tenant === 'name-taken') return nameTaken(name ?? '');
        keyring.forget();
        log.info({ by: caller.id, tenantId: id, quotas }, 'a tenant was changed');
        const changed = [...(name === null ? [] : ['name']), ...Object.keys(quotas)].join(', ');
        noteForAudit(response, `revision ${String(tenant.version)}: ${changed}`);
        return tenant;
      },
  }),
  route({
    method: 'DELETE',
    ...ofOneTenant,
    id: 'closeTenant',
    summary: 'Close a tenant: its keys and tokens are refused, its crawls and pages stay',
    answers: {
      200: json('The tenant is closed.', tenantView),
      404: unknownTenant,
      409: fails('The tenant has open crawls, or is the first tenant.'),
    },
    handler:
      ({ pool, log, keyring }) =>
      async ({ params: { tenantId: id }, caller }) => {
        if (id === String(defaultTenant))
          throw new HttpProblem(409, 'The first tenant runs the instance: it cannot be closed.');
        const closed = await shutTenant(pool, id);
        if (closed === null) {
          if ((await viewTenant(pool, id)) === null) noSuchTenant(id);
          throw new HttpProblem(409, `Tenant ${id} has open crawls: cancel them first.`);
        }
        keyring.forget();
        log.info({ by: caller.id, tenantId: id }, 'a tenant was closed');
        return closed;
      },
  }),
];

export function noSuchTenant(id = ''): never {
  throw new HttpProblem(404, `There is no tenant ${id}, or it is closed.`);
}

function nameTaken(name: string): never {
  throw new HttpProblem(409, `There is already a tenant ${JSON.stringify(name)}.`);
}
