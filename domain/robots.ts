/**
 * Reads robots.txt by RFC 9309 as Google reads it: forgiving about keys, colons, byte order marks and line ends;
 * groups that name the same agent are one group; a group for the agent's own name replaces the `*` group.
 * Whatever the bytes are, reading ends in linear time and yields some set of rules, at worst an empty one.
 *
 * Two deliberate differences from Google's open-source parser, both RFC 9309: escaped unreserved characters and
 * `%2A`, `%24` equal their plain form (§2.2.2, §2.2.3), and `/robots.txt` itself is always allowed (§2.2.2).
 */

import { compileRules, type RobotsRule, type RobotsVerdict, type RuleMatcher } from './robots-match.ts';
import { octetText, octetTextOf, readableText } from './robots-octets.ts';

export type { RobotsVerdict } from './robots-match.ts';

/** Octets read of a robots.txt (RFC 9309 §2.5 asks for at least this); the rest is ignored. */
export const maxRobotsOctets = 500 * 1024;

/** Milliseconds for which a visit goes by a copy that is older, while robots.txt cannot be read, before it is asked for again. */
export const olderRobotsMs = 15 * 60_000;

/** Octets read of one line; the rest of the line is ignored, as Google does. */
const maxLineOctets = 2_083 * 8 - 1;

export interface AgentRules {
  /** Largest Crawl-delay of the groups that apply, in seconds, fractions allowed; null where none is set. */
  readonly crawlDelaySeconds: number | null;
  /** `pathAndQuery` starts with `/` and is as requested, without a fragment. */
  check(pathAndQuery: string): RobotsVerdict;
}

export interface Robots {
  /** The file is longer than the part that is read. */
  readonly isCut: boolean;
  /** Values of the Sitemap lines, as written, in order, without repeats. They hold for all agents; may not be URLs. */
  readonly sitemaps: readonly string[];
  /**
   * Rules for a product token (see `productToken`; case makes no difference): the rules of all groups that name it; if
   * none does, the rules of the `*` groups. Compiled at the first call for a token and kept.
   */
  forAgent(token: string): AgentRules;
}

/** User-agent lines that follow each other, and the rules below them (RFC 9309 §2.1). */
interface Group {
  agents: number;
  readonly rules: RobotsRule[];
  /** A delay holds for the user-agent lines above it: the first `agents` of the group. */
  readonly delays: { readonly agents: number; readonly seconds: number }[];
}

interface Membership {
  readonly group: Group;
  /** Index of the agent's first User-agent line in the group. */
  readonly place: number;
}

/** Reads a robots.txt, as bytes or as decoded text. Never throws. */
export function parseRobots(body: string | Uint8Array): Robots {
  const reader = new RobotsReader();
  const isCut = eachLine(body, (line, number) => {
    reader.readLine(line, number);
  });
  return reader.robots(isCut);
}

class RobotsReader {
  readonly #memberships = new Map<string, Membership[]>();
  readonly #sitemaps = new Set<string>();
  #group: Group | null = null;
  /** The next user-agent line starts a new group: only Allow and Disallow close one (RFC 9309 §2.2.4). */
  #groupClosed = true;

  readLine(line: string, number: number): void {
    const pair = keyAndValue(line);
    if (pair === null) return;
    const { value } = pair;
    const key = kindOf(pair.key);
    switch (key) {
      case 'user-agent':
        this.#openGroupFor(value);
        return;
      case 'allow':
      case 'disallow':
        if (this.#group === null) return;
        this.#groupClosed = true;
        this.#group.rules.push({ allow: key === 'allow', pattern: value, written: pair.text, line: number });
        return;
      case 'crawl-delay': {
        const seconds = delaySeconds(value);
        if (seconds !== null) this.#group?.delays.push({ agents: this.#group.agents, seconds });
        return;
      }
      case 'sitemap':
        if (value !== '') this.#sitemaps.add(readableText(value));
        return;
      case 'other':
        return;
    }
  }

  #openGroupFor(value: string): void {
    if (this.#group === null || this.#groupClosed) {
      this.#group = { agents: 0, rules: [], delays: [] };
      this.#groupClosed = false;
    }
    const group = this.#group;
    const place = group.agents++;
    // Google takes `*` with anything after white space for `*`.
    const token = /^\*(?:\s|$)/.test(value) ? '*' : leadingToken(value);
    if (token === '') return;
    const memberships = this.#memberships.get(token);
    if (memberships === undefined) this.#memberships.set(token, [{ group, place }]);
    else if (memberships.at(-1)?.group !== group) memberships.push({ group, place });
  }

