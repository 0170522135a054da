/** Tenants, and what they have used of their quotas (F36). */
import type { Quotas, QuotasAsked, TenantDetail, TenantView, Used } from '../../contracts/tenancy.ts';
import { one, type Queryable } from '../postgres/index.ts';
import {
  beginTenantDay,
  changeTenant,
  closeTenant,
  insertTenant,
  listTenants,
  type TenantRow,
  tenantUsage,
} from './tenants.sql.ts';

/** A quota that is not named sets no limit. */
export const quotasOf = (asked: QuotasAsked): Quotas => ({
  crawlsAtOnce: asked.crawlsAtOnce ?? null,
  crawlsPerDay: asked.crawlsPerDay ?? null,
  urlsPerDay: asked.urlsPerDay ?? null,
  urlsTotal: asked.urlsTotal ?? null,
  storedBytes: asked.storedBytes ?? null,
  requestsPerSecond: asked.requestsPerSecond ?? null,
  jobsPerUser: asked.jobsPerUser ?? null,
});

export interface Usage {
  readonly used: Used;
  /** Seconds until the quotas of the day begin anew. */
  readonly dayLeftSeconds: number;
}

/** Something that people edit, and the number of its edits. */
export interface Revision<T> {
  readonly version: number;
  readonly body: T;
}

/** Counts what a tenant has used. The first look of a day notes the count from which the day's URLs are counted. */
export async function readUsage(db: Queryable, tenantId: number): Promise<Usage> {
  const row = await one(tenantUsage(db, tenantId));
  if (row.urls_before === null) await beginTenantDay(db, tenantId, row.urls);
  return {
    used: {
      crawlsAtOnce: row.open,
      crawlsPerDay: row.created_today,
      urlsPerDay: Math.max(0, row.urls - (row.urls_before ?? row.urls)),
      urlsTotal: row.urls,
      storedBytes: row.bytes,
    },
    dayLeftSeconds: row.day_left,
  };
}

/** Null: the name is taken. */
export async function createTenant(
  db: Queryable,
  name: string,
  quotas: QuotasAsked,
): Promise<TenantView | null> {
  const [row] = await insertTenant(db, name, JSON.stringify(quotas));
  return row === undefined ? null : viewOf(row);
}

/** By id. `after`: tenants with higher ids. */
export async function tenantsAfter(
  db: Queryable,
  after: string | null,
  limit: number,
): Promise<readonly TenantView[]> {
  return (await listTenants(db, null, after, limit)).map(viewOf);
}

/** Null: there is no such tenant. */
export async function viewTenant(db: Queryable, id: string): Promise<Revision<TenantDetail> | null> {
  const [row] = await listTenants(db, id, null, 1);
  if (row === undefined) return null;
  const body = { ...viewOf(row), used: (await readUsage(db, Number(id))).used };
  return { version: row.revision, body };
}

/**
 * @param name null: the name stays.
 * @param versions of which the tenant must have one; null: any.
 * Null: there is no such tenant, or it has none of these versions; 'name-taken': another tenant has this name.
 */
export async function editTenant(
  db: Queryable,
  id: string,
  name: string | null,
  quotas: QuotasAsked,
  versions: readonly number[] | null = null,
): Promise<Revision<TenantView> | null | 'name-taken'> {
  try {
    const [row] = await changeTenant(db, id, name, JSON.stringify(quotas), versions);
    return row === undefined ? null : { version: row.revision, body: viewOf(row) };
  } catch (error) {
    const uniqueViolation = '23505';
    if (error instanceof Error && 'code' in error && error.code === uniqueViolation) return 'name-taken';
    throw error;
  }
}

/**
 * Closes a tenant: its keys and tokens are refused from then on. Null: the tenant has open crawls, or does not exist.
 */
export async function shutTenant(db: Queryable, id: string): Promise<TenantView | null> {
  const [row] = await closeTenant(db, id);
  return row === undefined ? null : viewOf(row);
}

const viewOf = ({ revision: _, quotas, ...row }: TenantRow): TenantView => ({
  ...row,
  quotas: quotasOf(quotas),
});
