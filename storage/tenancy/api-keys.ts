/**
 * API keys (F36). A key is `owk_` and 43 characters that hold 256 random bits. Postgres keeps only its SHA-256, and
 * finds keys by it: an attacker who measures how long that takes learns about hashes, not about keys.
 */
import { hash, randomBytes } from 'node:crypto';
import {
  defaultTenant,
  keyStart,
  type CreatedKey,
  type KeyView,
  type QuotasAsked,
  type Role,
  type Scope,
} from '../../contracts/tenancy.ts';
import { inTransaction, type Pool, type Queryable } from '../postgres/index.ts';
import { findKey, insertKey, judgeAdminKey, listKeys, noteKeyUse, revokeKey } from './keys.sql.ts';
import { lockTenant } from './tenants.sql.ts';

/** Characters of a key that people see to tell keys apart; the rest has more than 200 random bits. */
const prefixLength = keyStart.length + 6;

export const makeSecret = (): string => keyStart + randomBytes(32).toString('base64url');

const hashOf = (key: string): Buffer => hash('sha256', key, 'buffer');

export interface WantedKey {
  readonly name: string;
  readonly role: Role;
  readonly scopes: readonly Scope[] | null;
  /** ISO 8601; null: never. */
  readonly expiresAt: string | null;
}

export interface ValidKey {
  readonly id: string;
  readonly tenantId: number;
  readonly role: Role;
  readonly scopes: readonly Scope[] | null;
  readonly quotas: QuotasAsked;
  /** Milliseconds for which the key is still accepted; null: until it is revoked. */
  readonly forMs: number | null;
}

/** Null: the key is not accepted now, for whatever reason. Notes the use, to the minute. */
export async function useKey(db: Queryable, key: string): Promise<ValidKey | null> {
  const [row] = await findKey(db, hashOf(key));
  if (row === undefined) return null;
  // A key is accepted even if the note of its use fails.
  if (row.unnoted) await noteKeyUse(db, row.id).catch(() => undefined);
  const { id, tenant_id: tenantId, role, scopes, quotas, expires_in_ms: forMs } = row;
  return { id, tenantId, role, scopes, quotas, forMs };
}

/** Null: there is no such tenant, or it is closed. */
export async function createKey(
  db: Queryable,
  tenantId: string,
  wanted: WantedKey,
): Promise<CreatedKey | null> {
  const key = makeSecret();
  const row = await store(db, tenantId, key, wanted);
  return row === undefined ? null : { ...row, key };
}

async function store(
  db: Queryable,
  tenantId: string,
  key: string,
  { name, role, scopes, expiresAt }: WantedKey,
): Promise<KeyView | undefined> {
  const prefix = key.slice(0, prefixLength);
  const [row] = await insertKey(db, { tenantId, name, hash: hashOf(key), prefix, role, scopes, expiresAt });
  return row;
}

/** Oldest first. `after`: younger than the key with this id. */
export async function keysAfter(
  db: Queryable,
  tenantId: string,
  after: string | null,
  limit: number,
): Promise<readonly KeyView[]> {
  return listKeys(db, tenantId, null, after, limit);
}

/** Null: the tenant has no such key. */
export async function viewKey(db: Queryable, tenantId: string, id: string): Promise<KeyView | null> {
  const [row] = await listKeys(db, tenantId, id, null, 1);
  return row ?? null;
}

/** @param tenantId to whom the key must belong; null: to any tenant. Answers null if there is no such key. */
export async function revoke(db: Queryable, id: string, tenantId: string | null): Promise<KeyView | null> {
  const [row] = await revokeKey(db, id, tenantId);
  return row ?? null;
}

const adminOfInstance = (name: string): WantedKey => ({ name, role: 'admin', scopes: null, expiresAt: null });

/**
 * Makes a given key an admin's key of the instance, if nobody knows the key yet. False: the key is known and is not (or
 * no longer) such a key; it stays as it is.
 */
export async function adoptAdminKey(db: Queryable, key: string, name: string): Promise<boolean> {
  await store(db, String(defaultTenant), key, adminOfInstance(name));
  const [judged] = await judgeAdminKey(db, hashOf(key), defaultTenant);
  return judged?.good === true;
}

/**
 * Makes an admin key of the instance if its tenant has no key yet. Null: the tenant has a key. However many callers ask
 * at the same time, one key is made.
 */
export async function makeFirstKey(pool: Pool, name: string): Promise<string | null> {
  return inTransaction(pool, async (db) => {
    await lockTenant(db, defaultTenant);
    const some = await listKeys(db, String(defaultTenant), null, null, 1);
    if (some.length > 0) return null;
    return (await createKey(db, String(defaultTenant), adminOfInstance(name)))?.key ?? null;
  });
}
