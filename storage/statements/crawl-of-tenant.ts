import { statement } from '../statement.ts';

/** One row where the crawl is the tenant's, and is not being deleted. */
export const crawlOfTenant = statement<[crawlId: string, tenantId: number], Record<string, never>>(
  'crawl-of-tenant',
  `select from crawl where id = $1 and tenant_id = $2 and removed_at is null`,
);

/** One row where the crawl is the tenant's, also while it is being deleted. */
export const anyCrawlOfTenant = statement<[crawlId: string, tenantId: number], Record<string, never>>(
  'any-crawl-of-tenant',
  `select from crawl where id = $1 and tenant_id = $2`,
);
