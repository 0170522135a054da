/**
 * A crawl as every process sees it: its settings, its states and its ledger.
 * Shapes here are stored in Postgres (`crawl.config`) and answered by the API, so fields are only ever added.
 */

import type { FinishCriteria } from '../domain/finish-criteria.ts';
import type { GivenWeights } from '../domain/priority/score.ts';
import type { Focus } from '../domain/relevance/focus.ts';
import type { KeepFresh } from '../domain/recrawl/keep-fresh.ts';
import type { RequestHeaders } from '../domain/request-headers.ts';
import type { SitemapMode } from '../domain/sitemap-choice.ts';
import { maxUrlLength } from '../domain/url.ts';
import type { PageRules } from './page-rules.ts';

/** Which links belong to the crawl, judged against its seeds. `www.` and http/https make no difference. */
export type Scope =
  /** the seeds' own hosts */
  | 'host'
  /** the seeds' registrable domains (public suffix list) */
  | 'domain'
  /** the seeds' hosts and below the seeds' folders */
  | 'prefix'
  /** everything */
  | 'any';

export const boilerplateModes = ['keep', 'leave-out'] as const;

export interface CrawlConfig {
  readonly scope: Scope;
  /**
   * Globs, or `re:` and a regular expression, over the canonical URL. If there are any, a URL must match one. Seeds are
   * exempt.
   */
  readonly include: readonly string[];
  /** As `include`; a URL that matches one is excluded. */
  readonly exclude: readonly string[];
  /** Domains, each with all below it. If there are any, a URL must be of one. Seeds are exempt. */
  readonly includeDomains: readonly string[];
  /** Domains, each with all below it, whose URLs are excluded. */
  readonly excludeDomains: readonly string[];
  /** Characters of a URL at most; longer ones are excluded (F27: 2,048). */
  readonly maxUrlLength: number;
  /**
   * Media types of bodies that are taken, such as `text/html` or `image/*`; none: all types. Seeds and sitemaps are
   * exempt.
   */
  readonly contentTypes: readonly string[];
  /** Pages to fetch at most; null: no limit. */
  readonly maxPages: number | null;
  /** Links to follow from a seed at most (a seed has depth 0); null: no limit. */
  readonly maxDepth: number | null;
  /** Seconds from start to drain; null: no limit. */
  readonly maxSeconds: number | null;
  /** Criteria that end the crawl before nothing is left to fetch, besides the limits above; null or absent: none. */
  readonly finish: FinishCriteria | null;
  /** How the crawl keeps its pages fresh once it has fetched them; null or absent: each URL is fetched once. */
  readonly keepFresh: KeepFresh | null;
  /** Whether pages come from sitemaps, from links, or from both. */
  readonly sitemap: SitemapMode;
  /**
   * As `include`, over the URLs of sitemaps that other sitemaps name: if there are any, such a sitemap must match one to be
   * read.
   */
  readonly sitemapPatterns: readonly string[];
  /** ISO 8601: what a sitemap dates before it is left out; null: nothing is. */
  readonly modifiedSince: string | null;
  /** URLs admitted per host at most (F27: 100,000). */
  readonly maxPagesPerHost: number;
  /** Links taken from one page at most; the other links are counted (domain/limits.ts). */
  readonly maxLinksPerPage: number;
  /** Redirects in a row that are followed at most. */
  readonly maxRedirects: number;
  /**
   * Seconds between two requests of this crawl to a host, if longer than the host's own pace; null: the host's pace.
   * Crawls of the first tenant may ask for less than the default of a second, never for less than robots.txt.
   */
  readonly delaySeconds: number | null;
  /** The delay is at least this many times what the host's last answer took; null: no such rule. */
  readonly delayFactor: number | null;
  /** Turns at a host that several crawls want, for each turn of a crawl with weight 1 (1 to 100). */
  readonly weight: number;
  /**
   * What a page's score is made of: the share of each signal, which sum to 1 (domain/priority/score.ts); null: the
   * default weights.
   */
  readonly priority: GivenWeights | null;
  /** What the crawl is about: pages that promise to be relevant to it are fetched first; null: no such thing. */
  readonly focus: Focus | null;
  /** Domains, each with all below it, that count as trusted when pages are scored. */
  readonly trustedDomains: readonly string[];
  /** URLs of shapes that look like traps go into quarantine; absent: true. */
  readonly traps: boolean;
  /** Pages whose text is nearly that of another page are marked; absent: false. */
  readonly nearDuplicates: boolean;
  /** What becomes of text that repeats over the pages of a host; absent: `keep`. */
  readonly boilerplate: (typeof boilerplateModes)[number];
  /** Answers are compared with those before them, and changes of pages are told; absent: false. */
  readonly changes: boolean;
  /** Versions kept of each page whose changes are told. */
  readonly versionsKept: number;
  /** The pages are indexed for searches by their texts; absent: false. */
  readonly search: boolean;
  /** Pages that are not there, though their server says so with no status, go into quarantine; absent: false. */
  readonly soft404: boolean;
  /** Fields, parts and links by which its pages are read; null: as always. */
  readonly rules: PageRules | null;
  /** Every body is transferred anew, also bodies that an earlier crawl has stored; absent: false. */
  readonly fresh: boolean;
  /** What pages need to be shown (style sheets, scripts, pictures) is fetched too, wherever it lies; absent: false. */
  readonly requisites: boolean;
  /** Days after its end on which the crawl is deleted with its data; null: the instance's setting. */
  readonly retentionDays: number | null;
  /** User agent sent; null: the setting of the worker. */
  readonly userAgent: string | null;
  /** Request headers sent to the origins of its seeds, and to no other. */
  readonly headers: RequestHeaders;
  /** Links that end the session of the headers, or change something, are followed; absent: false. */
  readonly sessionLinks: boolean;
  /** Links of pages are followed; absent: true. False: the seeds alone, and where they redirect to. */
  readonly follow: boolean;
  /** CIDR blocks of private or special addresses this crawl may reach. */
  readonly allowPrivate: readonly string[];
}

export const defaultCrawlConfig: CrawlConfig = {
  scope: 'host',
  include: [],
  exclude: [],
  includeDomains: [],
  excludeDomains: [],
  maxUrlLength,
  contentTypes: [],
  maxPages: null,
  maxDepth: null,
  maxSeconds: null,
  finish: null,
  keepFresh: null,
  sitemap: 'include',
  sitemapPatterns: [],
  modifiedSince: null,
  maxPagesPerHost: 100_000,
  maxLinksPerPage: 10_000,
  // As many as RFC 9309 §2.3.1.2 asks crawlers to follow for robots.txt.
  maxRedirects: 5,
  delaySeconds: null,
  delayFactor: null,
  weight: 1,
  priority: null,
  focus: null,
  trustedDomains: [],
  traps: true,
  nearDuplicates: false,
  boilerplate: 'keep',
  changes: false,
  versionsKept: 5,
  search: false,
  soft404: false,
  rules: null,
  fresh: false,
  requisites: false,
  retentionDays: null,
  userAgent: null,
  headers: {},
  sessionLinks: false,
  follow: true,
  allowPrivate: [],
};

/** Stored settings made whole: a setting that is newer than the stored ones has its default. */
export const wholeConfig = (stored: Partial<CrawlConfig>): CrawlConfig => ({
  ...defaultCrawlConfig,
  ...stored,
});

export { closedCrawlStates, crawlStates, standsAs, type CrawlState } from '../domain/crawl-life.ts';
export { urlStates, type Ledger, type UrlState } from '../domain/ledger.ts';
