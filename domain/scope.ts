/**
 * Whether a link belongs to a crawl. Compiled once for each version of a crawl's settings, asked for every link.
 *
 * A link outside the scope gets no row in the frontier. A link inside the scope that a filter stops is stored as
 * excluded, with its reason, so that it can be explained, and queued again when the filter changes.
 */

import { coveringDomain, hostName } from './opt-out.ts';
import type { PatternMatcher } from './pattern.ts';
import { rendersAny, type RenderMode } from './rendering/mode.ts';
import type { RequestHeaders } from './request-headers.ts';
import { actionIn, hasSession } from './session-links.ts';
import { filterReasons, type ExcludedReason, type FilterReason } from './url-reason.ts';
import type { CanonicalUrl } from './url.ts';

export interface ScopeConfig {
  /**
   * `host`: the seeds' hosts. `domain`: their registrable domains. `prefix`: their hosts, at or below their folders
   * (the path up to its last `/`). `any`: everything. A leading `www.` and http or https make no difference; ports
   * must agree, where the two default ports count as one.
   */
  readonly scope: 'host' | 'domain' | 'prefix' | 'any';
  /** Patterns over the canonical URL. If there are any, a URL that is not a seed must match one of them. */
  readonly include: readonly string[];
  /** Patterns over the canonical URL; they bind seeds too. */
  readonly exclude: readonly string[];
  /** Domains, each with all below it. If there are any, a URL that is not a seed must be in one of them. */
  readonly includeDomains: readonly string[];
  /** Domains, each with all below it; they bind seeds too. */
  readonly excludeDomains: readonly string[];
  /** Most links from a seed; a seed has depth 0; null: no limit. */
  readonly maxDepth: number | null;
  /** Most characters of a URL; not more than `maxUrlLength` of url.ts. */
  readonly maxUrlLength: number;
  /** Sent with its requests; only the names matter here. */
  readonly headers: RequestHeaders;
  /** The crawl has, or has had, a session that is not among its headers; absent: it has none. */
  readonly signedIn?: boolean;
  /** Links that end the session of the crawl, or change something, are followed. Without a session it makes no difference. */
  readonly sessionLinks: boolean;
  /** What pages need to be shown is fetched too, wherever it lies; absent: it is not. */
  readonly requisites?: boolean;
  /** Pages are rendered, and what their scripts ask for is fetched, wherever it lies; absent: they are not. */
  readonly render?: RenderMode;
  readonly renderAlways?: readonly string[];
}

/** The reason of an excluded URL that was in the frontier when an edit narrowed the scope. */
export const outOfScope = 'scope' satisfies ExcludedReason;

/** Reasons of excluded URLs that other settings may admit again. */
export const ruleReasons = [outOfScope, ...filterReasons] as const;

export type ScopeVerdict =
  | { readonly verdict: 'admit' }
  | { readonly verdict: 'outside'; readonly detail: string }
  | {
      readonly verdict: 'excluded';
      readonly reason: FilterReason;
      /** For people and for explain: the pattern or the numbers that decided. */
      readonly detail: string;
    };

/** What is known about a link beside its URL. */
export interface LinkFacts {
  /** Links from the nearest seed. */
  readonly depth: number;
  /** The link is a seed itself. */
  readonly seed: boolean;
  /** The crawl's scope reaches the link: the crawl has a seed in one of the places of `reachOf`. */
  readonly inside: boolean;
  /**
   * A page needs the file to be shown: neither the scope, nor the depth, nor what a crawl includes binds it, but what the
   * crawl excludes does.
   */
  readonly requisite?: boolean;
}

export type ScopeJudge = (link: CanonicalUrl, facts: LinkFacts) => ScopeVerdict;

export function compileScope(
  config: ScopeConfig,
  compilePattern: (pattern: string) => PatternMatcher,
): ScopeJudge {
  const include = config.include.map((pattern) => compilePattern(pattern));
  const exclude = config.exclude.map((pattern) => ({ pattern, matches: compilePattern(pattern) }));
  const includeDomains = new Set(config.includeDomains);
  const excludeDomains = new Set(config.excludeDomains);
  const lengthLimit = config.maxUrlLength;
  const needsFiles = config.requisites === true || rendersAny(config);
  const sparesSession = (config.signedIn === true || hasSession(config.headers)) && !config.sessionLinks;

  return (link, { depth, seed, inside, requisite = false }) => {
    if (requisite && !needsFiles)
      return { verdict: 'outside', detail: 'the crawl does not fetch what its pages need to be shown' };
    if (!inside && !requisite) {
      return { verdict: 'outside', detail: `not within the seeds' scope (${config.scope}): ${link.host}` };
    }
    if (link.url.length > lengthLimit) {
      return excluded('url-length', `${String(link.url.length)} characters, limit ${String(lengthLimit)}`);
    }
    if (config.maxDepth !== null && depth > config.maxDepth && !requisite) {
      return excluded('depth', `depth ${String(depth)}, limit ${String(config.maxDepth)}`);
    }
    const domain = coveringDomain(hostName(link.host), excludeDomains);
    if (domain !== null) return excluded('domain', domain);
    const stop = exclude.find(({ matches }) => matches(link.canonical));
    if (stop !== undefined) return excluded('pattern', stop.pattern);
    if (seed) return admitted;
    if (!requisite && include.length > 0 && !matchesAny(include, link.canonical)) {
      return excluded('not-included', `none of ${String(include.length)} include patterns`);
    }
    if (
      !requisite &&
      includeDomains.size > 0 &&
      coveringDomain(hostName(link.host), includeDomains) === null
    ) {
      return excluded('not-included', `of none of ${String(includeDomains.size)} included domains`);
    }
    const action = sparesSession ? actionIn(link.canonical) : null;
    if (action !== null) return excluded('session-link', action);
    return admitted;
  };
}

