/** From href attributes to the URLs a crawl may follow. */
// The first import is for all encodings: the second knows those that were loaded.
import '@exodus/bytes/encoding.js';
import { percentEncodeAfterEncoding } from '@exodus/bytes/whatwg.js';
import type { Cut } from '../domain/limits.ts';
import { maxUrlLength } from '../domain/url.ts';
import { ownCopy } from './own-copy.ts';

/** Longest href kept, in characters: far above the 2,048 a crawl admits, far below a data: URL of a megabyte. */
const LONGEST_HREF = 8_192;
/** Distinct hrefs resolved per page, as many as a crawl may follow: bounds the time a page of a million links can take. */
const MOST_HREFS = 50_000;
/** Begins with a scheme that is not followed, as a data: URL does. */
const OTHER_SCHEME = /^\s*(?!https?:)[a-z][a-z\d+.-]*:/i;

/**
 * Characters that the WHATWG URL parser copies as they are in a path or query of an http(s) URL: no tab, newline,
 * space, backslash or non-ASCII, nothing from the path or special-query percent-encode sets.
 */
const PLAIN = /^[\w\-.~!$&()*+,;=:@%/?]*$/;
/** A path segment that is, or may be, a dot segment. */
const DOT_SEGMENT = /(?:^|\/)(?:\.|%2e)/i;

/** Absolute http(s) URL of an href without its fragment, or null where there is none to follow. */
type Resolve = (href: string) => string | null;

/**
 * Base URL of a page's links (HTML standard section 4.2.3): a <base> that is not an http(s) URL is ignored, and so is one
 * that no URL of a crawl can begin with. Its links would all be as long, and tens of thousands of URLs longer than
 * 16,383 characters take hours to tell from one another: their hash in V8 is their length.
 */
export function baseOf(href: string | null, url: URL): URL {
  const base = href === null ? null : URL.parse(href, url.href);
  const isHttp = base?.protocol === 'http:' || base?.protocol === 'https:';
  return isHttp && base.href.length <= maxUrlLength ? base : url;
}

/** Encodings in which the queries of URLs are UTF-8 all the same (URL standard, "query state"; Encoding §4.3). */
const asUtf8: ReadonlySet<string> = new Set(['utf-8', 'utf-16le', 'utf-16be', 'x-user-defined']);
const beyondAscii = /[^\0-\x7f]/;

/** A reference whose query is encoded as servers of pages in that encoding expect it (URL standard, "query state"). */
function withQueryIn(charset: string, href: string): string {
  if (!beyondAscii.test(href)) return href;
  const [, before = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(.*)$/s.exec(href) ?? [];
  if (!beyondAscii.test(query)) return href;
  // What the encoding lacks becomes a numeric reference; the rest of the query is left to the parser.
  const encoded = query.replace(/[^\0-\x7f]+/g, (run) => percentEncodeAfterEncoding(charset, run, ''));
  return before + encoded + fragment;
}

/**
 * Resolves as the WHATWG URL parser does; most hrefs of real pages take a shortcut that a property test holds to it.
 * @param charset of the page, as WHATWG names it
 */
export function createResolver(base: URL, charset = 'utf-8'): Resolve {
  const { origin } = base;
  const hasShortcut = origin !== 'null' && base.username === '' && base.password === '';
  const folder = origin + base.pathname.slice(0, base.pathname.lastIndexOf('/') + 1);

  const shortcut = (href: string): string | null => {
    if (!PLAIN.test(href) || DOT_SEGMENT.test(href)) return null;
    if (href.startsWith('/')) return href.startsWith('//') ? null : origin + href;
    if (href.startsWith(origin) && href.charAt(origin.length) === '/') return href;
    return href === '' || href.startsWith('?') || href.includes(':') ? null : folder + href;
  };

  const inUtf8 = asUtf8.has(charset);
  return (given) => {
    const href = inUtf8 ? given : withQueryIn(charset, given);
    const hash = href.indexOf('#');
    const reference = hash === -1 ? href : href.slice(0, hash);
    const short = hasShortcut ? shortcut(reference) : null;
    // Links are kept for long (engine/admission). The parser gets the whole: what it strips depends on the fragment.
    return short === null ? resolveFully(href, base) : ownCopy(short);
  };
}

function resolveFully(href: string, base: URL): string | null {
  const url = URL.parse(href, base.href);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  url.hash = '';
  return url.href;
}

interface Links {
  /** To follow: in document order, without repeats, at most `maxLinks`. */
  readonly urls: readonly string[];
  /** Distinct URLs found, nofollow ones and those over the limit included. */
  readonly seen: number;
  /** By how much: `links` over the limit, `nofollow` ones, `longUrls`. */
  readonly cut: Cut;
}

/** Gathers hrefs while the page is read; resolves them at its end, when its <base> is known. */
export class LinkCollector {
  /** Raw href → whether one of its links may be followed. A followable one stands where it first was followable. */
  private readonly hrefs = new Map<string, boolean>();
  private tooLong = 0;
  /** Hrefs that had no room, repeats included, by whether they may be followed. */
  private readonly beyond = { followed: 0, barred: 0 };

  add(href: string, follow: boolean): void {
    if (href.length > LONGEST_HREF) {
      if (follow && !OTHER_SCHEME.test(href)) this.tooLong++;
      return;
    }
    const known = this.hrefs.get(href);
    if (known === undefined && this.hrefs.size >= MOST_HREFS) {
      this.beyond[follow ? 'followed' : 'barred']++;
      return;
    }
    if (known === true || known === follow) return;
    this.hrefs.delete(href);
    this.hrefs.set(href, follow);
  }

  /** Links of the page `self` (without fragment), which is no link of its own. */
  resolve(resolve: Resolve, self: string, maxLinks: number): Links {
    const seen = new Set<string>();
    const followable = new Set<string>();
    for (const [href, follow] of this.hrefs) {
      const url = resolve(href);
      if (url === null || url === self) continue;
      seen.add(url);
      if (follow) followable.add(url);
    }
    const urls = [...followable].slice(0, maxLinks);
    const links = followable.size - urls.length + this.beyond.followed;
    const nofollow = seen.size - followable.size + this.beyond.barred;
    return { urls, seen: seen.size, cut: { links, nofollow, longUrls: this.tooLong } };
  }
}
