/**
 * What is known about a URL that is to be explained. Instants are ISO 8601; waits are milliseconds from `now`,
 * measured by Postgres, so that no two clocks are compared.
 */
import type { RenderOutcome } from '../rendering/outcome.ts';
import type { HostRegion } from '../regions.ts';
import type { SitemapMode } from '../sitemap-choice.ts';
import type { Cap } from '../caps.ts';
import type { CrawlState } from '../crawl-life.ts';
import type { UrlState } from '../ledger.ts';
import type { Cut } from '../limits.ts';
import type { Outage } from '../outage.ts';
import type { StageLoad } from '../pressure.ts';
import type { PrioritySignals, Score } from '../priority/score.ts';
import type { PageClass } from '../recrawl/page-class.ts';
import type { ScopeConfig } from '../scope.ts';
import type { TroubleClass } from '../trouble.ts';
import type { BodyStage } from '../stage.ts';
import type { UrlKind } from '../url-kind.ts';
import type { AttemptReason, FailedReason, FilterReason, UrlReason } from '../url-reason.ts';
import type { CanonicalStep } from '../url-steps.ts';
import type { CanonicalUrl } from '../url.ts';

export interface ExplainFacts {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly link: CanonicalUrl;
  readonly steps: readonly CanonicalStep[];
  readonly crawl: CrawlFacts;
  /** What the crawl's scope and filters say about the URL now. */
  readonly scope: ScopeFacts;
  /** The domain on the opt-out list that covers its host; null: none does. */
  readonly optedOut: string | null;
  /** What the quarantine says of its shape; null: nothing. */
  readonly quarantine: QuarantineFacts | null;
  /** How full the stages behind the fetchers are (domain/pressure.ts), each at the worker where it is fullest. */
  readonly stages: readonly StageLoad[];
  /** What of this installation is out now. */
  readonly outages: readonly Outage[];
  /** Null: no crawl of the tenant has met this host yet. */
  readonly host: HostFacts | null;
  readonly robots: RobotsFacts | null;
  /** Absent: the instance has no regions, or no crawl of the tenant has met the host yet. */
  readonly region?: HostRegion | undefined;
  /** Null: the crawl has not met this URL. */
  readonly record: RecordFacts | null;
  /** For a URL that was not met: pages and sitemaps of the crawl that had links cut. */
  readonly shortened: Shortened;
  /** Requests that ended without a final outcome, oldest first. */
  readonly attempts: readonly AttemptFacts[];
  readonly deadLetter: DeadLetterFacts | null;
  /** What a standing crawl goes by; null: the crawl does not keep the URL fresh, or has not noted a visit yet. */
  readonly recrawl: RecrawlFacts | null;
}

export interface QuarantineFacts {
  readonly crawlId: string;
  /** Of the shape in quarantine. */
  readonly id: string;
  readonly shape: string;
  readonly verdict: 'suspected' | 'held' | 'confirmed';
  readonly rule: string;
  /** The evidence in words. */
  readonly why: string;
  readonly since: string;
}

export interface CrawlFacts {
  readonly state: CrawlState;
  readonly reason: string | null;
  /** Version of the crawl's settings, from 1; and whether the frontier is still being judged by this version. */
  readonly version: number;
  readonly isEditing: boolean;
  readonly config: ScopeConfig & {
    readonly maxPages: number | null;
    readonly maxSeconds: number | null;
    readonly maxPagesPerHost: number;
    readonly sitemap: SitemapMode;
    readonly follow: boolean;
  };
  /** Pages fetched plus URLs being fetched: both count towards `maxPages`. */
  readonly pagesInHand: number;
  /** Milliseconds since the crawl began to run; null: it has not. */
  readonly runningMs: number | null;
}

export interface ScopeFacts {
  readonly verdict: 'admit' | 'outside' | 'excluded';
  /** The filter that stops the URL; null: the verdict is not `excluded`. */
  readonly reason: FilterReason | null;
  readonly detail: string | null;
  /** The depth at which the URL was judged. */
  readonly depth: number;
  readonly isSeed: boolean;
  /** The first include pattern that matches the URL; null: none does. */
  readonly includedBy: string | null;
}

