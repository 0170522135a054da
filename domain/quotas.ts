/**
 * Which quotas of a tenant are spent (F36). There are two kinds. Crawls are counted when a crawl is created: a spent
 * quota refuses the new crawl. URLs and bytes grow while crawls run: a spent quota also pauses the running crawls.
 */

/** Null: no limit. */
export type Limit = number | null;

export interface CrawlQuotas {
  readonly crawlsAtOnce: Limit;
  readonly crawlsPerDay: Limit;
  readonly urlsPerDay: Limit;
  readonly urlsTotal: Limit;
  readonly storedBytes: Limit;
}
export type CrawlQuota = keyof CrawlQuotas;

/** A quota that is spent. A lasting quota is free again only when it is raised or something is deleted. */
export interface SpentQuota {
  readonly quota: CrawlQuota | 'jobsPerUser';
  readonly limit: number;
  /** Seconds after which asking again may help; null: waiting alone does not help. */
  readonly retryAfterSeconds: number | null;
}

/** Those that are spent while crawls run, which then pause. */
export const growing = ['urlsTotal', 'storedBytes', 'urlsPerDay'] as const;
const counted = ['crawlsAtOnce', 'crawlsPerDay'] as const;
const byTheDay: readonly CrawlQuota[] = ['crawlsPerDay', 'urlsPerDay'];
/** When to ask again for one more open crawl: an open crawl may end at any time. */
const openCrawlRetrySeconds = 60;

export const quotaNames: readonly CrawlQuota[] = [...counted, ...growing];

/** How much of a quota is used: 1, all of it, more where it grew past its limit. A quota of nothing is spent. */
export const usedShare = (limit: Limit, used: number): number =>
  limit === null ? 0 : limit === 0 ? 1 : used / limit;

type Used = Readonly<Record<CrawlQuota, number>>;

/** Null: a running crawl may go on. */
export const spentByGrowth = (quotas: CrawlQuotas, used: Used, dayLeftSeconds: number): SpentQuota | null =>
  firstSpent(growing, quotas, used, dayLeftSeconds);

/** Null: one more crawl may be created. */
export const spentForCrawl = (quotas: CrawlQuotas, used: Used, dayLeftSeconds: number): SpentQuota | null =>
  firstSpent([...growing, ...counted], quotas, used, dayLeftSeconds);

/** Null: the user may have one more job. @param open number of the user's open jobs */
export const spentByUser = (limit: Limit, open: number): SpentQuota | null =>
  limit === null || open < limit
    ? null
    : { quota: 'jobsPerUser', limit, retryAfterSeconds: openCrawlRetrySeconds };

function firstSpent(
  names: readonly CrawlQuota[],
  quotas: CrawlQuotas,
  used: Used,
  dayLeftSeconds: number,
): SpentQuota | null {
  for (const quota of names) {
    const limit = quotas[quota];
    if (limit === null || used[quota] < limit) continue;
    const retryAfterSeconds = byTheDay.includes(quota)
      ? dayLeftSeconds
      : quota === 'crawlsAtOnce'
        ? openCrawlRetrySeconds
        : null;
    return { quota, limit, retryAfterSeconds };
  }
  return null;
}
