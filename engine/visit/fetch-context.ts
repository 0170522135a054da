/** What all slices of a process share. */
import { refusedDomain } from '../../domain/scope.ts';
import { sitemapLimits } from '../../domain/sitemap-limits.ts';
import { canonicalize, type CanonicalUrl } from '../../domain/url.ts';
import { candidate, type Candidate } from '../admission/candidates.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import type { Dependencies } from '../dependencies.ts';
import { ReaderAtHand } from '../reading/at-hand.ts';
import { longestVisitMs } from '../../domain/slice.ts';
import { Census } from './census.ts';
import { barredFrom } from './gates.ts';
import { EarlierBodies } from './earlier-bodies.ts';
import { RobotsFetcher } from './fetch-robots.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import { KeptCookies } from '../sessions/kept-cookies.ts';
import type { HostRules } from './host-rules.ts';
import { Chains } from './redirect-chain.ts';
import { WorkAhead } from './work-ahead.ts';
import { lastUsed } from '../last-used.ts';

/**
 * Milliseconds that a visit may go on after its time is over, apart from requests that go on to their own limit: it waits
 * for a minute for what it fetched to be read, and stores what it has learnt.
 */
const overtimeMs = 120_000;
/** With more hosts under visit, there is always something to do together. */
const quietHosts = 50;

export class FetchContext {
  readonly dependencies: Dependencies;
  readonly keeper: LeaseKeeper;
  readonly robotsFetcher: RobotsFetcher;
  readonly earlierBodies: EarlierBodies;
  readonly ahead: WorkAhead;
  /** Null: lanes read all pages. */
  readonly atHand: ReaderAtHand | null;
  readonly chains = new Chains();
  readonly kept: KeptCookies;
  readonly census = new Census(longestVisitMs);
  /** Pairs of crawl and host whose sitemaps this process has admitted to the frontier, as far as it remembers. */
  readonly #sitemapsDone = lastUsed<string, true>(10_000);

  constructor(dependencies: Dependencies) {
    const { pool, settings, log, extractor, keys } = dependencies;
    this.dependencies = dependencies;
    this.atHand = extractor === undefined ? null : new ReaderAtHand(dependencies, extractor);
    // A request that most likely went unheard is made once more.
    const graceMs = overtimeMs + 2 * settings.requestTimeoutMs;
    this.keeper = new LeaseKeeper(pool, settings.leaseMs, log, graceMs);
    this.ahead = new WorkAhead(pool, () => this.isQuiet);
    this.earlierBodies = new EarlierBodies(pool);
    this.kept = new KeptCookies(pool, keys);
    this.robotsFetcher = new RobotsFetcher(dependencies, this.keeper);
  }

  /** Are few hosts visited? Then what one of them waits for is done at once, and not together with what comes soon. */
  get isQuiet(): boolean {
    return this.keeper.count <= quietHosts;
  }

  /**
   * Admits the sitemaps that robots.txt names, for each crawl that is new at the host (RFC 9309 §2.2.4), wherever they
   * lie: many hosts keep theirs in buckets or at a CDN. Their pages are judged one by one. A crawl that
   * takes pages from sitemaps only asks for one where it usually is, if robots.txt names none by a URL. A crawl that may
   * not go to the address that robots.txt came from is told nothing of it.
   */
  async admitSitemaps(
    hostId: string,
    origin: string,
    crawls: readonly OpenCrawl[],
    rules: HostRules,
  ): Promise<void> {
    const { robots } = rules;
    if (robots === null) return;
    const curious = crawls.filter((crawl) => {
      const { sitemap, follow } = crawl.config;
      if (!follow || sitemap === 'skip' || this.#sitemapsDone.has(`${String(crawl.id)} ${hostId}`))
        return false;
      return barredFrom(rules, crawl) === null;
    });
    if (curious.length === 0) return;
    const linksOf = (lines: readonly string[]) =>
      lines.flatMap((line) => {
        const link = canonicalize(line, origin);
        return link.ok ? [link.value] : [];
      });
    const own = linksOf(robots.sitemaps.slice(0, sitemapLimits.robotsLines));
    const named = own.length > 0 ? own : linksOf(['/sitemap.xml']);
    const newcomers =
      own.length > 0 ? curious : curious.filter(({ config: { sitemap } }) => sitemap === 'only');
    const candidates: Candidate[] = [];
    const done: string[] = [];
    for (const crawl of newcomers) {
      const [isReached, ...within] = await crawl.reaches([rootOf(origin), ...named]);
      // A host that is visited for its sitemaps alone vouches for no others, until a seed brings its pages in.
      if (isReached !== true) continue;
      done.push(`${String(crawl.id)} ${hostId}`);
      for (const [at, link] of named.entries()) {
        const refusal = within[at] === true ? null : refusedDomain(crawl.config, link);
        const found = { in: 'sitemaps', sitemap: null, ...(refusal !== null && { refusal }) } as const;
        candidates.push(candidate(crawl, link, found));
      }
    }
    const { admission, writer } = this.dependencies;
    if (candidates.length > 0) await admission.store(writer, candidates);
    for (const name of done) this.#sitemapsDone.set(name, true);
  }
}

function rootOf(origin: string): CanonicalUrl {
  const root = canonicalize(`${origin}/`);
  if (!root.ok) throw new Error(`${origin} is the origin of no URL`);
  return root.value;
}
