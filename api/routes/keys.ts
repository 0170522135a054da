/** API keys as a resource of a tenant (F36): made, shown without their secret, revoked. */
import { Router } from 'express';
import {
  defaultKeyLimit,
  defaultTenant,
  keyPath,
  keyQuery,
  newKey,
  type CreatedKey,
  type NewKey,
} from '../../contracts/tenancy.ts';
import { createKey, keysAfter, revoke, viewKey } from '../../storage/api-keys.ts';
import { callerOf, type Caller } from '../way-in/caller.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Keyring } from '../way-in/keyring.ts';
import { HttpProblem, methodNotAllowed, parseInput } from '../way-in/problem.ts';

export function keyRoutes({ pool, log }: Dependencies, keyring: Keyring): Router {
  const router = Router();
  router
    .route('/keys')
    .post(async (request, response) => {
      const caller = callerOf(request);
      const wish = parseInput(newKey, request.body, 422);
      checkWish(caller, wish);
      const tenantId = tenantOf(caller, wish.tenantId);
      const { name, role, scopes = null, expiresAt = null } = wish;
      const created: CreatedKey =
        (await createKey(pool, tenantId, { name, role, scopes, expiresAt })) ?? noSuchTenant(tenantId);
      log.info({ by: caller.id, keyId: created.id, tenantId, role }, 'a key was made');
      response.status(201).location(`/v1/keys/${created.id}`).set('Cache-Control', 'no-store').json(created);
    })
    .get(async (request, response) => {
      const { tenantId, cursor = null, limit = defaultKeyLimit } = parseInput(keyQuery, request.query, 400);
      const items = await keysAfter(pool, tenantOf(callerOf(request), tenantId), cursor, limit);
      response.json({ items, next: items.length < limit ? null : (items.at(-1)?.id ?? null) });
    })
    .all(methodNotAllowed('GET', 'POST'));
  router
    .route('/keys/:keyId')
    .get(async (request, response) => {
      const id = keyIdOf(request.params.keyId);
      response.json((await viewKey(pool, String(callerOf(request).tenantId), id)) ?? noSuchKey(id));
    })
    .delete(async (request, response) => {
      const caller = callerOf(request);
      const id = keyIdOf(request.params.keyId);
      const anybodys = caller.tenantId === defaultTenant;
      const revoked = (await revoke(pool, id, anybodys ? null : String(caller.tenantId))) ?? noSuchKey(id);
      keyring.forget();
      log.info({ by: caller.id, keyId: id }, 'a key was revoked');
      response.json(revoked);
    })
    .all(methodNotAllowed('GET', 'DELETE'));
  return router;
}

/** Nobody hands out more than they have, nor what is over before it began. */
function checkWish(caller: Caller, { scopes, expiresAt }: NewKey): void {
  const { scopes: own, keyEndsAt } = caller;
  if (keyEndsAt !== null && (expiresAt === undefined || Date.parse(expiresAt) > keyEndsAt))
    throw new HttpProblem(
      403,
      `expiresAt: your own key ends at ${new Date(keyEndsAt).toISOString()}, and makes none that lasts longer.`,
      { kind: 'forbidden' },
    );
  if (own !== null && !(scopes ?? []).every((scope) => own.includes(scope)))
    throw new HttpProblem(403, `Your own key is for ${own.join(', ')} only.`, {
      kind: 'forbidden',
    });
  if (own !== null && scopes === undefined)
    throw new HttpProblem(403, 'Your own key has scopes: name those of the new one.', {
      kind: 'forbidden',
    });
  if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now())
    throw new HttpProblem(422, 'expiresAt: is over already', {
      errors: [{ path: 'expiresAt', message: 'is over already' }],
    });
}

/** Other tenants' keys are the business of the instance's admins; the others do not learn whether there is such a tenant. */
function tenantOf(caller: Caller, asked: string | undefined): string {
  const own = String(caller.tenantId);
  if (asked === undefined || asked === own) return own;
  return caller.tenantId === defaultTenant ? asked : noSuchTenant(asked);
}

/** An id that cannot be one names no key. */
function keyIdOf(id: string): string {
  return keyPath.safeParse({ keyId: id }).success ? id : noSuchKey(id);
}

function noSuchKey(id: string): never {
  throw new HttpProblem(404, `There is no key ${id}.`);
}

export function noSuchTenant(id: string): never {
  throw new HttpProblem(404, `There is no tenant ${id}, or it is closed.`);
}
