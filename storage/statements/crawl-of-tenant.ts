import { statement } from '../statement.ts';

/** One row where the crawl is the tenant's. */
export const crawlOfTenant = statement<[crawlId: string, tenantId: number], Record<string, never>>(
  'crawl-of-tenant',
  `select from crawl where id = $1 and tenant_id = $2`,
);
