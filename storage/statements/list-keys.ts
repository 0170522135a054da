import type { Role, Scope } from '../../contracts/tenancy.ts';
import { statement } from '../statement.ts';

export interface KeyRow {
  readonly id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly prefix: string;
  readonly role: Role;
  readonly scopes: readonly Scope[] | null;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
}

/** Keys of a tenant, oldest first. `only`: just this one; `after`: younger than this one; null: any. */
export const listKeys = statement<
  [tenantId: string, only: string | null, after: string | null, limit: number],
  KeyRow
>(
  'list-keys',
  `select id::text, tenant_id::text, name, prefix, role, scopes, created_at, expires_at, revoked_at, last_used_at
     from api_key
    where tenant_id = $1 and ($2::uuid is null or id = $2)
      and ($3::uuid is null
           or (created_at, id) > (select b.created_at, b.id from api_key b where b.id = $3 and b.tenant_id = $1))
    order by created_at, id limit $4`,
);
