/**
 * All gates: rules that may say "not now" before a byte leaves for a host, in the order in which they are asked. Every
 * visit asks these gates and no others: a slice, a probe, the door, a guest that reads a robots.txt, and a loan. A new
 * rule of politeness is one more gate in this list.
 *
 * A gate may look at five points: `host`, before the host's lease is taken and again under it; `visit`, before any
 * request of the visit; `url`, before the request for a URL is made; `waiting`, once a second while a request waits for
 * its time; `leaving`, before a request is counted and connects, and again when it is connected and about to leave.
 */
import { outOfScope } from '../../domain/scope.ts';
import { optOutDetail, optOutReason } from '../../domain/opt-out.ts';
import { isLast } from '../../domain/priority/place.ts';
import { rulesForAll } from '../../domain/robots.ts';
import { quarantineDetail, type UrlVerdict } from '../../domain/traps/verdict.ts';
import { storedKinds } from '../../domain/url-kind.ts';
import { canonicalize, pathAndQuery } from '../../domain/url.ts';
import type { LeasedUrl } from '../../storage/frontier/index.ts';
import type { Books } from '../books/books.ts';
import { addressRefusal, parseCidrs } from '../../net/address-guard.ts';
import { count } from '../metrics/counters.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import type { HostRules } from './host-rules.ts';
import type { HostLease } from './host-lease.ts';
import type { Refusal } from './record.ts';

/** Why no request is sent now. */
export type Stop =
  /** Too early: the caller may wait `waitMs`, if it has the patience. */
  | { readonly kind: 'early'; readonly waitMs: number }
  /** The visit ends, its URLs go back to the queue, and the host is left alone for `waitMs`. */
  | { readonly kind: 'closed'; readonly waitMs: number }
  /** Nobody asks the host until a person acts. */
  | { readonly kind: 'held' }
  /** This URL is not requested in this visit; others may be. */
  | { readonly kind: 'skip' }
  /** The URL goes behind all others of its crawl at the host, and is requested when they are done. */
  | { readonly kind: 'last' }
  /** The URL is not requested at all, and is excluded. */
  | { readonly kind: 'never'; readonly refusal: Refusal };

/** What gates need for a host whose lease is not taken yet. */
export interface Looker {
  readonly books: Pick<Books, 'crawls' | 'optOuts'>;
  /** An error that says which dependency of ours is down; null: none is. */
  readonly outage: () => Error | null;
}

/** What gates can see of a visit. */
export interface Visited {
  readonly services: Looker;
  readonly origin: string;
  readonly lease: HostLease;
  /** Milliseconds until the host's pace, Retry-After and backoff allow a request. */
  readonly waitMs: number;
  /** The host asked for a pause in the course of this visit. */
  readonly leftAlone: boolean;
  readonly rules: HostRules;
  /** Are the settings of all crawls of this visit as they were when it began? */
  isCurrent(): boolean | Promise<boolean>;
}

/** A URL that is to be requested, and its crawl. */
export interface Wanted {
  readonly url: LeasedUrl;
  readonly crawl: OpenCrawl;
}

type Answer = Stop | null | Promise<Stop | null>;

export interface Gate {
  readonly name: string;
  readonly host?: (services: Looker, origin: string) => Answer;
  readonly visit?: (visit: Visited) => Answer;
  readonly url?: (visit: Visited, wanted: Wanted) => Answer;
  /**
   * False: the request is given up. A promise only if somebody has to be asked: thousands of requests wait.
   * @param wanted null: the request is for robots.txt, and belongs to no crawl
   */
  readonly waiting?: (visit: Visited, wanted: Wanted | null) => boolean | Promise<boolean>;
  /** The last look, synchronous. False: do not send. @param counted the request is counted: bytes are about to leave */
  readonly leaving?: (visit: Visited, wanted: Wanted | null, url: string, counted: boolean) => boolean;
}

const closed = (): Stop => ({ kind: 'closed', waitMs: 0 });

