/**
 * Seeds for an existing crawl. The transaction that stores them also makes a crawl that had run out of work run again.
 * The activity that watches the crawl admits them (engine/crawls/seeding.ts), however often it is cut off.
 */
import { isOver, whyNoMore, type CrawlState } from '../../domain/crawl-life.ts';
import { quotaNames, spentByGrowth, spentForCrawl, type SpentQuota } from '../../domain/quotas.ts';
import { inTransaction, type Pool, type Queryable } from '../postgres/index.ts';
import type { SeedLine } from './seeds.ts';
import { appendSeeds, lockForSeeds, noteAddedSeeds } from './intake.sql.ts';
import { lockTenant, quotasOf, readUsage } from '../tenancy/index.ts';
import { reopenClosedCrawls } from '../crawls/index.ts';
import { setImmediate as breathe } from 'node:timers/promises';
import { canonicalize } from '../../domain/url.ts';
import { urlKey } from '../../contracts/url-key.ts';
import { knownUrls } from '../frontier/index.ts';
import { pendingSeeds } from './lists.sql.ts';

export type SeedIntake =
  | { readonly kind: 'added'; readonly reopened: boolean; readonly seeds: readonly SeedLine[] }
  | { readonly kind: 'spent'; readonly spent: SpentQuota }
  /** It does not go on. */
  | { readonly kind: 'over'; readonly state: CrawlState; readonly reason: string | null }
  | { readonly kind: 'unknown' };

/** Seeds in one statement: to write more of them as JSON would keep the process from other work. */
const atOnce = 2_000;

/** @param which 'new': only seeds that the crawl has not met. Lock order: the tenant, then the crawl. */
export function storeSeeds(
  pool: Pool,
  tenantId: number,
  crawlId: string,
  asked: readonly SeedLine[],
  which: 'all' | 'new' = 'all',
): Promise<SeedIntake> {
  return inTransaction(pool, async (db) => {
    const spent = await spentFor(db, tenantId);
    const [crawl] = await lockForSeeds(db, crawlId);
    if (crawl === undefined) return { kind: 'unknown' };
    const { state, reason } = crawl;
    if (whyNoMore(crawl) !== null) return { kind: 'over', state, reason };
    const seeds = which === 'all' ? asked : await newSeeds(db, crawlId, asked);
    if (seeds.length === 0) return { kind: 'added', reopened: false, seeds };
    const reopens = isOver(state);
    const barred = reopens ? spent.toReopen : spent.toGrow;
    if (barred !== null) return { kind: 'spent', spent: barred };
    for (let at = 0; at < seeds.length; at += atOnce)
      await appendSeeds(db, crawlId, JSON.stringify(seeds.slice(at, at + atOnce)));
    if (reopens) await reopenClosedCrawls(db, [Number(crawlId)]);
    await noteAddedSeeds(db, crawlId, seeds.length);
    return { kind: 'added', reopened: reopens, seeds };
  });
}

export interface Spent {
  readonly toGrow: SpentQuota | null;
  /**
   * The quota that bars a crawl from running again. The crawl is one more open crawl but no new one, so `crawlsPerDay`
   * does not bar it.
   */
  readonly toReopen: SpentQuota | null;
}

/** Locks the tenant. */
export async function spentFor(db: Queryable, tenantId: number): Promise<Spent> {
  const [tenant] = await lockTenant(db, tenantId);
  const quotas = quotasOf(tenant?.quotas ?? {});
  if (quotaNames.every((name) => quotas[name] === null)) return { toGrow: null, toReopen: null };
  const { used, dayLeftSeconds } = await readUsage(db, tenantId);
  return {
    toGrow: spentByGrowth(quotas, used, dayLeftSeconds),
    toReopen: spentForCrawl({ ...quotas, crawlsPerDay: null }, used, dayLeftSeconds),
  };
}

/** Seeds that are looked at before the process does other work. */
const atATime = 250;

/**
 * The accepted seeds, each page once, that are neither in the frontier of the crawl nor waiting to be admitted. The caller
 * must hold the crawl's row for seeds, so that nobody else adds a seed meanwhile.
 */
async function newSeeds(
  db: Queryable,
  crawlId: string,
  seeds: readonly SeedLine[],
): Promise<readonly SeedLine[]> {
  const byKey = new Map<string, { readonly seed: SeedLine; readonly origin: string }>();
  for (const [at, seed] of seeds.entries()) {
    if (at % atATime === atATime - 1) await breathe();
    const link = canonicalize(seed.url);
    if (seed.rejected !== null || !link.ok) continue;
    const key = urlKey(link.value.canonical).toString('hex');
    if (!byKey.has(key)) byKey.set(key, { seed, origin: link.value.host });
  }
  const urls = [...byKey.values()].map(({ seed }) => seed.url);
  // The waiting seeds are read first: a seed that is admitted between the two reads is then found by one read or both.
  const waiting = new Set((await pendingSeeds(db, crawlId, urls)).map(({ url }) => url));
  const places = [...byKey].map(([key, { origin }]) => ({ origin, key }));
  for (const { key } of await knownUrls(db, crawlId, JSON.stringify(places))) byKey.delete(key);
  return [...byKey.values()].flatMap(({ seed }) => (waiting.has(seed.url) ? [] : [seed]));
}
