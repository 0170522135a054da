/**
 * What is known of a URL when it is to be explained. Instants are ISO 8601; waits are milliseconds from `now`,
 * measured by Postgres, so that no two clocks are compared.
 */
import type { UrlState } from '../ledger.ts';
import type { Cut } from '../limits.ts';
import type { ScopeConfig } from '../scope.ts';
import type { CanonicalStep } from '../url-steps.ts';
import type { CanonicalUrl } from '../url.ts';

export interface ExplainFacts {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly link: CanonicalUrl;
  readonly steps: readonly CanonicalStep[];
  readonly crawl: CrawlFacts;
  /** What the crawl's scope and filters say of it now. */
  readonly scope: ScopeFacts;
  /** The domain on the opt-out list that covers its host; null: none does. */
  readonly optedOut: string | null;
  /** Null: no crawl of the tenant has met this host yet. */
  readonly host: HostFacts | null;
  readonly robots: RobotsFacts | null;
  /** Null: the crawl has not met this URL. */
  readonly record: RecordFacts | null;
  /** Of a URL that was not met: pages and sitemaps of the crawl from which links were left out. */
  readonly shortened: Shortened;
  /** Requests that ended without a final outcome, oldest first. */
  readonly attempts: readonly AttemptFacts[];
  readonly deadLetter: DeadLetterFacts | null;
}

export interface CrawlFacts {
  readonly state: 'seeding' | 'running' | 'paused' | 'draining' | 'finished' | 'cancelled' | 'failed';
  readonly reason: string | null;
  /** Version of its settings, from 1; and whether the frontier is still being judged by it. */
  readonly version: number;
  readonly isEditing: boolean;
  readonly config: ScopeConfig & {
    readonly maxPages: number | null;
    readonly maxSeconds: number | null;
    readonly maxPagesPerHost: number;
  };
  /** Pages fetched and URLs being fetched: what counts towards `maxPages`. */
  readonly pagesInHand: number;
  /** Milliseconds since it began to run; null: it has not. */
  readonly runningMs: number | null;
}

export interface ScopeFacts {
  readonly verdict: 'admit' | 'outside' | 'excluded';
  /** Of the verdict excluded: the filter. Any code; those of `domain/scope.ts` and others. */
  readonly reason: string | null;
  readonly detail: string | null;
  /** Links from a seed it was judged at. */
  readonly depth: number;
  readonly isSeed: boolean;
  /** The first include pattern that matches it; null: none does. */
  readonly includedBy: string | null;
}

export interface HostFacts {
  readonly origin: string;
  /** By an operator; null: it is not. */
  readonly pausedAt: string | null;
  readonly parkedAt: string | null;
  /** Failures in a row, since when, and the last of them as `class: message`. */
  readonly failures: number;
  readonly failingSince: string | null;
  readonly lastError: string | null;
  /** Milliseconds until the host may be visited, and the part of it that is plain pace; at most 0: now. */
  readonly waitMs: number;
  readonly paceMs: number;
  /** When the crawl has a turn there. */
  readonly turn: {
    /** Milliseconds until then; 0: now. */
    readonly inMs: number;
    /** Milliseconds between two of its turns, by its own delay. */
    readonly delayMs: number;
    /** It waits for what a foreign fetcher has reported, not for its own delay. */
    readonly reported: boolean;
  };
  /** Why it is not asked though it is well, and for how long; null: it is open. */
  readonly closed: { readonly by: 'windows' | 'quota'; readonly inMs: number } | null;
  /** Milliseconds between two requests now, whichever crawls they are for, and how often that was doubled after trouble. */
  readonly delayMs: number;
  readonly slowdown: number;
  /** Milliseconds the lease on it still holds; at most 0: it ran out and was not returned; null: nobody has it. */
  readonly leaseMs: number | null;
  /** A slice of another host waits to send one request here. */
  readonly guest: boolean;
  /** A workflow works it, or was asked to. */
  readonly fed: boolean;
  /** URLs this crawl has here, of any state. */
  readonly urls: number;
  /** Queued URLs of this crawl that go first; counted up to `aheadCounted`. */
  readonly ahead: number;
  /** Queued URLs of each other running crawl that has any here. */
  readonly others: readonly number[];
}

/** Queued URLs that go first are counted no further. */
export const aheadCounted = 10_000;

export interface RobotsFacts {
  /** Of the copy that is kept; null: robots.txt was not read yet. */
  readonly status: number | null;
  readonly fetchedAt: string | null;
  readonly ageMs: number | null;
  /** The name its groups were asked for. */
  readonly agent: string;
  /** Null: it says nothing, since it could not be read. */
  readonly allowed: boolean | null;
  readonly rule: string | null;
  readonly line: number | null;
  /** It is longer than is read. */
  readonly isCut: boolean;
}

export interface RecordFacts {
  readonly state: UrlState;
  readonly kind: 'page' | 'sitemap';
  /** Class of its outcome or of its last attempt. Any code. */
  readonly reason: string | null;
  readonly detail: string | null;
  /** The spelling that is fetched. */
  readonly fetchUrl: string;
  readonly seed: boolean;
  readonly depth: number;
  readonly redirects: number;
  readonly priority: number;
  readonly discoveredAt: string;
  readonly discoveredFrom: string | null;
  /** Set: where it was found answered with this redirect status, to this URL. */
  readonly redirectedWith: number | null;
  /** Milliseconds until it is due; at most 0: it is. */
  readonly dueMs: number;
  readonly fetchedAt: string | null;
  readonly status: number | null;
  readonly contentType: string | null;
  readonly bytes: number;
  readonly contentHash: string | null;
  readonly redirectTo: string | null;
  /** Where that URL stands in this crawl; null: it has not met it. */
  readonly redirectState: UrlState | null;
  readonly truncated: string | null;
  readonly duplicateOf: string | null;
  readonly duplicateBy: 'body' | 'text' | null;
  readonly stillToDo: 'dedup' | 'extract' | null;
  readonly requests: number;
  readonly reclaims: number;
  /** Leased under the lease that its host's holder has now. */
  readonly leaseHeld: boolean;
  /** What was read in it; null: nothing was. */
  readonly page: PageFacts | null;
  /** What limits left out of it. */
  readonly cut: Cut;
}

export interface PageFacts {
  readonly words: number;
  readonly links: number;
  /** Its rel=canonical. */
  readonly canonical: string | null;
  readonly noindex: boolean;
  readonly nofollow: boolean;
}

export interface Shortened {
  /** Counted up to `shortenedCounted`. */
  readonly total: number;
  /** Some of them, those at the URL's own host first. */
  readonly some: readonly { readonly url: string; readonly cut: Cut }[];
}

export const shortenedCounted = 1_000;

export interface AttemptFacts {
  readonly at: string;
  readonly class: string;
  readonly status: number | null;
  readonly message: string;
}

export interface DeadLetterFacts {
  readonly class: string;
  readonly status: number | null;
  readonly message: string;
  readonly attempts: number;
  readonly createdAt: string;
}
