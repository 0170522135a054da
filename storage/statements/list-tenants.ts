import type { QuotasAsked } from '../../contracts/tenancy.ts';
import { statement } from '../statement.ts';

export interface TenantRow {
  readonly id: string;
  readonly name: string;
  readonly quotas: QuotasAsked;
  /** Changes made to it. */
  readonly revision: number;
  readonly created_at: Date;
  readonly closed_at: Date | null;
}

/** By id. `only`: just this one; `after`: those of higher ids; null: any. */
export const listTenants = statement<[only: string | null, after: string | null, limit: number], TenantRow>(
  'list-tenants',
  `select id::text, name, quotas, revision, created_at, closed_at from tenant
    where ($1::bigint is null or id = $1) and ($2::bigint is null or id > $2)
    order by id limit $3`,
);
