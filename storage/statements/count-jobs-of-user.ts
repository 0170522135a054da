import { statement } from '../statement.ts';

/** Jobs of a user of the tenant that are not over. */
export const countJobsOfUser = statement<[tenantId: number, userId: string], { open: number }>(
  'count-jobs-of-user',
  `select count(*) as open from crawl
    where tenant_id = $1 and user_id = $2 and state not in ('finished', 'cancelled', 'failed')`,
);
