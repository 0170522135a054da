import { statement } from '../statement.ts';
import type { TenantRow } from './list-tenants.ts';

/** Null leaves the name; quotas that are not named stay. None: no such tenant, or not of one of these revisions. */
export const changeTenant = statement<
  [id: string, name: string | null, quotas: string, revisions: readonly number[] | null],
  TenantRow
>(
  'change-tenant',
  `update tenant set name = coalesce($2, name), quotas = quotas || $3::jsonb, revision = revision + 1
    where id = $1 and ($4::bigint[] is null or revision = any ($4))
   returning id::text, name, quotas, revision, created_at, closed_at`,
);
