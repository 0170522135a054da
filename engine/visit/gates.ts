/**
 * Everything that may say "not now" before a byte leaves for a host, in the order in which it is asked. Whoever visits a
 * host asks these gates and no others: a slice, a probe, the door, a guest that reads a robots.txt, and a loan. A new
 * rule of politeness is one more gate in this list.
 *
 * A gate may look five times: at the host, before its lease is asked for and again under it; at the visit, before
 * anything is asked for; at each URL, before its request is made up; once a second while the request waits for its time;
 * and as it leaves, before the connection is asked for and again when it stands.
 */
import { outOfScope } from '../../domain/scope.ts';
import { optOutDetail, optOutReason } from '../../domain/opt-out.ts';
import { rulesForAll } from '../../domain/robots.ts';
import { canonicalize, pathAndQuery } from '../../domain/url.ts';
import type { LeasedUrl } from '../../storage/statements/lease-urls.ts';
import type { Books } from '../books/books.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import type { HostRules } from './host-rules.ts';
import type { HostLease } from './lease-keeper.ts';
import type { Refusal } from './record.ts';

/** Why nothing is sent at present. */
export type Stop =
  /** Its time has not come; who has the patience waits it out. */
  | { readonly kind: 'early'; readonly waitMs: number }
  /** The visit ends, what it has in hand goes back, and the host is left alone for so long. */
  | { readonly kind: 'closed'; readonly waitMs: number }
  /** This URL stays where it is; others may be asked for. */
  | { readonly kind: 'skip' }
  /** It is not asked for at all, and is excluded. */
  | { readonly kind: 'never'; readonly refusal: Refusal };

/** What is asked at hosts of which nobody has a lease yet. */
export interface Looker {
  readonly books: Pick<Books, 'crawls' | 'optOuts'>;
  /** What is down on our own side; null: nothing. */
  readonly outage: () => Error | null;
}

/** What gates see of a visit. */
export interface Visited {
  readonly house: Looker;
  readonly origin: string;
  readonly lease: HostLease;
  /** Milliseconds for which the host's pace, or what it has asked for, keeps everybody away. */
  readonly waitMs: number;
  readonly rules: HostRules;
  /** The settings of a crawl that this visit goes by were changed. */
  isEdited(): Promise<boolean>;
}

/** A page that is to be asked for. */
export interface Wanted {
  readonly url: LeasedUrl;
  readonly crawl: OpenCrawl;
}

type Answer = Stop | null | Promise<Stop | null>;

export interface Gate {
  readonly name: string;
  readonly host?: (house: Looker, origin: string) => Answer;
  readonly visit?: (visit: Visited) => Answer;
  readonly url?: (visit: Visited, wanted: Wanted) => Answer;
  /** @param wanted null: the request is nobody's own (robots.txt) */
  readonly waiting?: (visit: Visited, wanted: Wanted | null) => boolean | Promise<boolean>;
  /** The last look. It waits for nothing. @param counted the request is counted: bytes are about to leave */
  readonly leaving?: (visit: Visited, wanted: Wanted | null, url: string, counted: boolean) => boolean;
}

const closed = (): Stop => ({ kind: 'closed', waitMs: 0 });

export const gates: readonly Gate[] = [
  {
    // Something we stand on is down: a fault of ours, and nobody's URL.
    name: 'breakers',
    host: ({ outage }) => {
      const down = outage();
      if (down !== null) throw down;
      return null;
    },
  },
  {
    // Ours, with a margin, and taken under the settings that hold now.
    name: 'lease',
    url: ({ lease }) => (lease.isOver ? closed() : null),
    waiting: ({ lease }) => !lease.isOver,
    leaving: ({ lease }) => lease.mayStart,
  },
  {
    // Another host's visit wants one request here.
    name: 'guests',
    url: ({ lease }) => (lease.guestWaits ? closed() : null),
  },
  {
    // Other settings ask for another pace and judge URLs anew: the next visit goes by them.
    name: 'edits',
    url: async (visit) => ((await visit.isEdited()) ? closed() : null),
    waiting: async (visit, wanted) => wanted === null || !(await visit.isEdited()),
  },
  {
    name: 'crawl-state',
    url: async ({ house }, { crawl }) =>
      (await house.books.crawls.isRunning(crawl.id)) ? null : { kind: 'skip' },
    waiting: ({ house }, wanted) => wanted === null || house.books.crawls.isRunning(wanted.crawl.id),
    leaving: ({ house }, wanted) => wanted === null || house.books.crawls.permits(wanted.crawl.id),
  },
  {
    name: 'opt-out',
    host: optedOut,
    url: ({ house, origin }) => optedOut(house, origin),
    leaving: ({ house }, _, url) => house.books.optOuts.permits(url),
  },
  {
    // The delay between two requests, Retry-After and backoffs.
    name: 'pace',
    visit: ({ waitMs }) => (waitMs > 0 ? { kind: 'early', waitMs } : null),
  },
  {
    name: 'windows-and-quota',
    // For how long is on record by itself: changed settings may open the host before.
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
    // What its settings make of a URL that was admitted under others.
    name: 'scope',
    url: async (_visit, wanted) => never(await ruledOut(wanted)),
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
  if (crawl.version === 1 || kind === 1) return null;
  const link = canonicalize(url);
  if (!link.ok) return null;
  const [verdict] = await crawl.judge([{ link: link.value, depth, seed }]);
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

function disallowed({ url, crawl }: Wanted, rules: HostRules, origin: string): Refusal | null {
  if (rules.robots === null) return null;
  const path = pathAndQuery({ url: url.url, host: origin });
  const verdict = rulesForAll(rules.robots, crawl.agentTokens).check(path);
  if (verdict.allowed) return null;
  return { reason: 'robots', detail: `robots.txt line ${String(verdict.line)}: ${verdict.rule ?? ''}` };
}