export interface CapWait {
  /** A registered domain, an address, or the /64 of an IPv6 address. */
  readonly name: string;
  /** Milliseconds until the host's turn comes, about. */
  readonly inMs: number;
  /** Hosts that wait for a permit of this group, this one included. */
  readonly hosts: number;
  /** Null: it has changed meanwhile. */
  readonly cap: Cap | null;
}

export interface HostFacts {
  readonly origin: string;
  /** When an operator paused the host; null: it is not paused. */
  readonly pausedAt: string | null;
  readonly parkedAt: string | null;
  /** Since when, and by what evidence, the site has logged the crawl out; null: it has not. */
  readonly loggedOut: { readonly since: string; readonly why: string } | null;
  /** Failures in a row, the time of the first, and the last of them as `class: message` and as a class. */
  readonly failures: number;
  readonly failingSince: string | null;
  readonly lastError: string | null;
  readonly trouble: TroubleClass | null;
  /** Milliseconds until the host may be visited, and until its pace alone would allow that; 0 or less: now. */
  readonly waitMs: number;
  readonly paceMs: number;
  /** The crawl's next turn at the host. */
  readonly turn: {
    /** Milliseconds until the turn; 0: now. */
    readonly inMs: number;
    /** Milliseconds between two of the crawl's turns, by its own delay. */
    readonly delayMs: number;
    /** The turn waits because of trouble that a foreign fetcher reported, not because of the crawl's own delay. */
    readonly reported: boolean;
  };
  /** Why the healthy host may not be asked now, and for how long; null: it is open. */
  readonly closed: {
    readonly by: 'windows' | 'quota';
    readonly inMs: number;
    /** Requests a day that the quality of the host leaves it, and whether it is left for later; null: it is not that. */
    readonly budget: { readonly perDay: number; readonly later: boolean } | null;
  } | null;
  /** The group whose cap holds the host back now; null: none does. */
  readonly capped: CapWait | null;
  /** The host is left alone because the workers had no room for its answers. */
  readonly eased: boolean;
  /** Milliseconds between two requests now, whichever crawls they are for; how often the delay was doubled. */
  readonly delayMs: number;
  readonly slowdown: number;
  /** Milliseconds left of the host's lease; 0 or less: it ran out and was not returned; null: nobody has it. */
  readonly leaseMs: number | null;
  /** Milliseconds for which a foreign fetcher has the host at most, or the host is kept for one; null: neither. */
  readonly lentMs: number | null;
  readonly keptMs: number | null;
  /** A slice of another host waits to send one request here. */
  readonly guest: boolean;
  /** For how long robots.txt said that it may be kept, in milliseconds; null: it said nothing. */
  readonly robotsKeptMs: number | null;
  /** A workflow works the host, or was started for it. */
  readonly fed: boolean;
  /** URLs this crawl has here, of any state. */
  readonly urls: number;
  /** URLs of the crawl at the host that were gone for thirty days and have no record any more. */
  readonly forgotten: number;
  /** Queued URLs of this crawl that go before this URL; counted up to `aheadCounted`. */
  readonly ahead: number;
  /** Queued URLs of each other running crawl that has any here. */
  readonly others: readonly number[];
}

/** URLs that go first are counted up to this number. */
export const aheadCounted = 10_000;

export interface RobotsFacts {
  /** Status of the stored copy; null: robots.txt was not read yet. */
  readonly status: number | null;
  readonly fetchedAt: string | null;
  readonly ageMs: number | null;
  /** The names that the rules were looked up for. */
  readonly agent: string;
  /** Null: robots.txt could not be read, so it says nothing. */
  readonly allowed: boolean | null;
  readonly rule: string | null;
  readonly line: number | null;
  /** The file is longer than the part that is read. */
  readonly isCut: boolean;
}

