/** Tenants as a resource of the instance, and to each its own (F36). */
import { Router } from 'express';
import {
  defaultTenant,
  defaultTenantLimit,
  newTenant,
  tenantChange,
  tenantPath,
  tenantQuery,
} from '../../contracts/tenancy.ts';
import { createTenant, editTenant, shutTenant, tenantsAfter, viewTenant } from '../../storage/tenants.ts';
import { noteForAudit } from '../way-in/audit-log.ts';
import { callerOf } from '../way-in/caller.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Keyring } from '../way-in/keyring.ts';
import { noSuchTenant } from './keys.ts';
import { ifMatchOf, refuseStale, sendTagged } from './preconditions.ts';
import { HttpProblem, methodNotAllowed, parseInput } from '../way-in/problem.ts';

export function tenantRoutes({ pool, log }: Dependencies, keyring: Keyring): Router {
  const router = Router();
  router
    .route('/tenant')
    .get(async (request, response) => {
      const id = String(callerOf(request).tenantId);
      const { version, body } = (await viewTenant(pool, id)) ?? noSuchTenant(id);
      sendTagged(response, version, body);
    })
    .all(methodNotAllowed('GET'));
  router
    .route('/tenants')
    .post(async (request, response) => {
      const { name, quotas = {} } = parseInput(newTenant, request.body, 422);
      const tenant = (await createTenant(pool, name, quotas)) ?? nameTaken(name);
      log.info({ by: callerOf(request).id, tenantId: tenant.id }, 'a tenant was made');
      response.status(201).location(`/v1/tenants/${tenant.id}`).json(tenant);
    })
    .get(async (request, response) => {
      const { cursor = null, limit = defaultTenantLimit } = parseInput(tenantQuery, request.query, 400);
      const items = await tenantsAfter(pool, cursor, limit);
      response.json({ items, next: items.length < limit ? null : (items.at(-1)?.id ?? null) });
    })
    .all(methodNotAllowed('GET', 'POST'));
  router
    .route('/tenants/:tenantId')
    .get(async (request, response) => {
      const id = tenantIdOf(request.params.tenantId);
      const { version, body } = (await viewTenant(pool, id)) ?? noSuchTenant(id);
      sendTagged(response, version, body);
    })
    .patch(async (request, response) => {
      const id = tenantIdOf(request.params.tenantId);
      const { name = null, quotas = {} } = parseInput(tenantChange, request.body, 422);
      const ifMatch = ifMatchOf(request);
      const tenant = await editTenant(pool, id, name, quotas, ifMatch?.versions);
      if (tenant === null) return refuseStale(response, (await viewTenant(pool, id)) ?? noSuchTenant(id));
      if (tenant === 'name-taken') return nameTaken(name ?? '');
      keyring.forget();
      log.info({ by: callerOf(request).id, tenantId: id, name, quotas }, 'a tenant was changed');
      const changed = [...(name === null ? [] : ['name']), ...Object.keys(quotas)].join(', ');
      noteForAudit(response, `revision ${String(tenant.version)}: ${changed}`);
      sendTagged(response, tenant.version, tenant.body);
    })
    .delete(async (request, response) => {
      const id = tenantIdOf(request.params.tenantId);
      if (id === String(defaultTenant))
        throw new HttpProblem(409, 'The first tenant runs the instance: it cannot be closed.');
      const closed = await shutTenant(pool, id);
      if (closed === null) {
        if ((await viewTenant(pool, id)) === null) noSuchTenant(id);
        throw new HttpProblem(409, `Tenant ${id} has open crawls: cancel them first.`);
      }
      keyring.forget();
      log.info({ by: callerOf(request).id, tenantId: id }, 'a tenant was closed');
      response.json(closed);
    })
    .all(methodNotAllowed('GET', 'PATCH', 'DELETE'));
  return router;
}

/** An id that cannot be one names no tenant. */
function tenantIdOf(id: string): string {
  return tenantPath.safeParse({ tenantId: id }).success ? id : noSuchTenant(id);
}

function nameTaken(name: string): never {
  throw new HttpProblem(409, `There is a tenant ${JSON.stringify(name)} already.`);
}