/**
 * Does the scope reach a sitemap on the host of the sitemap that names it? Where that one is read, it does: a host may
 * keep its sitemaps elsewhere (sitemaps.org, "Sitemaps & Cross Submits"). A folder binds what an index names.
 */
export const vouchedReach = (scope: ScopeConfig['scope']): boolean => scope !== 'prefix';

/** Why the domain rules keep a sitemap out that lies on a host outside the scope; null: they do not. */
export function refusedDomain(
  { includeDomains, excludeDomains }: Pick<ScopeConfig, 'includeDomains' | 'excludeDomains'>,
  link: CanonicalUrl,
): { readonly reason: FilterReason; readonly detail: string } | null {
  const domain = coveringDomain(hostName(link.host), new Set(excludeDomains));
  if (domain !== null) return { reason: 'domain', detail: domain };
  if (includeDomains.length === 0 || coveringDomain(hostName(link.host), new Set(includeDomains)) !== null)
    return null;
  return { reason: 'not-included', detail: `of none of ${String(includeDomains.length)} included domains` };
}

const admitted: ScopeVerdict = { verdict: 'admit' };

function excluded(reason: FilterReason, detail: string): ScopeVerdict {
  return { verdict: 'excluded', reason, detail };
}

function matchesAny(patterns: readonly PatternMatcher[], text: string): boolean {
  return patterns.some((matches) => matches(text));
}

/** The place of a seed; with fewer fields, a wider place that may hold seeds. */
export interface Place {
  /** Registrable domain, or the host itself, with its port. */
  readonly domain: string;
  /** Host and port, without `www.`. */
  readonly site?: string;
  /** Path up to its last `/`. */
  readonly folder?: string;
}

/**
 * The registrable domain of a host name as it stands in a URL (punycode, or an IP address), without port. Null if there
 * is none (an address, a public suffix, a name of one label): then the host name itself is used instead.
 */
export type RegistrableDomain = (hostname: string) => string | null;

/** The place of a seed. */
export function placeOf(seed: CanonicalUrl, registrableDomain: RegistrableDomain): Required<Place> {
  const path = pathOf(seed);
  return { ...sitePlace(seed, registrableDomain), folder: path.slice(0, path.lastIndexOf('/') + 1) };
}

/** The scope reaches a link if one of these places holds a seed; null: the scope reaches every link. */
export function reachOf(
  scope: ScopeConfig['scope'],
  link: CanonicalUrl,
  registrableDomain: RegistrableDomain,
): readonly Place[] | null {
  switch (scope) {
    case 'any':
      return null;
    case 'host':
      return [sitePlace(link, registrableDomain)];
    case 'domain':
      return [{ domain: sitePlace(link, registrableDomain).domain }];
    case 'prefix': {
      const place = sitePlace(link, registrableDomain);
      return foldersOf(pathOf(link)).map((folder) => ({ ...place, folder }));
    }
  }
}

function sitePlace(
  link: CanonicalUrl,
  registrableDomain: RegistrableDomain,
): Required<Omit<Place, 'folder'>> {
  const site = siteOf(link.host);
  const { hostname, port } = splitAuthority(site);
  return { domain: (registrableDomain(hostname) ?? hostname) + port, site };
}

/** A path's folder and all folders above it, the widest first. */
function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1))
    folders.push(path.slice(0, at + 1));
  return folders;
}

/** All origins that count as one site with this one. */
export function originsOfSite(origin: string): readonly string[] {
  const site = siteOf(origin);
  return ['http://', 'https://'].flatMap((scheme) => [scheme + site, `${scheme}www.${site}`]);
}

/** Authority without scheme and leading `www.`; WHATWG URL has removed default ports already. */
function siteOf(origin: string): string {
  const authority = origin.slice(origin.indexOf('//') + 2);
  return authority.startsWith('www.') ? authority.slice('www.'.length) : authority;
}

/** `port` has its colon, or is ''. Colons of an IPv6 address are inside brackets, so they start no port. */
function splitAuthority(authority: string): { readonly hostname: string; readonly port: string } {
  const colon = authority.lastIndexOf(':');
  if (colon < 0 || authority.endsWith(']')) return { hostname: authority, port: '' };
  return { hostname: authority.slice(0, colon), port: authority.slice(colon) };
}

/**
 * Path of the canonical form. If the rules drop trailing slashes, the slash of the URL as found is put back: without it
 * `/docs/` would count as a page of the folder above.
 */
function pathOf(link: CanonicalUrl): string {
  const path = pathPart(link.canonical);
  return pathPart(link.url).endsWith('/') && !path.endsWith('/') ? path + '/' : path;
}

function pathPart(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2);
  const query = url.indexOf('?', start);
  return query < 0 ? url.slice(start) : url.slice(start, query);
}
