/** API keys as a resource of a tenant: made, shown without their secret, revoked. */
import {
  createdKey,
  defaultKeyLimit,
  defaultTenant,
  keyList,
  keyPath,
  keyQuery,
  keyView,
  newKey,
  type NewKey,
} from '../../contracts/tenancy.ts';
import { createKey, keysAfter, revoke, viewKey } from '../../storage/tenancy/index.ts';
import { admin } from '../way-in/access.ts';
import type { Caller } from '../way-in/caller.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { fails, json, made } from './answers.ts';
import { route } from './route.ts';
import { noSuchTenant, unknownTenant } from './tenants.ts';

/** A text that cannot be an id names no key. */
const ofOneKey = { params: keyPath, unknown: ({ keyId }: { readonly keyId?: string }) => noSuchKey(keyId) };
const unknownKey = fails('The tenant has no such key.');

export const keyRoutes = [
  route({
    method: 'POST',
    path: '/v1/keys',
    access: admin('keys'),
    id: 'createKey',
    summary: 'Create an API key; the key is shown only in this answer',
    body: newKey,
    answers: { 201: made('The new key, with its secret.', createdKey), 404: unknownTenant },
    handler:
      ({ pool, log }) =>
      async ({ body: wanted, caller, response }) => {
        checkWanted(caller, wanted);
        const tenantId = tenantOf(caller, wanted.tenantId);
        const { name, role, scopes = null, expiresAt = null } = wanted;
        const created =
          (await createKey(pool, tenantId, { name, role, scopes, expiresAt })) ?? noSuchTenant(tenantId);
        log.info({ by: caller.id, keyId: created.id, tenantId, role }, 'a key was created');
        response.location(`/v1/keys/${created.id}`).set('Cache-Control', 'no-store');
        return created;
      },
  }),
  route({
    method: 'GET',
    path: '/v1/keys',
    access: admin('keys'),
    id: 'listKeys',
    summary: 'Keys of the tenant, oldest first, revoked ones included, without their secrets',
    query: keyQuery,
    answers: { 200: json('Keys.', keyList), 404: unknownTenant },
    handler:
      ({ pool }) =>
      async ({ query: { tenantId, cursor = null, limit = defaultKeyLimit }, caller }) => {
        const items = await keysAfter(pool, tenantOf(caller, tenantId), cursor, limit);
        return { items, next: items.length < limit ? null : (items.at(-1)?.id ?? null) };
      },
  }),
  route({
    method: 'GET',
    path: '/v1/keys/{keyId}',
    access: admin('keys'),
    id: 'getKey',
    summary: 'A key, without its secret',
    ...ofOneKey,
    answers: { 200: json('The key.', keyView), 404: unknownKey },
    handler:
      ({ pool }) =>
      async ({ params: { keyId }, caller }) =>
        (await viewKey(pool, String(caller.tenantId), keyId)) ?? noSuchKey(keyId),
  }),
  route({
    method: 'DELETE',
    path: '/v1/keys/{keyId}',
    access: admin('keys'),
    id: 'revokeKey',
    summary: 'Revoke a key; every process refuses it within five seconds',
    ...ofOneKey,
    answers: { 200: json('The key is revoked.', keyView), 404: unknownKey },
    handler:
      ({ pool, log, keyring }) =>
      async ({ params: { keyId }, caller }) => {
        const anybodys = caller.tenantId === defaultTenant;
        const revoked =
          (await revoke(pool, keyId, anybodys ? null : String(caller.tenantId))) ?? noSuchKey(keyId);
        keyring.forget();
        log.info({ by: caller.id, keyId }, 'a key was revoked');
        return revoked;
      },
  }),
];

/** A caller may give a key no more than it has itself, and no end in the past. */
function checkWanted(caller: Caller, { scopes, expiresAt }: NewKey): void {
  const { scopes: own, keyEndsAt } = caller;
  if (keyEndsAt !== null && (expiresAt === undefined || Date.parse(expiresAt) > keyEndsAt))
    throw new HttpProblem(
      403,
      `expiresAt: your own key ends at ${new Date(keyEndsAt).toISOString()}, and cannot create a key that lasts longer.`,
      { kind: 'forbidden' },
    );
  if (own !== null && !(scopes ?? []).every((scope) => own.includes(scope)))
    throw new HttpProblem(403, `Your own key is for ${own.join(', ')} only.`, {
      kind: 'forbidden',
    });
  if (own !== null && scopes === undefined)
    throw new HttpProblem(
      403,
      'Your own key has scopes, so the new key must have scopes too: give `scopes`.',
      {
        kind: 'forbidden',
      },
    );
  if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now())
    throw new HttpProblem(422, 'expiresAt: this time is over already', {
      errors: [{ path: 'expiresAt', message: 'this time is over already' }],
    });
}

/**
 * Keys of other tenants are for admins of the instance only; other callers do not learn whether such a tenant exists.
 */
function tenantOf(caller: Caller, asked: string | undefined): string {
  const own = String(caller.tenantId);
  if (asked === undefined || asked === own) return own;
  return caller.tenantId === defaultTenant ? asked : noSuchTenant(asked);
}

function noSuchKey(id = ''): never {
  throw new HttpProblem(404, `There is no key ${id}.`);
}
