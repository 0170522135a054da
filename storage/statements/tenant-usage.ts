import { statement } from '../statement.ts';

export interface TenantUsageRow {
  readonly open: number;
  readonly created_today: number;
  readonly urls: number;
  readonly bytes: number;
  /** Where `urls` stood when it was first looked at today; null: it was not yet. */
  readonly urls_before: number | null;
  /** Seconds until the day ends (UTC). */
  readonly day_left: number;
}

/** What counts against a tenant's quotas. One whose workflow never started does not. */
export const tenantUsage = statement<[id: number], TenantUsageRow>(
  'tenant-usage',
  `with mine as materialized (
     select id, state, cause, created_at from crawl where tenant_id = $1
   )
   select (select count(*) from mine where state not in ('finished', 'cancelled', 'failed')) as open,
          (select count(*) from mine
            where created_at >= date_trunc('day', now(), 'UTC') and cause is distinct from 'not-started') as created_today,
          coalesce(sum(l.discovered), 0)::bigint as urls, coalesce(sum(l.bytes), 0)::bigint as bytes,
          (select urls_before from tenant_day
            where tenant_id = $1 and day = (now() at time zone 'UTC')::date) as urls_before,
          ceil(extract(epoch from date_trunc('day', now(), 'UTC') + interval '1 day' - now()))::int as day_left
     from mine left join ledger l on l.crawl_id = mine.id`,
);
