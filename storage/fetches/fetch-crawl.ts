/**
 * The crawl that fetches single pages for a tenant, one for each way of rendering. All that is asked for within a day
 * goes into it, so that thousands of fetches are one crawl to the scheduler, and two of one page are one request. It
 * rests while nothing is asked for. The next day has another one, so that each ends, and goes with its retention.
 */
import { defaultCrawlConfig, type CrawlConfig } from '../../contracts/crawl.ts';
import type { RenderMode } from '../../domain/rendering/mode.ts';
import type { Pool } from '../postgres/index.ts';
import { provideResting, type Provided } from '../starting/index.ts';
import { chooseFetchCrawl, fetchCrawl } from './page-fetches.sql.ts';

/** Hours after which another crawl takes its place. */
const hours = 24;
/** Days after its end for which its pages stay. */
const retentionDays = 7;

/**
 * Its URLs are those that were asked for, wherever they redirect to. Nobody's shape is a trap: each was asked for by name.
 */
const configOf = (render: RenderMode): CrawlConfig => ({
  ...defaultCrawlConfig,
  scope: 'any',
  follow: false,
  maxDepth: 0,
  sitemap: 'skip',
  traps: false,
  maxPagesPerHost: 1e12,
  retentionDays,
  render,
});

export const provideFetchCrawl = (pool: Pool, tenantId: number, render: RenderMode): Promise<Provided> =>
  provideResting(pool, tenantId, {
    label: 'fetch',
    find: async (db) => (await fetchCrawl(db, tenantId, render, hours))[0] ?? null,
    configOf: () => configOf(render),
    keep: (db, crawlId) => chooseFetchCrawl(db, tenantId, render, crawlId),
  });
