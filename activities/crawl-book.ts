/**
 * The crawls a process works for: settings compiled once per version, at most a second old, as are states and seeds, so
 * that an edit, a pause or a cancel takes effect on the next request, and added seeds widen the scope.
 */
import { LRUCache } from 'lru-cache';
import { wholeConfig, type CrawlConfig, type CrawlState } from '../contracts/crawl.ts';
import { pageCounters, type CountedPage } from '../domain/finish-criteria.ts';
import { compileMediaFilter, type MediaFilter } from '../domain/media-filter.ts';
import { productToken } from '../domain/robots.ts';
import { compileScope, type ScopeJudge } from '../domain/scope.ts';
import { canonicalize } from '../domain/url.ts';
import type { Pool } from '../storage/pool.ts';
import { registrableDomain } from '../storage/registrable-domain.ts';
import { goodSeeds } from '../storage/statements/good-seeds.ts';
import { loadCrawls } from '../storage/statements/load-crawls.ts';
import type { CrawlSettings } from './dependencies.ts';

export interface OpenCrawl {
  readonly id: number;
  /** Of its settings; raised by each edit. */
  readonly version: number;
  readonly config: CrawlConfig;
  readonly judge: ScopeJudge;
  /** Is a body of this Content-Type taken? */
  readonly takes: MediaFilter;
  /** What finish criteria count of a page. */
  readonly counters: (page: CountedPage) => readonly string[];
  readonly userAgent: string;
  /** What robots.txt groups are matched against. */
  readonly agentToken: string;
  readonly allowPrivate: readonly string[];
}

interface Entry {
  readonly crawl: OpenCrawl;
  readonly seedsRevision: number;
  state: CrawlState;
  /** `performance.now()` when the state was read. */
  readAt: number;
}

const staleMs = 1_000;

export class CrawlBook {
  readonly #pool: Pool;
  readonly #settings: Pick<CrawlSettings, 'userAgent' | 'allowPrivate'>;
  readonly #entries = new LRUCache<number, Entry>({ max: 500 });
  #refreshing: Promise<void> | undefined;

  constructor(pool: Pool, settings: Pick<CrawlSettings, 'userAgent' | 'allowPrivate'>) {
    this.#pool = pool;
    this.#settings = settings;
  }

  /** The crawl, compiled, as it was a second ago or later. @throws when there is no such crawl. */
  async open(crawlId: number): Promise<OpenCrawl> {
    return (await this.#current(crawlId)).crawl;
  }

  /** What is open next is read anew: it was seen to be older than what is stored. */
  forget(crawlId: number): void {
    this.#entries.delete(crawlId);
  }

  /** May a request be sent for this crawl? At most a second old. */
  async isRunning(crawlId: number): Promise<boolean> {
    return (await this.#current(crawlId)).state === 'running';
  }

  async #current(crawlId: number): Promise<Entry> {
    const entry = await this.#entry(crawlId);
    if (performance.now() - entry.readAt <= staleMs) return entry;
    this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = undefined));
    await this.#refreshing;
    return this.#entry(crawlId);
  }

  async #entry(crawlId: number): Promise<Entry> {
    const known = this.#entries.get(crawlId);
    if (known !== undefined) return known;
    const readAt = performance.now();
    const [row] = await loadCrawls(this.#pool, [crawlId]);
    if (row === undefined) throw new Error(`there is no crawl ${String(crawlId)}`);
    const config = wholeConfig(row.config);
    const userAgent = config.userAgent ?? this.#settings.userAgent;
    const entry: Entry = {
      crawl: {
        id: row.id,
        version: row.config_version,
        config,
        judge: await judgeBy(this.#pool, crawlId, config),
        takes: compileMediaFilter(config.contentTypes),
        counters: pageCounters(config.finish),
        userAgent,
        agentToken: productToken(userAgent),
        allowPrivate: [...this.#settings.allowPrivate, ...config.allowPrivate],
      },
      seedsRevision: row.seeds_revision,
      state: row.state,
      readAt,
    };
    this.#entries.set(crawlId, entry);
    return entry;
  }

  /** One statement for all crawls at hand. */
  async #refresh(): Promise<void> {
    const readAt = performance.now();
    for (const row of await loadCrawls(this.#pool, [...this.#entries.keys()])) {
      const entry = this.#entries.get(row.id);
      if (entry === undefined) continue;
      const isCurrent =
        entry.seedsRevision === row.seeds_revision && entry.crawl.version === row.config_version;
      if (isCurrent) Object.assign(entry, { state: row.state, readAt });
      else this.#entries.delete(row.id);
    }
  }
}

/** How the settings given judge links, by the seeds the crawl has. */
export async function judgeBy(pool: Pool, crawlId: number, config: CrawlConfig): Promise<ScopeJudge> {
  const seeds = (await goodSeeds(pool, crawlId)).flatMap(({ url }) => {
    const seed = canonicalize(url);
    return seed.ok ? [seed.value] : [];
  });
  return compileScope(config, seeds, registrableDomain);
}
