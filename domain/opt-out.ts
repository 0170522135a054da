/**
 * Opt-outs (F15): domains whose owners do not want to be crawled. An entry covers the domain and everything below it,
 * under every scheme and at every port; an IP address covers itself.
 *
 * Workers judge by a copy of the list. The promise "once an opt-out is answered, no further request leaves" rests on
 * two bounds: no request leaves under a copy older than `optOutBoundMs`, and a change of the list is answered only
 * `optOutHoldMs` after its commit. By then every copy in use was read after the commit.
 */
import type { ExcludedReason } from './url-reason.ts';

/** Greatest age of a copy of the list, in milliseconds, when a request leaves under it. */
export const optOutBoundMs = 2_000;

/** Milliseconds from commit to answer: the bound, and time for a request that left before to arrive. */
export const optOutHoldMs = optOutBoundMs + 250;

/** The reason of a URL that is excluded because its host has opted out. */
export const optOutReason = 'opt-out' satisfies ExcludedReason;

/** The sentence stored beside `optOutReason`. */
export const optOutDetail = (domain: string): string => `${domain} has opted out`;

/** The time just before the statement that read a copy was sent, by both clocks. */
export interface ReadingTime {
  readonly monotonicAt: number;
  readonly wallAt: number;
}

/**
 * May a request leave under a copy read at that time? Trusts the clock that says more time has passed: the monotonic
 * clock does not count time in which the machine was suspended, and the wall clock may be set back.
 */
export function isFreshCopy(read: ReadingTime, monotonicNow: number, wallNow: number): boolean {
  const age = Math.max(monotonicNow - read.monotonicAt, wallNow - read.wallAt);
  return age >= 0 && age <= optOutBoundMs;
}

export type DomainResult =
  | { readonly ok: true; readonly domain: string }
  /** `problem`: what is wrong, as the predicate of a sentence whose subject is the text. */
  | { readonly ok: false; readonly problem: string };

/** Most characters of a host name (RFC 1035 §2.3.4, without the root's dot). */
const maxDomainLength = 253;
const label = /^[a-z0-9_-]{1,63}$/;

/**
 * Reads a domain as people write it: in any case and script, perhaps with a trailing dot; or an IP address, an IPv6
 * address with or without brackets. Returns it as it stands in the host of a canonical URL.
 */
export function readDomain(text: string): DomainResult {
  const given = text.trim();
  const bare = (given.match(/:/g) ?? []).length > 1 && !given.startsWith('[') ? `[${given}]` : given;
  if (given === '') return { ok: false, problem: 'is empty' };
  if (bare.includes('*'))
    return { ok: false, problem: 'holds a *; what is below a domain is covered anyway' };
  const parsed = /[\s/\\?#@%]/.test(bare) || /:\d*$/.test(bare) ? null : URL.parse(`http://${bare}/`);
  if (parsed === null) return { ok: false, problem: 'is no domain such as example.com, and no IP address' };
  const { hostname } = parsed;
  if (hostname.startsWith('[')) return { ok: true, domain: hostname };
  const domain = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  const valid = domain.length <= maxDomainLength && domain.split('.').every((each) => label.test(each));
  return valid ? { ok: true, domain } : { ok: false, problem: 'is no domain that DNS can hold' };
}

/** The host name in an origin or a canonical URL; an IPv6 address keeps its brackets. */
export function hostName(url: string): string {
  const start = url.indexOf('//') + 2;
  const path = url.indexOf('/', start);
  const authority = url.slice(start, path < 0 ? undefined : path);
  const port = authority.lastIndexOf(':');
  return port > authority.lastIndexOf(']') ? authority.slice(0, port) : authority;
}

/**
 * The narrowest entry that covers a host name; null: no entry does. One look-up per label. The tail of an IP address
 * matches no entry, since a domain never ends in a number (WHATWG URL §3.5).
 */
export function coveringDomain(name: string, listed: ReadonlySet<string>): string | null {
  if (listed.size === 0) return null;
  if (listed.has(name)) return name;
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    const parent = name.slice(dot + 1);
    if (listed.has(parent)) return parent;
  }
  return null;
}
