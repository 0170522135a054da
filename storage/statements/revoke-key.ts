import { statement } from '../statement.ts';
import type { KeyRow } from './list-keys.ts';

/** Also one that is revoked already, which keeps its time. `tenantId` null: of whatever tenant. */
export const revokeKey = statement<[id: string, tenantId: string | null], KeyRow>(
  'revoke-key',
  `update api_key set revoked_at = coalesce(revoked_at, now())
    where id = $1::uuid and ($2::bigint is null or tenant_id = $2)
   returning id::text, tenant_id::text, name, prefix, role, scopes, created_at, expires_at, revoked_at, last_used_at`,
);
