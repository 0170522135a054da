/**
 * Which quotas of a tenant are spent, and what refuses at that (F36). Two kinds: what is counted when a crawl is
 * created (crawls), and what grows while crawls run (URLs, bytes), for which a running crawl is paused.
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

/** A lasting one comes back only when it is raised or something is given up; the others by waiting. */
export interface SpentQuota {
  readonly quota: CrawlQuota | 'jobsPerUser';
  readonly limit: number;
  /** Seconds after which asking again may help; null: waiting alone does not help. */
  readonly retryAfterSeconds: number | null;
}

const growing = ['urlsTotal', 'storedBytes', 'urlsPerDay'] as const;
const counted = ['crawlsAtOnce', 'crawlsPerDay'] as const;
const byTheDay: readonly CrawlQuota[] = ['crawlsPerDay', 'urlsPerDay'];
/** An open crawl may end at any time. */
const openCrawlRetrySeconds = 60;

export const quotaNames: readonly CrawlQuota[] = [...counted, ...growing];

type Used = Readonly<Record<CrawlQuota, number>>;

/** Null: a running crawl may go on. */
export const spentByGrowth = (quotas: CrawlQuotas, used: Used, dayLeftSeconds: number): SpentQuota | null =>
  firstSpent(growing, quotas, used, dayLeftSeconds);

/** Null: one more crawl may be created. */
export const spentForCrawl = (quotas: CrawlQuotas, used: Used, dayLeftSeconds: number): SpentQuota | null =>
  firstSpent([...growing, ...counted], quotas, used, dayLeftSeconds);

/** Null: the user may have one more job. @param open jobs there are */
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
