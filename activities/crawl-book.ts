/**
 * The crawls a process works for: settings compiled once per crawl, states at most a second old, so that a pause or a
 * cancel takes effect on the next request.
 */
import { LRUCache } from 'lru-cache';
import type { CrawlConfig, CrawlState } from '../contracts/crawl.ts';
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
  readonly config: CrawlConfig;
  readonly judge: ScopeJudge;
  readonly userAgent: string;
  /** What robots.txt groups are matched against. */
  readonly agentToken: string;
  readonly allowPrivate: readonly string[];
}

interface Entry {
  readonly crawl: OpenCrawl;
  state: CrawlState;
  /** `performance.now()` when the state was read. */
  readAt: number;
}

const staleMs = 1_000;

export class CrawlBook {
  readonly #pool: Pool;
  readonly #settings: CrawlSettings;
  readonly #entries = new LRUCache<number, Entry>({ max: 500 });
  #refreshing: Promise<void> | undefined;

  constructor(pool: Pool, settings: CrawlSettings) {
    this.#pool = pool;
    this.#settings = settings;
  }

  /** The crawl, compiled. @throws when there is no such crawl. */
  async open(crawlId: number): Promise<OpenCrawl> {
    return (await this.#entry(crawlId)).crawl;
  }

  /** May a request be sent for this crawl? At most a second old. */
  async isRunning(crawlId: number): Promise<boolean> {
    const entry = await this.#entry(crawlId);
    if (performance.now() - entry.readAt > staleMs) {
      this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = undefined));
      await this.#refreshing;
    }
    return entry.state === 'running';
  }

  async #entry(crawlId: number): Promise<Entry> {
    const known = this.#entries.get(crawlId);
    if (known !== undefined) return known;
    const [row] = await loadCrawls(this.#pool, [crawlId]);
    if (row === undefined) throw new Error(`there is no crawl ${String(crawlId)}`);
    const seeds = (await goodSeeds(this.#pool, crawlId)).flatMap(({ url }) => {
      const seed = canonicalize(url);
      return seed.ok ? [seed.value] : [];
    });
    const userAgent = row.config.userAgent ?? this.#settings.userAgent;
    const entry: Entry = {
      crawl: {
        id: row.id,
        config: row.config,
        judge: compileScope(row.config, seeds, registrableDomain),
        userAgent,
        agentToken: productToken(userAgent),
        allowPrivate: [...this.#settings.allowPrivate, ...row.config.allowPrivate],
      },
      state: row.state,
      readAt: performance.now(),
    };
    this.#entries.set(crawlId, entry);
    return entry;
  }

  /** One statement for all crawls at hand. */
  async #refresh(): Promise<void> {
    const readAt = performance.now();
    for (const { id, state } of await loadCrawls(this.#pool, [...this.#entries.keys()])) {
      const entry = this.#entries.get(id);
      if (entry !== undefined) Object.assign(entry, { state, readAt });
    }
  }
}
