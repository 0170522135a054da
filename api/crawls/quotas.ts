/** Quotas of a tenant at the API: the checks that refuse, and the headers that say how much is left (F36). */
import type { Response } from 'express';
import type { Quotas, Used } from '../../contracts/tenancy.ts';
import {
  quotaNames,
  spentByGrowth,
  spentForCrawl,
  type CrawlQuota,
  type SpentQuota,
} from '../../domain/quotas.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { readUsage } from '../../storage/tenancy/index.ts';
import { HttpProblem } from '../way-in/problem.ts';

const words: Readonly<Record<SpentQuota['quota'], string>> = {
  crawlsAtOnce: 'open crawls at a time',
  crawlsPerDay: 'crawls a day',
  urlsPerDay: 'discovered URLs a day',
  urlsTotal: 'discovered URLs',
  storedBytes: 'stored bytes',
  jobsPerUser: 'open jobs of one user',
};

/** `crawlsAtOnce` → `X-Quota-Crawls-At-Once` */
export const quotaHeader = (name: CrawlQuota): string =>
  `X-Quota-${name.replace(/^[a-z]|[A-Z]/g, (letter, index: number) => (index === 0 ? '' : '-') + letter.toUpperCase())}`;

/** One header for each quota that is set: `limit=5, remaining=2`. */
export function tellQuotas(response: Response, quotas: Quotas, used: Used | null): void {
  if (used === null) return;
  for (const name of quotaNames) {
    const limit = quotas[name];
    if (limit === null) continue;
    const remaining = Math.max(0, limit - used[name]);
    response.set(quotaHeader(name), `limit=${String(limit)}, remaining=${String(remaining)}`);
  }
}

/** 429 with Retry-After when waiting helps, otherwise 403. */
export function refuseSpent(response: Response, { quota, limit, retryAfterSeconds }: SpentQuota): never {
  if (retryAfterSeconds !== null) response.set('Retry-After', String(retryAfterSeconds));
  throw new HttpProblem(
    retryAfterSeconds === null ? 403 : 429,
    `The tenant's quota of ${String(limit)} ${words[quota]} is spent.`,
    { kind: 'quota-spent', quota },
  );
}

/** A crawl may not go on while a quota that grows with it is spent. */
export async function refuseToGrow(
  pool: Pool,
  response: Response,
  tenantId: number,
  quotas: Quotas,
): Promise<void> {
  if (quotas.urlsPerDay === null && quotas.urlsTotal === null && quotas.storedBytes === null) return;
  const { used, dayLeftSeconds } = await readUsage(pool, tenantId);
  tellQuotas(response, quotas, used);
  const spent = spentByGrowth(quotas, used, dayLeftSeconds);
  if (spent !== null) refuseSpent(response, spent);
}

/** For a finished crawl that is to run again: it is one more open crawl, but no new one. */
export async function refuseToReopen(
  pool: Pool,
  response: Response,
  tenantId: number,
  quotas: Quotas,
): Promise<void> {
  if (quotas.crawlsAtOnce === null) return refuseToGrow(pool, response, tenantId, quotas);
  const { used, dayLeftSeconds } = await readUsage(pool, tenantId);
  tellQuotas(response, quotas, used);
  const spent = spentForCrawl({ ...quotas, crawlsPerDay: null }, used, dayLeftSeconds);
  if (spent !== null) refuseSpent(response, spent);
}
