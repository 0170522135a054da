import { statement } from '../statement.ts';

/** The crawl that a tenant knows as this job; no row: there is none. */
export const crawlOfJob = statement<[jobId: string, tenantId: number], { id: string }>(
  'crawl-of-job',
  `select id::text from crawl where job_id = $1 and tenant_id = $2`,
);
