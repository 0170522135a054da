/**
 * The crawls a process works for: settings compiled once per version, at most a second old, as are states, so that an
 * edit, a pause or a cancel takes effect on the next request. Of the seeds nothing is kept but places found to hold one:
 * seeds that are added widen the scope at once.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { wholeConfig, type CrawlConfig, type CrawlState } from '../../contracts/crawl.ts';
import { defaultTenant } from '../../contracts/tenancy.ts';
import { compileUrlPattern } from '../../contracts/url-pattern.ts';
import { pageCounters, type CountedPage } from '../../domain/finish-criteria.ts';
import { compileMediaFilter, type MediaFilter } from '../../domain/media-filter.ts';
import { namesOf } from '../../domain/robots.ts';
import { compileScope, type LinkStanding, type ScopeVerdict } from '../../domain/scope.ts';
import type { CanonicalUrl } from '../../domain/url.ts';
import type { Pool } from '../../storage/pool.ts';
import { isWithin, type KnownPlaces } from '../../storage/seed-places.ts';
import { loadCrawls } from '../../storage/statements/load-crawls.ts';
import type { CrawlSettings } from '../settings.ts';

/** Milliseconds for which judging keeps the event loop from heartbeats and requests. */
const longestTurnMs = 50;

export interface AskedLink extends Omit<LinkStanding, 'inside'> {
  readonly link: CanonicalUrl;
}

export interface OpenCrawl {
  readonly id: number;
  readonly tenantId: number;
  /** Of its settings; raised by each edit. */
  readonly version: number;
  readonly config: CrawlConfig;
  /** Whether each of the links belongs to it. */
  readonly judge: (links: readonly AskedLink[]) => Promise<ScopeVerdict[]>;
  /** Is a body of this Content-Type taken? */
  readonly takes: MediaFilter;
  /** What finish criteria count of a page. */
  readonly counters: (page: CountedPage) => readonly string[];
  readonly userAgent: string;
  /** The names it goes by, ours first: what robots.txt says to any of them holds. */
  readonly agentTokens: readonly [product: string, ...own: string[]];
  /** Its delay may be shorter than the default, though not than what robots.txt asks for. */
  readonly leave: boolean;
  readonly allowPrivate: readonly string[];
}

interface Entry {
  readonly crawl: OpenCrawl;
  state: CrawlState;
  /** `performance.now()` when the state was read. */
  readAt: number;
}

const staleMs = 1_000;
/** Places kept, of all crawls: some 100 bytes each. */
const placesKept = 20_000;
/** No request leaves under a state that is older: those who pause or end a crawl see it act within two seconds. */
const boundMs = 2_000;

export class CrawlBook {
  readonly #pool: Pool;
  /** By which states and settings are read. */
  readonly #urgent: Pool;
  readonly #settings: Pick<CrawlSettings, 'userAgent' | 'allowPrivate'>;
  readonly #entries = new LRUCache<number, Entry>({ max: 500 });
  readonly #places = new LRUCache<string, true>({ max: placesKept });
  #refreshing: Promise<void> | undefined;
  #attended = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param urgent connections for states and settings */
  constructor(pool: Pool, settings: Pick<CrawlSettings, 'userAgent' | 'allowPrivate'>, urgent: Pool = pool) {
    this.#pool = pool;
    this.#urgent = urgent;
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

  /** The last look before a request leaves: false where the crawl does not run any more, or nobody knows. */
  permits(crawlId: number): boolean {
    const entry = this.#entries.peek(crawlId);
    return entry?.state === 'running' && performance.now() - entry.readAt <= boundMs;
  }

  /** Runs `work` while states are read every second, so that a request that was long in connecting goes by a fresh one. */
  async attend<T>(work: () => Promise<T>): Promise<T> {
    this.#attended++;
    this.#timer ??= setInterval(() => void this.#renew().catch(() => undefined), staleMs);
    try {
      return await work();
    } finally {
      if (--this.#attended === 0) {
        clearInterval(this.#timer);
        this.#timer = undefined;
      }
    }
  }

  #renew(): Promise<void> {
    return (this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = undefined)));
  }

  async #current(crawlId: number): Promise<Entry> {
    const entry = await this.#entry(crawlId);
    if (performance.now() - entry.readAt <= staleMs) return entry;
    await this.#renew();
    return this.#entry(crawlId);
  }

  async #entry(crawlId: number): Promise<Entry> {
    const known = this.#entries.get(crawlId);
    if (known !== undefined) return known;
    const readAt = performance.now();
    const [row] = await loadCrawls(this.#urgent, [crawlId]);
    if (row === undefined) throw new Error(`there is no crawl ${String(crawlId)}`);
    const config = wholeConfig(row.config);
    const userAgent = config.userAgent ?? this.#settings.userAgent;
    const entry: Entry = {
      crawl: {
        id: row.id,
        tenantId: row.tenant_id,
        version: row.config_version,
        config,
        judge: this.#judgeOf(crawlId, config),
        takes: compileMediaFilter(config.contentTypes),
        counters: pageCounters(config.finish),
        userAgent,
        agentTokens: namesOf(this.#settings.userAgent, userAgent),
        leave: row.tenant_id === defaultTenant,
        allowPrivate: [...this.#settings.allowPrivate, ...config.allowPrivate],
      },
      state: row.state,
      readAt,
    };
    this.#entries.set(crawlId, entry);
    return entry;
  }

  /** One statement for all crawls at hand. */
  async #refresh(): Promise<void> {
    const readAt = performance.now();
    for (const row of await loadCrawls(this.#urgent, [...this.#entries.keys()])) {
      const entry = this.#entries.get(row.id);
      if (entry === undefined) continue;
      if (entry.crawl.version === row.config_version) Object.assign(entry, { state: row.state, readAt });
      else this.#entries.delete(row.id);
    }
  }

  #judgeOf(crawlId: number, config: CrawlConfig): OpenCrawl['judge'] {
    const judge = compileScope(config, compileUrlPattern);
    const known: KnownPlaces = {
      has: (place) => this.#places.get(`${String(crawlId)} ${place}`) === true,
      add: (place) => void this.#places.set(`${String(crawlId)} ${place}`, true),
    };
    return async (asked) => {
      const links = asked.map(({ link }) => link);
      const within = await isWithin(this.#pool, crawlId, config.scope, links, known);
      const verdicts: ScopeVerdict[] = [];
      let since = performance.now();
      for (const [at, { link, depth, seed }] of asked.entries()) {
        // Thousands of patterns, or costly ones, over the longest URLs take seconds for the links of one page.
        if (performance.now() - since > longestTurnMs) {
          await breathe();
          since = performance.now();
        }
        verdicts.push(judge(link, { depth, seed, inside: within[at] === true }));
      }
      return verdicts;
    };
  }
}