export const gates: readonly Gate[] = [
  {
    // An operator's pause, under which the lease was taken: one that comes later cuts the visit.
    name: 'pause',
    visit: ({ lease }) => (lease.taken.paused ? { kind: 'held' } : null),
  },
  {
    // A dependency of ours is down: a fault of ours, no URL is blamed.
    name: 'breakers',
    host: ({ outage }) => {
      const down = outage();
      if (down !== null) throw down;
      return null;
    },
  },
  {
    // The lease is still ours, with a margin, and was taken under the host's current settings.
    name: 'lease',
    url: ({ lease }) => (lease.isOver ? closed() : null),
    waiting: ({ lease }) => !lease.isOver,
    leaving: ({ lease }) => lease.mayStart,
  },
  {
    // Somebody waits for the host: the visit of another host, a foreign fetcher, another crawl, or whoever wants its place.
    name: 'guests',
    url: ({ lease }) => (lease.mustGiveWay ? closed() : null),
    waiting: ({ lease }, wanted) => wanted === null || !lease.mustGiveWay,
  },
  {
    // Edited settings may change the pace and the verdict on each URL: the next visit uses them.
    name: 'edits',
    url: async (visit) => ((await visit.isCurrent()) ? null : closed()),
    waiting: (visit, wanted) => wanted === null || visit.isCurrent(),
  },
  {
    name: 'crawl-state',
    url: async ({ services }, { crawl }) =>
      (await services.books.crawls.isRunning(crawl.id)) ? null : { kind: 'skip' },
    waiting: ({ services }, wanted) => wanted === null || services.books.crawls.isRunning(wanted.crawl.id),
    leaving: ({ services }, wanted) => wanted === null || services.books.crawls.permits(wanted.crawl.id),
  },
  {
    name: 'opt-out',
    host: optedOut,
    url: ({ services, origin }) => optedOut(services, origin),
    leaving: ({ services }, _, url) => services.books.optOuts.permits(url),
  },
  {
    // The delay between two requests, Retry-After and backoffs.
    name: 'pace',
    visit: ({ waitMs }) => (waitMs > 0 ? { kind: 'early', waitMs } : null),
    // Of several requests in flight one may have been answered so: those that wait for their time stay away.
    waiting: ({ leftAlone }) => !leftAlone,
    leaving: ({ leftAlone }) => !leftAlone,
  },
  {
    name: 'windows-and-quota',
    // `waitMs` is 0, since the lease's return stores the wait separately: changed settings may open the host earlier.
    visit: ({ lease: { allowance } }) => (allowance.closedMs > 0 || !allowance.isOpen ? closed() : null),
    url: ({ lease }) => (lease.allowance.permits ? null : closed()),
    waiting: ({ lease }) => lease.allowance.permits,
    leaving: ({ lease }, _wanted, _url, counted) =>
      counted ? lease.allowance.isOpen : lease.allowance.permits,
  },
  {
    name: 'address',
    url: ({ rules: { refused } }) =>
      never(refused === null ? null : { reason: 'address-refused', detail: refused }),
  },
  {
    // The URL may have been admitted under older settings, or before the crawl had a session: the current ones decide.
    name: 'scope',
    url: async (_visit, wanted) => never(await ruledOut(wanted)),
  },
  {
    // The URL may have been admitted before its shape was suspected, or went into quarantine.
    name: 'quarantine',
    url: ({ origin }, wanted) => byQuarantine(origin, wanted),
  },
  {
    name: 'robots',
    url: ({ rules, origin }, wanted) => never(disallowed(wanted, rules, origin)),
  },
];

async function optedOut({ books }: Looker, origin: string): Promise<Stop | null> {
  const domain = await books.optOuts.covering(origin);
  return domain === null ? null : never({ reason: optOutReason, detail: optOutDetail(domain) });
}

const never = (refusal: Refusal | null): Stop | null =>
  refusal === null ? null : { kind: 'never', refusal };

async function ruledOut({ url: { url, kind, depth, seed }, crawl }: Wanted): Promise<Refusal | null> {
  if ((crawl.version === 1 && crawl.sessionRevision === 0) || kind === storedKinds.sitemap) return null;
  const link = canonicalize(url);
  if (!link.ok) return null;
  const [verdict] = await crawl.judge([
    { link: link.value, depth, seed, requisite: kind === storedKinds.requisite },
  ]);
  switch (verdict?.verdict) {
    case undefined:
    case 'admit':
      return null;
    case 'outside':
      return { reason: outOfScope, detail: verdict.detail, byVersion: crawl.version };
    case 'excluded':
      return { reason: verdict.reason, detail: verdict.detail, byVersion: crawl.version };
  }
}

function byQuarantine(origin: string, wanted: Wanted): Stop | null {
  const refusal = keptBack(origin, wanted);
  if (refusal !== null) return never(refusal);
  const { reason, priority } = wanted.url;
  // One that was asked for before has its place already.
  const mayFall = reason === null && !isLast(priority);
  return mayFall && standsAt(origin, wanted)?.kind === 'suspected' ? { kind: 'last' } : null;
}

/** Why a quarantine keeps the URL back; null: none does. */
export function keptBack(origin: string, wanted: Wanted): Refusal | null {
  const verdict = standsAt(origin, wanted);
  if (verdict?.kind !== 'held') return null;
  return { reason: 'trap', detail: quarantineDetail(verdict.id, verdict.shape) };
}

function standsAt(
  origin: string,
  { url: { url, kind, seed, reason }, crawl: { quarantine } }: Wanted,
): UrlVerdict | null {
  if (quarantine?.knows(origin) !== true) return null;
  const isPage = kind !== storedKinds.sitemap && kind !== storedKinds.requisite;
  if (!isPage || seed || reason === 'sample') return null;
  const link = canonicalize(url);
  return link.ok ? quarantine.verdict(link.value) : null;
}

/**
 * The kind of the address that robots.txt came from, if the crawl may not go there; null: it may, or the address is not
 * known. The copy was read for a crawl that may reach more: this one learns no more of it than of the address itself.
 */
export const barredFrom = (
  { from }: Pick<HostRules, 'from'>,
  { allowPrivate }: Pick<OpenCrawl, 'allowPrivate'>,
): string | null => (from === null ? null : addressRefusal(from, parseCidrs(allowPrivate)));

function disallowed({ url, crawl }: Wanted, rules: HostRules, origin: string): Refusal | null {
  if (rules.robots === null) return null;
  const path = pathAndQuery({ url: url.url, host: origin });
  const verdict = rulesForAll(rules.robots, crawl.agentTokens).check(path);
  if (verdict.allowed) return null;
  const barred = barredFrom(rules, crawl);
  if (barred !== null)
    return {
      reason: 'address-refused',
      detail: `The host is at a ${barred} address, which the crawl may not reach.`,
    };
  count('robots_refusals_total', {});
  return { reason: 'robots', detail: `robots.txt line ${String(verdict.line)}: ${verdict.rule ?? ''}` };
}
