import { statement } from '../statement.ts';
import type { TenantRow } from './list-tenants.ts';

/** None: the name is taken. */
export const insertTenant = statement<[name: string, quotas: string], TenantRow>(
  'insert-tenant',
  `insert into tenant (name, quotas) values ($1, $2) on conflict (name) do nothing
   returning id::text, name, quotas, revision, created_at, closed_at`,
);
