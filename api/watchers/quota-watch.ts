/**
 * Crawls grow while nobody asks the API anything. So the API looks every few seconds at the tenants whose URLs or bytes
 * are limited. It pauses the crawls of a tenant once a quota is spent, and lets the crawls it paused go on when there
 * is room again. Such a crawl is paused with the cause `quota` and loses nothing. URLs that come between two looks, or
 * are in flight, exceed the quota.
 */
import type { CrawlState } from '../../contracts/crawl.ts';
import { growing, spentByGrowth, usedShare } from '../../domain/quotas.ts';
import type { Chore } from '../../engine/chores.ts';
import { note } from '../../engine/metrics/counters.ts';
import { openCrawls } from '../../storage/crawls/index.ts';
import { meteredTenants, quotasOf, readUsage } from '../../storage/tenancy/index.ts';
import type { Dependencies } from '../dependencies.ts';

type Needed = Pick<Dependencies, 'pool' | 'control' | 'log'>;

/** One look at all such tenants. Several processes may look at once: each change is made once. */
export async function keepQuotas({ pool, control, log }: Needed): Promise<void> {
  const shares = new Map(growing.map((quota) => [quota, 0]));
  for (const { id, quotas } of await meteredTenants(pool)) {
    const { used, dayLeftSeconds } = await readUsage(pool, id);
    const limits = quotasOf(quotas);
    for (const [quota, most] of shares)
      shares.set(quota, Math.max(most, usedShare(limits[quota], used[quota])));
    const spent = spentByGrowth(limits, used, dayLeftSeconds);
    const states: readonly CrawlState[] = spent === null ? ['paused'] : ['seeding', 'running'];
    for (const crawl of await openCrawls(pool, states, id)) {
      if (spent === null && crawl.cause !== 'quota') continue;
      const change = spent === null ? 'resume' : 'pause';
      const reason = spent === null ? null : `quota:${spent.quota}`;
      try {
        await control.change(crawl.id, change, reason, 'quota');
        log.info({ tenantId: id, crawlId: crawl.id, quota: spent?.quota }, `${change}d for a quota`);
      } catch (error) {
        log.debug({ err: error, crawlId: crawl.id }, `could not ${change} for a quota`);
      }
    }
  }
  for (const [quota, share] of shares) note('quota_used_ratio', { quota }, share);
}

export const quotaWatch = (needed: Needed): Chore => ({
  everyMs: 5_000,
  looks: [{ run: () => keepQuotas(needed), fault: 'quotas cannot be checked now' }],
});
