/**
 * The crawls that a process works for: their settings, compiled once for each version, and their states. Both are at
 * most a second old, so that an edit, a pause or a cancel takes effect on the next request. Of the seeds, only places
 * that hold a seed are remembered: seeds that are added widen the scope at once.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import { wholeConfig, type CrawlConfig, type CrawlState } from '../../contracts/crawl.ts';
import { defaultTenant } from '../../contracts/tenancy.ts';
import { compileUrlPattern } from '../../contracts/url-pattern.ts';
import { pageCounters, type CountedPage } from '../../domain/finish-criteria.ts';
import { compileMediaFilter, type MediaFilter } from '../../domain/media-filter.ts';
import { weightsOf, type PriorityWeights } from '../../domain/priority/score.ts';
import { Topic } from '../../domain/relevance/focus.ts';
import { compileRenderMode, type RenderMode } from '../../domain/rendering/mode.ts';
import { namesOf } from '../../domain/robots.ts';
import type { SitemapChoice } from '../../domain/sitemap-choice.ts';
import { compileScope, vouchedReach, type LinkFacts, type ScopeVerdict } from '../../domain/scope.ts';
import type { CanonicalUrl } from '../../domain/url.ts';
import { Attended } from './attended.ts';
import { CrawlQuarantine } from './quarantine.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { isWithin, type KnownPlaces } from '../../storage/seeds/index.ts';
import { loadCrawls, type CrawlRow } from '../../storage/crawls/index.ts';
import type { CrawlSettings } from '../settings.ts';
import { lastUsed } from '../last-used.ts';

/** Most milliseconds for which judging may block the event loop, with its heartbeats and requests. */
const longestTurnMs = 50;

export interface AskedLink extends Omit<LinkFacts, 'inside'> {
  readonly link: CanonicalUrl;
  /** A sitemap that is read wherever it lies; a folder that holds the seeds binds it all the same. */
  readonly vouched?: true;
  /** Where a seed leads: judged as if a seed stood there. */
  readonly moved?: true;
}

export interface OpenCrawl {
  readonly id: number;
  readonly tenantId: number;
  /** Version of the settings, raised by each edit. */
  readonly version: number;
  readonly config: CrawlConfig;
  /** Raised by each change of its session; 0: it never had one. */
  readonly sessionRevision: number;
  /** Pages of it are rendered, or were: there are URLs that only scripts ask for. */
  readonly renders: boolean;
  /** How a page is rendered by what the crawl says, by its canonical URL. */
  readonly renderMode: (url: string) => RenderMode;
  /** The crawl in caches of seen URLs: its id, and the epoch of what they know of it. */
  readonly seenAs: string;
  /** Whether each of the links belongs to the crawl. */
  readonly judge: (links: readonly AskedLink[]) => Promise<ScopeVerdict[]>;
  /** Whether its scope reaches the host of each of the links, or a part of it. */
  readonly reaches: (links: readonly CanonicalUrl[]) => Promise<boolean[]>;
  /** The verdicts on shapes of URLs, at most a second old; null: the crawl does not look for traps. */
  readonly quarantine: Pick<CrawlQuarantine, 'knows' | 'verdict' | 'suspects'> | null;
  /** By what pages of a host are known that are not there, at most a second old; none: the crawl does not look. */
  readonly errorSigns: CrawlQuarantine['errorSigns'];
  /** Which sitemaps it reads, and which of their pages it takes. */
  readonly sitemaps: SitemapChoice;
  /** Is a body of this Content-Type taken? */
  readonly takes: MediaFilter;
  /** The counters of finish criteria that a page adds to. */
  readonly counters: (page: CountedPage) => readonly string[];
  readonly userAgent: string;
  /** The names the crawl goes by, ours first; it obeys what robots.txt says to any of them. */
  readonly agentTokens: readonly [product: string, ...own: string[]];
  /** What the crawl's URLs are scored by (domain/priority/). */
  readonly weights: PriorityWeights;
  /** What the crawl is about, with what this process has learned of it; null: the crawl has no focus. */
  readonly topic: Topic | null;
  /** Domains that count as trusted, each with all below it. */
  readonly trusted: ReadonlySet<string>;
  /** The crawl's delay may be shorter than the default, but not shorter than what robots.txt asks for. */
  readonly mayHurry: boolean;
  readonly allowPrivate: readonly string[];
}

