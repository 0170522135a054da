import type { QuotasAsked } from '../../contracts/tenancy.ts';
import { statement } from '../statement.ts';

/** Tenants whose crawls grow against a quota, or were paused for one. */
export const meteredTenants = statement<[], { id: number; quotas: QuotasAsked }>(
  'metered-tenants',
  `select t.id, t.quotas from tenant t
    where coalesce(t.quotas ->> 'urlsPerDay', t.quotas ->> 'urlsTotal', t.quotas ->> 'storedBytes') is not null
       or exists (select from crawl c where c.tenant_id = t.id and c.state = 'paused' and c.cause = 'quota')`,
);
