import { statement } from '../statement.ts';
import type { TenantRow } from './list-tenants.ts';

/** Null leaves the name; quotas that are not named stay. */
export const changeTenant = statement<[id: string, name: string | null, quotas: string], TenantRow>(
  'change-tenant',
  `update tenant set name = coalesce($2, name), quotas = quotas || $3::jsonb where id = $1
   returning id::text, name, quotas, created_at, closed_at`,
);