interface Entry {
  readonly crawl: OpenCrawl;
  readonly quarantine: CrawlQuarantine;
  state: CrawlState;
  /** `performance.now()` when the state was read. */
  readAt: number;
}

const staleMs = 1_000;
/** Most places remembered, for all crawls together: some 100 bytes each. */
const placesKept = 20_000;
/** No request leaves under a state older than this: a pause or an end of a crawl takes effect within two seconds. */
const boundMs = 2_000;

export class CrawlBook {
  readonly #pool: Pool;
  /** Connections that read states and settings. */
  readonly #urgent: Pool;
  readonly #settings: Pick<CrawlSettings, 'userAgent' | 'allowPrivate'>;
  readonly #entries = lastUsed<number, Entry>(500);
  readonly #places = lastUsed<string, true>(placesKept);
  #refreshing: Promise<void> | undefined;
  readonly #attended = new Attended(staleMs, () => this.#renew());

  /** @param urgent connections for states and settings */
  constructor(pool: Pool, settings: Pick<CrawlSettings, 'userAgent' | 'allowPrivate'>, urgent: Pool = pool) {
    this.#pool = pool;
    this.#urgent = urgent;
    this.#settings = settings;
  }

  /** The compiled crawl, at most a second old. @throws if there is no such crawl */
  async open(crawlId: number): Promise<OpenCrawl> {
    return (await this.#current(crawlId)).crawl;
  }

  /** Makes the next `open` read the crawl anew: the copy turned out to be older than what is stored. */
  forget(crawlId: number): void {
    this.#entries.delete(crawlId);
  }

  /** May a request be sent for this crawl, by its state at most a second ago? A promise only if it has to be read. */
  isRunning(crawlId: number): boolean | Promise<boolean> {
    return this.#seen(crawlId, ({ state }) => state === 'running');
  }

  /** Are these its settings and its session, as of a second ago at most? A promise only if they have to be read. */
  isCurrent(held: Pick<OpenCrawl, 'id' | 'version' | 'sessionRevision'>): boolean | Promise<boolean> {
    const { id, version, sessionRevision } = held;
    return this.#seen(
      id,
      ({ crawl }) => crawl.version === version && crawl.sessionRevision === sessionRevision,
    );
  }

  /** The last look before a request leaves. False if the crawl is not running, or its state is not known. */
  permits(crawlId: number): boolean {
    const entry = this.#entries.peek(crawlId);
    return entry?.state === 'running' && performance.now() - entry.readAt <= boundMs;
  }

  /** Runs `work` and reads states every second meanwhile, so that a request that connects slowly has a fresh state. */
  async attend<T>(work: () => Promise<T>): Promise<T> {
    return this.#attended.during(work);
  }

