import { statement } from '../statement.ts';
import type { TenantRow } from './list-tenants.ts';

/** Also one that is closed already, which keeps its time. None: it has open crawls, or there is no such tenant. */
export const closeTenant = statement<[id: string], TenantRow>(
  'close-tenant',
  `update tenant t set closed_at = coalesce(t.closed_at, now()), revision = revision + (t.closed_at is null)::int
    where t.id = $1 and not exists (
      select from crawl c where c.tenant_id = t.id and c.state not in ('finished', 'cancelled', 'failed'))
   returning id::text, name, quotas, revision, created_at, closed_at`,
);
