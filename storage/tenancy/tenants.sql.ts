/** Tenants, and what they have used of their quotas. */
import { statement, view } from '../postgres/index.ts';
import type { QuotasAsked, TenantView } from '../../contracts/tenancy.ts';

export interface TenantRow extends Omit<TenantView, 'quotas'> {
  readonly quotas: QuotasAsked;
  /** How many edits the tenant has seen. */
  readonly revision: number;
}

const columns = 'id::text, name, quotas, revision, created_at, closed_at';

/** No row: the name is taken. */
export const insertTenant = view<[name: string, quotas: string], TenantRow>('insert-tenant')`
   insert into tenant (name, quotas) values ($1, $2) on conflict (name) do nothing
   returning ${columns}`;

/** By id. `only`: this tenant alone; `after`: tenants with higher ids; null: any. */
export const listTenants = view<[only: string | null, after: string | null, limit: number], TenantRow>(
  'list-tenants',
)`
   select ${columns} from tenant
    where ($1::bigint is null or id = $1) and ($2::bigint is null or id > $2)
    order by tenant.id limit $3`;

/** The open tenant of this id (in digits) or name, as a token gives it. */
export const findTenant = statement<[idOrName: string], { id: number; quotas: QuotasAsked }>('find-tenant')`
   select id, quotas from tenant where (id::text = $1 or name = $1) and closed_at is null`;

/**
 * `name` null leaves the name; quotas that are not named stay. No row: there is no such tenant, or it has none of these
 * revisions.
 */
export const changeTenant = view<
  [id: string, name: string | null, quotas: string, revisions: readonly number[] | null],
  TenantRow
>('change-tenant')`
   update tenant set name = coalesce($2, name), quotas = quotas || $3::jsonb, revision = revision + 1
    where id = $1 and ($4::bigint[] is null or revision = any ($4))
   returning ${columns}`;

/**
 * Closes a tenant; a tenant that is closed already keeps its time. No row: the tenant has open crawls, or does not
 * exist.
 */
export const closeTenant = view<[id: string], TenantRow>('close-tenant')`
   update tenant t set closed_at = coalesce(t.closed_at, now()), revision = revision + (t.closed_at is null)::int
    where t.id = $1 and not exists (
      select from crawl c where c.tenant_id = t.id and c.state not in ('finished', 'cancelled', 'failed'))
   returning ${columns}`;

/** Locks a tenant, so that its crawls are created one after another while its quotas are looked at. */
export const lockTenant = statement<[id: number], { quotas: QuotasAsked; open: boolean }>('lock-tenant')`
   select quotas, closed_at is null as open from tenant where id = $1 for no key update`;

/** Notes the tenant's count of URLs at the first look of a day, and forgets earlier days. */
export const beginTenantDay = statement<[id: number, urls: number]>('begin-tenant-day')`
   with past as (
     delete from tenant_day where tenant_id = $1 and day < (now() at time zone 'UTC')::date
   )
   insert into tenant_day (tenant_id, day, urls_before) values ($1, (now() at time zone 'UTC')::date, $2)
   on conflict (tenant_id, day) do nothing`;

export interface TenantUsageRow {
  readonly open: number;
  readonly created_today: number;
  readonly urls: number;
  readonly bytes: number;
  /** The count of URLs at the first look of today; null: nobody has looked today. */
  readonly urls_before: number | null;
  /** Seconds until the day ends (UTC). */
  readonly day_left: number;
}

/** What counts against a tenant's quotas. A crawl whose workflow never started does not count. */
export const tenantUsage = statement<[id: number], TenantUsageRow>('tenant-usage')`
   with mine as materialized (
     select id, state, cause, created_at from crawl where tenant_id = $1
   )
   select (select count(*) from mine where state not in ('finished', 'cancelled', 'failed')) as open,
          (select count(*) from mine
            where created_at >= date_trunc('day', now(), 'UTC') and cause is distinct from 'not-started') as created_today,
          coalesce(sum(l.discovered), 0)::bigint as urls, coalesce(sum(l.bytes + l.looks_bytes), 0)::bigint as bytes,
          (select urls_before from tenant_day
            where tenant_id = $1 and day = (now() at time zone 'UTC')::date) as urls_before,
          ceil(extract(epoch from date_trunc('day', now(), 'UTC') + interval '1 day' - now()))::int as day_left
     from mine left join ledger l on l.crawl_id = mine.id`;

/** Tenants whose crawls grow against a quota, or were paused because of one. */
export const meteredTenants = statement<[], { id: number; quotas: QuotasAsked }>('metered-tenants')`
   select t.id, t.quotas from tenant t
    where coalesce(t.quotas ->> 'urlsPerDay', t.quotas ->> 'urlsTotal', t.quotas ->> 'storedBytes') is not null
       or exists (select from crawl c where c.tenant_id = t.id and c.state = 'paused' and c.cause = 'quota')`;
