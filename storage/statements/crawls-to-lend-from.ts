import { statement } from '../statement.ts';

/** Running crawls of a tenant: all, or the one that is asked for. */
export const crawlsToLendFrom = statement<[tenantId: number, crawlId: string | null], { id: number }>(
  'crawls-to-lend-from',
  `select id from crawl where tenant_id = $1 and state = 'running' and ($2::bigint is null or id = $2)`,
);
