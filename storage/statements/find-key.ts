import type { QuotasAsked, Role, Scope } from '../../contracts/tenancy.ts';
import { statement } from '../statement.ts';

export interface ValidKeyRow {
  readonly id: string;
  readonly tenant_id: number;
  readonly role: Role;
  readonly scopes: readonly Scope[] | null;
  readonly quotas: QuotasAsked;
  /** Milliseconds until it expires; null: never. */
  readonly expires_in_ms: number | null;
  /** Its last use was noted more than a minute ago, or never. */
  readonly unnoted: boolean;
}

/** The key with this hash, where it is accepted now. */
export const findKey = statement<[hash: Buffer], ValidKeyRow>(
  'find-key',
  `select k.id::text, k.tenant_id, k.role, k.scopes, t.quotas,
          (extract(epoch from k.expires_at - now()) * 1000)::float8 as expires_in_ms,
          coalesce(k.last_used_at < now() - interval '1 minute', true) as unnoted
     from api_key k join tenant t on t.id = k.tenant_id
    where k.hash = $1 and k.revoked_at is null and t.closed_at is null
      and (k.expires_at is null or k.expires_at > now())`,
);