export interface RecordFacts {
  readonly state: UrlState;
  readonly kind: UrlKind;
  /** Of its state; null: it waits for its first request. */
  readonly reason: UrlReason | null;
  readonly detail: string | null;
  /** The spelling that is fetched. */
  readonly fetchUrl: string;
  readonly seed: boolean;
  readonly depth: number;
  readonly redirects: number;
  readonly priority: number;
  /** Null: the URL has its place in line as a seed, a sitemap or the target of a redirect. */
  readonly scored: ScoreFacts | null;
  readonly discoveredAt: string;
  readonly discoveredFrom: string | null;
  /** Set if the URL where this one was found redirected to it: the redirect's status. */
  readonly redirectedWith: number | null;
  /** Milliseconds until the URL is due; 0 or less: it is due. */
  readonly dueMs: number;
  readonly fetchedAt: string | null;
  readonly status: number | null;
  readonly contentType: string | null;
  readonly bytes: number;
  readonly contentHash: string | null;
  readonly redirectTo: string | null;
  /** State of `redirectTo` in this crawl; null: the crawl has not met it. */
  readonly redirectState: UrlState | null;
  readonly truncated: string | null;
  readonly duplicateOf: string | null;
  readonly duplicateBy: 'body' | 'text' | null;
  /** The crawl of the same tenant that had this body first, and its page there; null: this crawl had it first. */
  readonly revisitOf: { readonly crawlId: string; readonly url: string; readonly storedAt: string } | null;
  /** Null: no browser was asked to render it. */
  readonly rendering: RenderingTold | null;
  readonly stillToDo: BodyStage | null;
  readonly requests: number;
  readonly reclaims: number;
  /** The URL is leased under the lease that its host has now. */
  readonly leaseHeld: boolean;
  /** What was read in the body; null: nothing. */
  readonly page: PageFacts | null;
  /** What limits cut from it. */
  readonly cut: Cut;
}

/** What became of a page in the rounds of a browser. */
export interface RenderingTold {
  readonly reason: string;
  /** Null: it goes on. */
  readonly outcome: RenderOutcome | null;
  readonly rounds: number;
  /** Of the page as the server sent it; null: not known. */
  readonly words: number | null;
  readonly links: number | null;
  /** What it asked for in the last round, and what became of it: `given`, `missing`, or why it did not come. */
  readonly resources: readonly { readonly url: string; readonly type: string; readonly outcome: string }[];
  /** Of the last round: requests that the browser refused, counted by what they were. */
  readonly refused: Readonly<Record<string, number>>;
  /** Where its scripts wanted the window to go; null: nowhere. */
  readonly navigation: string | null;
  /** The first lines of its console, and exceptions. */
  readonly console: readonly string[];
  /** Null: none was made. */
  readonly screenshot: LookTold | null;
  readonly pdf: LookTold | null;
}

interface LookTold {
  readonly bytes: number;
  /** False: it was too large. */
  readonly isKept: boolean;
}

/** The score of a page as it would be judged now. */
export interface ScoreFacts extends Score {
  readonly signals: PrioritySignals;
}

export interface PageFacts {
  readonly words: number;
  readonly links: number;
  /** The page's rel=canonical. */
  readonly canonical: string | null;
  /** The page whose text this one nearly has, and the share of shingles in common; null: none is known. */
  readonly nearDuplicateOf: {
    readonly url: string;
    readonly likeness: number;
    readonly distance: number;
  } | null;
  /** To the crawl's focus, from 0 to 1; null: the crawl has none. */
  readonly relevance: number | null;
  readonly noindex: boolean;
  readonly nofollow: boolean;
}

export interface Shortened {
  /** Counted up to `shortenedCounted`. */
  readonly total: number;
  /** Some of these pages and sitemaps, those at the URL's own host first. */
  readonly some: readonly { readonly url: string; readonly cut: Cut }[];
}

export const shortenedCounted = 1_000;

export interface AttemptFacts {
  readonly at: string;
  readonly class: AttemptReason;
  readonly status: number | null;
  readonly message: string;
}

export interface DeadLetterFacts {
  readonly class: FailedReason;
  readonly status: number | null;
  readonly message: string;
  readonly attempts: number;
  readonly createdAt: string;
}

export interface RecrawlFacts {
  readonly pageClass: PageClass;
  readonly visits: number;
  /** Visits in a row that found the page gone. */
  readonly deadVisits: number;
  readonly changedAt: string | null;
  /** Estimated changes a day. */
  readonly rate: number;
  readonly importance: number;
  /** Null: it is queued, or is not visited again. */
  readonly nextDue: string | null;
  /** What a visit is worth now, and what it must be worth; null: there is no plan yet. */
  readonly worth: number;
  readonly price: number | null;
  /** A visit is never worth the price: the page changes too often for what it matters. */
  readonly leftOut: boolean;
}