  #renew(): Promise<void> {
    return (this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = undefined)));
  }

  #seen(crawlId: number, look: (entry: Entry) => boolean): boolean | Promise<boolean> {
    const entry = this.#entries.get(crawlId);
    return entry !== undefined && isFresh(entry) ? look(entry) : this.#current(crawlId).then(look);
  }

  async #current(crawlId: number): Promise<Entry> {
    const entry = await this.#entry(crawlId);
    if (isFresh(entry)) return entry;
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
    const quarantine = new CrawlQuarantine(crawlId);
    await quarantine.follow(this.#urgent, row.quarantine_revision);
    const entry: Entry = {
      crawl: {
        id: row.id,
        tenantId: row.tenant_id,
        version: row.config_version,
        config,
        sessionRevision: row.session_revision,
        renders: row.renders,
        renderMode: compileRenderMode(config, compileUrlPattern),
        seenAs: seenAs(row),
        ...this.#scopeOf(crawlId, config, row.session_revision > 0),
        quarantine: config.traps ? quarantine : null,
        errorSigns: config.soft404 ? quarantine.errorSigns : () => [],
        sitemaps: sitemapChoice(config),
        takes: compileMediaFilter(config.contentTypes),
        counters: pageCounters(config.finish),
        userAgent,
        agentTokens: namesOf(this.#settings.userAgent, userAgent),
        weights: weightsOf(config.priority, config.focus !== null),
        topic: config.focus === null ? null : new Topic(config.focus),
        trusted: new Set(config.trustedDomains),
        mayHurry: row.tenant_id === defaultTenant,
        allowPrivate: [...this.#settings.allowPrivate, ...config.allowPrivate],
      },
      quarantine,
      state: row.state,
      readAt,
    };
    this.#entries.set(crawlId, entry);
    return entry;
  }

  /** Reads all crawls of this book anew, with one statement. */
  async #refresh(): Promise<void> {
    const readAt = performance.now();
    for (const row of await loadCrawls(this.#urgent, [...this.#entries.keys()])) {
      const entry = this.#entries.get(row.id);
      if (entry === undefined) continue;
      const { version, sessionRevision, renders, seenAs: seen } = entry.crawl;
      const isSame = version === row.config_version && sessionRevision === row.session_revision;
      if (isSame && renders === row.renders && seen === seenAs(row)) {
        await entry.quarantine.follow(this.#urgent, row.quarantine_revision);
        Object.assign(entry, { state: row.state, readAt });
      } else this.#entries.delete(row.id);
    }
  }

  #scopeOf(crawlId: number, config: CrawlConfig, signedIn: boolean): Pick<OpenCrawl, 'judge' | 'reaches'> {
    const { scope } = config;
    const judge = compileScope({ ...config, signedIn }, compileUrlPattern);
    const known: KnownPlaces = {
      has: (place) => this.#places.get(`${String(crawlId)} ${place}`) === true,
      add: (place) => void this.#places.set(`${String(crawlId)} ${place}`, true),
    };
    const judgeAll: OpenCrawl['judge'] = async (asked) => {
      const links = asked.map(({ link }) => link);
      const within = await isWithin(this.#pool, crawlId, scope, links, known);
      const verdicts: ScopeVerdict[] = [];
      let since = performance.now();
      for (const [at, { link, depth, seed, vouched, moved, requisite = false }] of asked.entries()) {
        // For the links of one page, thousands of patterns or costly ones can take seconds.
        if (performance.now() - since > longestTurnMs) {
          await breathe();
          since = performance.now();
        }
        const inside = within[at] === true || moved === true || (vouched === true && vouchedReach(scope));
        verdicts.push(judge(link, { depth, seed, inside, requisite }));
      }
      return verdicts;
    };
    const ofHosts = scope === 'prefix' ? 'host' : scope;
    const reaches: OpenCrawl['reaches'] = (links) => isWithin(this.#pool, crawlId, ofHosts, links, known);
    return { judge: judgeAll, reaches };
  }
}

const isFresh = ({ readAt }: Entry): boolean => performance.now() - readAt <= staleMs;

const seenAs = ({ id, seen_epoch: epoch }: CrawlRow): string => `${String(id)}:${epoch}`;

function sitemapChoice({ sitemapPatterns, modifiedSince }: CrawlConfig): SitemapChoice {
  const matchers = sitemapPatterns.map(compileUrlPattern);
  return {
    matches: matchers.length === 0 ? null : (url) => matchers.some((matches) => matches(url)),
    modifiedSince: modifiedSince === null ? null : Date.parse(modifiedSince),
  };
}
