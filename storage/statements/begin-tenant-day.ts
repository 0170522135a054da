import { statement } from '../statement.ts';

/** Notes the tenant's count of URLs at the first look of a day, and forgets the days before. */
export const beginTenantDay = statement<[id: number, urls: number], Record<string, never>>(
  'begin-tenant-day',
  `with past as (
     delete from tenant_day where tenant_id = $1 and day < (now() at time zone 'UTC')::date
   )
   insert into tenant_day (tenant_id, day, urls_before) values ($1, (now() at time zone 'UTC')::date, $2)
   on conflict (tenant_id, day) do nothing`,
);
