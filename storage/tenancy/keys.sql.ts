/** API keys. */
import type { KeyView, Role, Scope, QuotasAsked } from '../../contracts/tenancy.ts';
import { statement, view } from '../postgres/index.ts';

/** No row: the tenant does not exist or is closed, or there is a key with this hash already. */
export const insertKey = view<
  {
    tenantId: string;
    name: string;
    hash: Buffer;
    prefix: string;
    role: Role;
    scopes: readonly Scope[] | null;
    expiresAt: string | null;
  },
  KeyView
>('insert-key')`
   insert into api_key (tenant_id, name, hash, prefix, role, scopes, expires_at)
   select id, $name, $hash, $prefix, $role, $scopes::text[], $expiresAt::timestamptz from tenant where id = $tenantId and closed_at is null
   on conflict (hash) do nothing
   returning id::text, tenant_id::text, name, prefix, role, scopes, created_at, expires_at, revoked_at, last_used_at`;

/** Keys of a tenant, oldest first. `only`: this key alone; `after`: keys younger than this one; null: any. */
export const listKeys = view<
  [tenantId: string, only: string | null, after: string | null, limit: number],
  KeyView
>('list-keys')`
   select id::text, tenant_id::text, name, prefix, role, scopes, created_at, expires_at, revoked_at, last_used_at
     from api_key
    where tenant_id = $1 and ($2::uuid is null or id = $2)
      and ($3::uuid is null
           or (created_at, id) > (select b.created_at, b.id from api_key b where b.id = $3 and b.tenant_id = $1))
    order by created_at, api_key.id limit $4`;

export interface ValidKeyRow {
  readonly id: string;
  readonly tenant_id: number;
  readonly role: Role;
  readonly scopes: readonly Scope[] | null;
  readonly quotas: QuotasAsked;
  /** Milliseconds until the key expires; null: it never expires. */
  readonly expires_in_ms: number | null;
  /** The last use of the key was noted more than a minute ago, or never. */
  readonly unnoted: boolean;
}

/** The key with this hash; no row: no such key is accepted now. */
export const findKey = statement<[hash: Buffer], ValidKeyRow>('find-key')`
   select k.id::text, k.tenant_id, k.role, k.scopes, t.quotas,
          (extract(epoch from k.expires_at - now()) * 1000)::float8 as expires_in_ms,
          coalesce(k.last_used_at < now() - interval '1 minute', true) as unnoted
     from api_key k join tenant t on t.id = k.tenant_id
    where k.hash = $1 and k.revoked_at is null and t.closed_at is null
      and (k.expires_at is null or k.expires_at > now())`;

/** Revokes a key; a key that is revoked already keeps its time. `tenantId` null: a key of any tenant. */
export const revokeKey = view<[id: string, tenantId: string | null], KeyView>('revoke-key')`
   update api_key set revoked_at = coalesce(revoked_at, now())
    where id = $1::uuid and ($2::bigint is null or tenant_id = $2)
   returning id::text, tenant_id::text, name, prefix, role, scopes, created_at, expires_at, revoked_at, last_used_at`;

/**
 * Whether the key with this hash is accepted as an admin's key of the instance; no row: there is no key with this hash.
 */
export const judgeAdminKey = statement<[hash: Buffer, tenantId: number], { good: boolean }>(
  'judge-admin-key',
)`
   select k.revoked_at is null and coalesce(k.expires_at > now(), true)
          and k.role = 'admin' and k.scopes is null and k.tenant_id = $2 as good
     from api_key k where k.hash = $1`;

/** Notes the use of a key once a minute at most, in whichever process the key was used. */
export const noteKeyUse = statement<[id: string]>('note-key-use')`
   update api_key set last_used_at = date_trunc('minute', now())
    where id = $1::uuid and coalesce(last_used_at < now() - interval '1 minute', true)`;