  robots(isCut: boolean): Robots {
    const memberships = this.#memberships;
    const compiled = new Map<string, AgentRules>();
    return {
      isCut,
      sitemaps: [...this.#sitemaps],
      forAgent(token) {
        const lower = token.toLowerCase();
        const name = lower !== '*' && memberships.has(lower) ? lower : '*';
        let rules = compiled.get(name);
        if (rules === undefined) {
          rules = agentRules(memberships.get(name) ?? []);
          compiled.set(name, rules);
        }
        return rules;
      },
    };
  }
}

function agentRules(memberships: readonly Membership[]): AgentRules {
  let crawlDelaySeconds: number | null = null;
  for (const { group, place } of memberships) {
    for (const delay of group.delays) {
      if (place < delay.agents) crawlDelaySeconds = Math.max(crawlDelaySeconds ?? 0, delay.seconds);
    }
  }
  let matcher: RuleMatcher | null = null;
  return {
    crawlDelaySeconds,
    check(pathAndQuery) {
      matcher ??= compileRules(memberships.flatMap(({ group }) => group.rules));
      return matcher(pathAndQuery);
    },
  };
}

/**
 * Rules for a crawler that goes by several names. It obeys the rules for each name: a URL is allowed only if all of
 * them allow it, and the longest Crawl-delay holds. @param tokens at least one
 */
export function rulesForAll(robots: Robots, tokens: readonly string[]): AgentRules {
  const each = tokens.map((token) => robots.forAgent(token));
  const delays = each.flatMap(({ crawlDelaySeconds }) => crawlDelaySeconds ?? []);
  return {
    crawlDelaySeconds: delays.length === 0 ? null : Math.max(...delays),
    check(pathAndQuery) {
      const verdicts = each.map((rules) => rules.check(pathAndQuery));
      const verdict = verdicts.find(({ allowed }) => !allowed) ?? verdicts[0];
      if (verdict === undefined) throw new RangeError('robots.txt is judged for no name at all');
      return verdict;
    },
  };
}

/**
 * Calls `read` with each line's octets and its number, from 1; CR, LF and CRLF end a line. Leaves out a last line that
 * the size limit cuts short: half of `Disallow: /private` would close the whole site. Returns whether the limit cut
 * anything.
 */
function eachLine(body: string | Uint8Array, read: (line: string, number: number) => void): boolean {
  const octets =
    typeof body === 'string'
      ? octetText(body.slice(0, maxRobotsOctets + 1))
      : octetTextOf(body.subarray(0, maxRobotsOctets + 1));
  const end = Math.min(octets.length, maxRobotsOctets);
  let start = byteOrderMarkLength(octets);
  for (let number = 1; ; number++) {
    let stop = start;
    while (stop < end && octets.charCodeAt(stop) !== 0x0a && octets.charCodeAt(stop) !== 0x0d) stop++;
    const cutShort = stop === end && octets.length > end && stop - start <= maxLineOctets;
    if (!cutShort) read(octets.slice(start, Math.min(stop, start + maxLineOctets)), number);
    if (stop >= end) return octets.length > end;
    start = octets.startsWith('\r\n', stop) ? stop + 2 : stop + 1;
  }
}

/** Google skips a UTF-8 byte order mark, also an incomplete one. */
function byteOrderMarkLength(octets: string): number {
  const mark = '\xef\xbb\xbf';
  let length = 0;
  while (length < mark.length && octets[length] === mark[length]) length++;
  return length;
}

interface Pair {
  readonly key: string;
  readonly value: string;
  /** The line without its comment and surrounding white space. */
  readonly text: string;
}

/** Splits at the colon or, where there is none, at the white space between exactly two words, as Google does. */
function keyAndValue(line: string): Pair | null {
  // A NUL ends the line: what follows is not text.
  const text = trimmed(cutAt(cutAt(line, '\0'), '#'));
  if (text === '') return null;
  const colon = text.indexOf(':');
  if (colon >= 0) {
    const key = trimmed(text.slice(0, colon));
    return key === '' ? null : { key, value: trimmed(text.slice(colon + 1)), text };
  }
  const words = /^([^ \t]+)[ \t]+([^ \t]+)$/.exec(text);
  return words === null ? null : { key: words[1] ?? '', value: trimmed(words[2] ?? ''), text };
}

function cutAt(text: string, mark: string): string {
  const at = text.indexOf(mark);
  return at < 0 ? text : text.slice(0, at);
}

/** ASCII white space only: `String.trim` would also take the octet A0, the end of many UTF-8 characters. */
function trimmed(octets: string): string {
  let start = 0;
  let end = octets.length;
  while (start < end && isAsciiSpace(octets.charCodeAt(start))) start++;
  while (end > start && isAsciiSpace(octets.charCodeAt(end - 1))) end--;
  return octets.slice(start, end);
}

function isAsciiSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

const userAgentKey = /^user[- ]?agent/i;
const allowKey = /^allow/i;
/** With the misspellings Google accepts. */
const disallowKey = /^(?:disallow|dissallow|dissalow|disalow|diasllow|disallaw)/i;
const sitemapKey = /^site-?map/i;
const crawlDelayKey = /^crawl[- ]?delay/i;

/** Google compares the start of a key only: `Disallowed:` is Disallow. */
function kindOf(key: string): 'user-agent' | 'allow' | 'disallow' | 'sitemap' | 'crawl-delay' | 'other' {
  if (disallowKey.test(key)) return 'disallow';
  if (allowKey.test(key)) return 'allow';
  if (userAgentKey.test(key)) return 'user-agent';
  if (sitemapKey.test(key)) return 'sitemap';
  if (crawlDelayKey.test(key)) return 'crawl-delay';
  return 'other';
}

/** A number at the start, so that `10s` is 10; negative and unreadable values are ignored. */
function delaySeconds(value: string): number | null {
  const digits = /^(?:\d+(?:\.\d*)?|\.\d+)/.exec(value)?.[0];
  if (digits === undefined) return null;
  const seconds = Number(digits);
  return Number.isFinite(seconds) ? seconds : null;
}

function leadingToken(text: string): string {
  return (/^[a-z_-]+/i.exec(text)?.[0] ?? '').toLowerCase();
}

/**
 * The lower-case name by which robots.txt addresses the sender of a User-Agent field (RFC 9309 §2.2.1): the leading
 * letters, `_` and `-`. In `Mozilla/5.0 (compatible; X/1.0; …)` it is the name of X. Empty if there is no such name:
 * then only the `*` group applies.
 */
export function productToken(userAgent: string): string {
  const text = userAgent.trim();
  const leading = leadingToken(text);
  if (leading !== 'mozilla') return leading;
  const disguised = /\bcompatible;\s*([a-z_-]+)/i.exec(text)?.[1];
  return disguised?.toLowerCase() ?? leading;
}

/**
 * The product tokens that hold for a request with this User-Agent. Ours is always among them, so that a crawl cannot
 * evade a site's rules for this crawler by another name. @param userAgent as sent
 */
export function namesOf(ours: string, userAgent: string): readonly [product: string, ...own: string[]] {
  const [product, own] = [productToken(ours), productToken(userAgent)];
  return own === product ? [product] : [product, own];
}

/**
 * What the final status of a robots.txt request means (RFC 9309 §2.3.1). The caller must follow up to five redirects; a
 * 3xx given here leads nowhere, which counts as unavailable, like 4xx. 429 is about load, not about rules, so it counts
 * like 5xx, as do codes that HTTP does not have.
 */
export function robotsAvailability(status: number): 'parse' | 'allow-all' | 'unreachable' {
  if (status >= 200 && status < 300) return 'parse';
  if (status >= 300 && status < 500 && status !== 429) return 'allow-all';
  return 'unreachable';
}
