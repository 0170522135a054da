import type { Role, Scope } from '../../contracts/tenancy.ts';
import { statement } from '../statement.ts';
import type { KeyRow } from './list-keys.ts';

/** None: the tenant is not there or closed, or there is a key with this hash already. */
export const insertKey = statement<
  [
    tenantId: string,
    name: string,
    hash: Buffer,
    prefix: string,
    role: Role,
    scopes: readonly Scope[] | null,
    expiresAt: string | null,
  ],
  KeyRow
>(
  'insert-key',
  `insert into api_key (tenant_id, name, hash, prefix, role, scopes, expires_at)
   select id, $2, $3, $4, $5, $6::text[], $7::timestamptz from tenant where id = $1 and closed_at is null
   on conflict (hash) do nothing
   returning id::text, tenant_id::text, name, prefix, role, scopes, created_at, expires_at, revoked_at, last_used_at`,
);
