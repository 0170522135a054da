/** Creates crawls within the quotas of their tenant (F36). */
import type { CrawlConfig } from '../../contracts/crawl.ts';
import type { Quotas, Used } from '../../contracts/tenancy.ts';
import { quotaNames, spentByUser, spentForCrawl, type SpentQuota } from '../../domain/quotas.ts';
import { countJobsOfUser } from '../crawls/index.ts';
import { createCrawl } from './create-crawl.ts';
import { inTransaction, type Pool, type Queryable } from '../postgres/index.ts';
import type { SeedLine } from '../seeds/index.ts';
import { listTenants, lockTenant, quotasOf, readUsage } from '../tenancy/index.ts';

export type Admission = { readonly quotas: Quotas } & (
  | {
      readonly id: string;
      /** Usage, the new crawl included; null: not counted, as nothing is limited. */ readonly used: Used | null;
    }
  | { readonly id: null; readonly used: Used; readonly spent: SpentQuota }
);

/** What else is stored with a new crawl. */
type Also = (db: Queryable, crawlId: string) => Promise<void>;

/** As `createCrawl`. Usage is counted and the crawl stored in one step, however many callers ask at once. */
export async function admitCrawl(
  pool: Pool,
  tenantId: number,
  config: CrawlConfig,
  seeds: readonly SeedLine[],
  label: string | null,
  userId: string | null = null,
  also: Also = () => Promise.resolve(),
): Promise<Admission> {
  const [tenant] = await listTenants(pool, String(tenantId), null, 1);
  const quotas = quotasOf(tenant?.quotas ?? {});
  const limited =
    quotaNames.some((name) => quotas[name] !== null) || (userId !== null && quotas.jobsPerUser !== null);
  return onceMore(() =>
    inTransaction(pool, async (db) => {
      const admission = limited
        ? await admitCounted(db, tenantId, config, seeds, label, userId)
        : { id: await createCrawl(db, config, seeds, tenantId, label, userId), quotas, used: null };
      if (admission.id !== null) await also(db, admission.id);
      return admission;
    }),
  );
}

async function admitCounted(
  db: Queryable,
  tenantId: number,
  config: CrawlConfig,
  seeds: readonly SeedLine[],
  label: string | null,
  userId: string | null,
): Promise<Admission> {
  const [tenant] = await lockTenant(db, tenantId);
  const quotas = quotasOf(tenant?.quotas ?? {});
  const { used, dayLeftSeconds } = await readUsage(db, tenantId);
  const [jobs] = userId === null ? [] : await countJobsOfUser(db, tenantId, userId);
  const spent =
    spentForCrawl(quotas, used, dayLeftSeconds) ?? spentByUser(quotas.jobsPerUser, jobs?.open ?? 0);
  if (spent !== null) return { id: null, quotas, used, spent };
  const id = await createCrawl(db, config, seeds, tenantId, label, userId);
  return {
    id,
    quotas,
    used: { ...used, crawlsAtOnce: used.crawlsAtOnce + 1, crawlsPerDay: used.crawlsPerDay + 1 },
  };
}

/** Ids are drawn at random, so two ids of the same millisecond may be equal. */
export async function onceMore<T>(work: () => Promise<T>): Promise<T> {
  const uniqueViolation = '23505';
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const taken = error instanceof Error && 'code' in error && error.code === uniqueViolation;
      if (!taken || attempt >= 5) throw error;
    }
  }
}
