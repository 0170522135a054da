/**
 * Canonical URLs: the key that tells whether a page was seen already. Two URLs with the same canonical form are one
 * page. The canonical form is never fetched: a rule that is wrong for a site costs a duplicate or a missed variant
 * there, but never a request for a URL that no page linked to.
 *
 * Host case, IDN, default ports, dot segments and stray white space are WHATWG URL's work. Added here: no fragment,
 * no trailing dot in the host, IPv4-mapped addresses as IPv4, percent-encoding normal form, parameters sorted by name,
 * tracking parameters and session ids left out, empty queries left out. The canonical form of a canonical form is itself.
 */

import { percentNormalForm } from './url-percent.ts';
import { droppedAs, dropPathSessions, pathSessionHint } from './url-rules.ts';

/** Must be raised with every change of some URL’s canonical form: keys of two versions cannot be compared. @public */
export const canonicalRulesVersion = 2;

/** Most characters of a URL, as fetched and as canonical form (F27). */
export const maxUrlLength = 2_048;

/** Rules that are right for some sites only, and so are off by default. They change `canonical` only. */
export interface CanonicalRules {
  /** `/a/` and `/a` are one page. */
  readonly dropTrailingSlash: boolean;
  /** `www.example.com` and `example.com` are one site. */
  readonly dropWww: boolean;
}

export const defaultCanonicalRules: CanonicalRules = { dropTrailingSlash: false, dropWww: false };

export interface CanonicalUrl {
  /** What is fetched: absolute, as found, without the fragment and a trailing dot of the host, IPv4-mapped hosts as IPv4. Starts with `host`. */
  readonly url: string;
  /** ASCII text of the dedup key. */
  readonly canonical: string;
  /** Scheme and authority, no trailing slash: the unit of politeness, such as `http://127.0.0.1:8080`. */
  readonly host: string;
}

/** Why a text is no URL that a crawl can have. */
export const urlRejections = [
  /** no absolute URL can be read from the text (and the base, if given) */
  'not-a-url',
  /** neither http nor https */
  'scheme',
  /** the host is nothing but dots, or ends in an empty label */
  'no-host',
  /** a user name or password in the URL: secrets are not stored in a frontier */
  'credentials',
  /** over `maxUrlLength` */
  'too-long',
] as const;
export type UrlRejection = (typeof urlRejections)[number];

export type UrlResult =
  | { readonly ok: true; readonly value: CanonicalUrl }
  | { readonly ok: false; readonly rejected: UrlRejection };

/**
 * Reads a link as found in a page, a seeds file or a header; `base` is the URL it is relative to.
 * Never throws. About one WHATWG parse in cost where nothing needs changing.
 */
export function canonicalize(
  raw: string,
  base?: string,
  rules: CanonicalRules = defaultCanonicalRules,
): UrlResult {
  // Far over the limit even with a long fragment: not worth parsing.
  if (raw.length > 16 * maxUrlLength) return reject('too-long');
  const parsed = URL.parse(raw, base);
  if (parsed === null) return reject('not-a-url');
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') return reject('scheme');
  if (parsed.username !== '' || parsed.password !== '') return reject('credentials');
  const { hostname } = parsed;
  if (hostname.endsWith('.')) {
    const bare = hostname.slice(0, -1);
    if (bare === '' || bare.endsWith('.')) return reject('no-host');
    parsed.hostname = bare;
  }
  const [, high, low] = mappedAddress.exec(hostname) ?? [];
  if (high !== undefined && low !== undefined) parsed.hostname = asIPv4(high, low);

  const { href, origin } = parsed;
  const fragment = href.indexOf('#');
  const url = fragment < 0 ? href : href.slice(0, fragment);
  const canonical =
    canonicalOrigin(origin, rules) +
    canonicalPath(parsed.pathname, rules) +
    (parsed.search === '' ? '' : canonicalQuery(parsed.search));
  if (url.length > maxUrlLength || canonical.length > maxUrlLength) return reject('too-long');
  return { ok: true, value: { url, canonical, host: origin } };
}

/** Path and query as sent in the request line: what robots.txt rules are matched against. Starts with `/`. */
export function pathAndQuery(link: Pick<CanonicalUrl, 'url' | 'host'>): string {
  return link.url.slice(link.host.length);
}

/** An IPv4 address in the dress of IPv6 (RFC 4291, section 2.5.5.2), as WHATWG URL writes it: the same machine. */
const mappedAddress = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/;

const asIPv4 = (high: string, low: string): string =>
  [high, low]
    .map((half) => parseInt(half, 16))
    .flatMap((half) => [half >> 8, half & 0xff])
    .join('.');

function reject(rejected: UrlRejection): UrlResult {
  return { ok: false, rejected };
}

/** Also repeated `www.`, so that the form is stable. A name of two labels (`www.com`) keeps its `www.`. */
const wwwLabels = /\/\/(?:www\.)+(?=[^.]+\.)/;

function canonicalOrigin(origin: string, rules: CanonicalRules): string {
  return rules.dropWww ? withoutWww(origin) : origin;
}

/** An origin without its leading `www.`. */
export const withoutWww = (origin: string): string => origin.replace(wwwLabels, '//');

function canonicalPath(pathname: string, rules: CanonicalRules): string {
  let path = percentNormalForm(pathname);
  if (pathSessionHint.test(path)) path = dropPathSessions(path);
  if (rules.dropTrailingSlash && path.endsWith('/')) path = withoutTrailingSlashes(path);
  return path;
}

/** The path `/` stays as it is. */
export function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && path.charCodeAt(end - 1) === 0x2f) end--;
  return path.slice(0, end);
}

/** `search` with its `?`. `a` and `a=` stay apart, `+` stays `+`, repeated names keep their order. */
function canonicalQuery(search: string): string {
  const query = percentNormalForm(search.slice(1));
  const kept: { readonly name: string; readonly text: string }[] = [];
  let sorted = true;
  for (const text of query.split('&')) {
    if (text === '') continue;
    const equals = text.indexOf('=');
    const name = equals < 0 ? text : text.slice(0, equals);
    if (droppedAs(name, equals < 0 ? '' : text.slice(equals + 1)) !== null) continue;
    const previous = kept.at(-1);
    if (previous !== undefined && name < previous.name) sorted = false;
    kept.push({ name, text });
  }
  if (kept.length === 0) return '';
  if (!sorted) kept.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return '?' + kept.map((parameter) => parameter.text).join('&');
}
