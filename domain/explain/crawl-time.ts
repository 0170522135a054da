/** Why a crawl is slow and why it is not finished (G14): where its time went, who holds it up, when it will be over. */
import { closingAt, hostDay } from '../closing.ts';
import { counted, grouped } from '../counted.ts';
import { doneAt } from '../eta.ts';
import type { HostState } from '../host-state.ts';
import { dailyQuota, usedOn } from '../quota.ts';
import { addTime, pauseCause, timeCauseNames, totalTime, type TimeSpent } from '../time-lost.ts';
import type { TroubleClass } from '../trouble.ts';
import { troubleText } from '../url-reason.ts';
import type { Windows } from '../windows.ts';
import { instantIn, span } from './decision.ts';
import { lentBecause } from '../waits/behind-others.ts';
import type { Blame } from '../waits/reason.ts';
import { reasons, type TimeCause } from '../waits/reasons.ts';

export interface HolderFacts {
  readonly origin: string;
  /** URLs that are left at the host. */
  readonly left: number;
  readonly state: HostState;
  readonly lastError: string | null;
  readonly trouble: TroubleClass | null;
  /** Milliseconds until the host may be asked. */
  readonly waitMs: number;
  /** Milliseconds that a URL takes: as those took that are over, and never less than the delay in force. */
  readonly eachMs: number;
  /** Milliseconds for which a foreign fetcher has the host at most; null: none has it. */
  readonly lentMs: number | null;
  readonly settings: { readonly windows: Windows | null; readonly quotaPerDay: number | null };
  /** Requests a day by its quality; null: as many as any host. */
  readonly budget: number | null;
  readonly requestsDay: string | null;
  readonly requestsUsed: number;
  /** Seconds. */
  readonly spent: TimeSpent;
}

export interface CrawlTimeFacts {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly runs: boolean;
  /** Milliseconds that the crawl has run. */
  readonly runningMs: number;
  readonly pages: number;
  /** URLs that are over, and how many are answered a second of late. */
  readonly settled: number;
  readonly recentPerSecond: number;
  /** Why nothing can be fetched now, in words; null: no outage of ours stops everything. */
  readonly outage: string | null;
  readonly limits: { readonly maxPages: number | null; readonly maxSeconds: number | null };
  readonly unfinished: { readonly hosts: number; readonly urls: number };
  /** The hosts that take longest. */
  readonly holders: readonly HolderFacts[];
}

export interface Holder {
  readonly origin: string;
  readonly left: number;
  readonly cause: TimeCause;
  readonly because: string;
  readonly seconds: number;
  readonly causes: Record<string, number>;
  readonly secondsEach: number;
  readonly until: string | null;
  readonly secondsLeft: number | null;
}

export interface Eta {
  readonly seconds: number | null;
  readonly at: string | null;
  readonly by: 'host' | 'backoff' | 'throughput' | 'page-limit' | 'time-limit' | 'outage';
  readonly because: string;
  readonly assumes: string[];
}

/** The causes that took time, the largest first. */
export function causesOf(
  spent: TimeSpent,
): { cause: TimeCause; blame: Blame; seconds: number; share: number; means: string }[] {
  const all = totalTime(spent);
  return timeCauseNames
    .map((cause) => {
      const { blame, means } = reasons[cause];
      return { cause, blame, means, seconds: round(spent[cause] ?? 0) };
    })
    .filter(({ seconds }) => seconds > 0)
    .map((each) => ({ ...each, share: Math.min(1, each.seconds / all) }))
    .sort((a, b) => b.seconds - a.seconds);
}

const round = (seconds: number): number => Math.round(seconds * 1_000) / 1_000;
const percent = (share: number): string => `${String(Math.round(share * 100))} %`;

/** What holds a host up now; if nothing does, what took most of its time so far. */
function causeAt(host: HolderFacts, now: number, isOut: boolean): TimeCause {
  if (host.state === 'paused') return 'paused';
  if (host.state === 'backoff') return pauseCause(host.trouble, false);
  if (host.state === 'closed')
    return (
      closingAt(host.settings, host.budget, { day: host.requestsDay, used: host.requestsUsed }, now)?.by ??
      'windows'
    );
  if (host.state === 'asking') return 'robots_txt';
  if (isOut) return 'outage';
  // An outage that is over holds nobody up.
  return causesOf(host.spent).find(({ cause }) => cause !== 'outage')?.cause ?? 'place';
}

/** Milliseconds until the host may be asked, also by whoever has it on loan. */
const untilAskedMs = ({ waitMs, lentMs }: HolderFacts): number => Math.max(waitMs, lentMs ?? 0);

/** Instant at which the host is done; null: never by itself, or not within years. */
function holderDoneAt(host: HolderFacts, now: number): number | null {
  if (host.state === 'paused') return null;
  const { windows, quotaPerDay } = host.settings;
  const quota = dailyQuota(quotaPerDay, host.budget);
  const from = now + untilAskedMs(host);
  const counted = { day: host.requestsDay, used: host.requestsUsed };
  const leftToday = Math.max(0, quota - usedOn(hostDay(windows, from).day, counted, 0));
  return doneAt({ urls: host.left, eachMs: host.eachMs, from, windows, quotaPerDay: quota, leftToday });
}

/** @param isOut an outage of ours stops everything */
export function holderOf(host: HolderFacts, now: number, isOut: boolean): Holder {
  const cause = causeAt(host, now, isOut);
  const at = holderDoneAt(host, now);
  const waitMs = untilAskedMs(host);
  const until = host.state !== 'paused' && waitMs > 0 ? instantIn(now, waitMs) : null;
  const error = host.lastError === null ? '' : ` (${troubleText(host.lastError)})`;
  const lent = lentBecause(host.lentMs, now);
  const isWait = until !== null && host.waitMs === waitMs;
  const waits = `${isWait ? `, not before ${until}` : ''}${lent === null ? '' : `, ${lent}`}`;
  const pace = host.eachMs === 0 || cause === 'retry_after' ? '' : `, ${span(host.eachMs)} each`;
  const causes = causesOf(host.spent).map(({ cause: name, seconds }) => [name, seconds] as const);
  return {
    origin: host.origin,
    left: host.left,
    cause,
    because: `${counted(host.left, 'URL is', 'URLs are')} left${pace}${waits}: ${reasons[cause].means}${error}.`,
    seconds: round(totalTime(host.spent)),
    causes: Object.fromEntries(causes),
    secondsEach: round(host.eachMs / 1_000),
    until,
    secondsLeft: at === null ? null : round(Math.max(0, at - now) / 1_000),
  };
}

/**
 * A host that asked for a pause (429, 503): how long its URLs will take is not known, since each complaint doubles its delay
 * for a while. The estimate by the present delay only says which host takes longest.
 */
const isLeftAlone = ({ cause, until }: Holder): boolean => cause === 'retry_after' && until !== null;

/** A holder as people and programs see it. */
export const shownHolder = (holder: Holder): Holder =>
  isLeftAlone(holder) ? { ...holder, secondsLeft: null } : holder;

/** Share of the time that is lost to this installation, from which on its throughput decides when a crawl ends. */
const mostlyOurs = 0.5;

/** Some hosts could be worked at once, and nobody works them. */
const anyIsReady = ({ holders }: CrawlTimeFacts): boolean =>
  holders.some((host) => host.state === 'idle' && untilAskedMs(host) === 0);

/** URLs a second: of late, or, if none was answered then, since the beginning. */
const ratesOf = ({ recentPerSecond, settled, runningMs }: CrawlTimeFacts): number =>
  recentPerSecond > 0 ? recentPerSecond : runningMs === 0 ? 0 : settled / (runningMs / 1_000);

/**
 * When the crawl will be over: the one answer to this, whoever asks. Null: the crawl is not running, or nothing is left.
 * @param holders the hosts that take longest
 */
export function etaOf(facts: CrawlTimeFacts, holders: readonly Holder[]): Eta | null {
  const { now, runs, unfinished, limits, pages } = facts;
  const [longest] = holders.toSorted((a, b) => (b.secondsLeft ?? Infinity) - (a.secondsLeft ?? Infinity));
  if (!runs || longest === undefined) return null;
  if (facts.outage !== null)
    return {
      seconds: null,
      at: null,
      by: 'outage',
      because: facts.outage,
      assumes: ['The crawl goes on by itself when the outage is over.'],
    };
  const perSecond = ratesOf(facts);
  const leftAlone = isLeftAlone(longest);
  const found = {
    seconds: leftAlone ? null : longest.secondsLeft,
    by: (leftAlone ? 'backoff' : 'host') as Eta['by'],
    because: leftAlone
      ? `The crawl waits for ${longest.origin}: ${longest.because}`
      : longest.secondsLeft === null
        ? `${longest.origin} holds the crawl up until somebody acts: ${longest.because}`
        : `${longest.origin} takes longest: ${longest.because}`,
    assumes: [
      'No further URLs are found.',
      leftAlone
        ? 'How fast the host will be asked then is not known before it answers.'
        : longest.secondsLeft === null
          ? 'Somebody has to act before the crawl can end.'
          : `Each URL at ${longest.origin} takes what its URLs took so far, and never less than the delay of the host.`,
    ],
  };
  const spent = facts.holders.reduce<TimeSpent>((sum, host) => addTime(sum, host.spent), {});
  const ours = causesOf(spent).filter(({ blame }) => blame === 'ours');
  const oursShare = ours.reduce((sum, { share }) => sum + share, 0);
  const wholeSeconds = perSecond === 0 ? null : unfinished.urls / perSecond;
  if (
    found.seconds !== null &&
    oursShare >= mostlyOurs &&
    anyIsReady(facts) &&
    wholeSeconds !== null &&
    wholeSeconds > found.seconds
  ) {
    found.seconds = wholeSeconds;
    found.by = 'throughput';
    found.because = `${percent(oursShare)} of the time is lost to this installation, which gets through ${perSecond.toFixed(1)} URLs a second; ${counted(unfinished.urls, 'URL is', 'URLs are')} left.`;
    found.assumes[1] = 'The crawl goes on as fast as it goes now.';
  }
  if (limits.maxPages !== null && perSecond > 0) {
    const pagesLeft = Math.max(0, limits.maxPages - pages);
    const seconds = pagesLeft / perSecond;
    if (pagesLeft < unfinished.urls && (found.seconds === null || seconds < found.seconds)) {
      found.seconds = seconds;
      found.by = 'page-limit';
      found.because = `The crawl may fetch ${counted(pagesLeft, 'more page', 'more pages')} before its limit of ${counted(limits.maxPages, 'page', 'pages')}.`;
      found.assumes = ['The crawl goes on as fast as it goes now.'];
    }
  }
  if (limits.maxSeconds !== null) {
    const seconds = Math.max(0, limits.maxSeconds - facts.runningMs / 1_000);
    if (found.seconds === null || seconds < found.seconds) {
      found.seconds = seconds;
      found.by = 'time-limit';
      found.because = `The crawl may run for ${span(limits.maxSeconds * 1_000)} in all.`;
      found.assumes = ['Nobody pauses the crawl.'];
    }
  }
  const seconds = found.seconds === null ? null : round(found.seconds);
  return { ...found, seconds, at: seconds === null ? null : instantIn(now, seconds * 1_000) };
}

/** Pages that browsers have in hand, as a sentence; null: there are none. */
export const renderingBecause = (pages: number): string | null =>
  pages === 0
    ? null
    : `${counted(pages, 'page waits', 'pages wait')} for a browser, or for files that scripts asked for; that is the time of no host.`;

/** At how many hosts with work it was looked what they wait for now, of how many. */
export interface Looked {
  readonly hosts: number;
  readonly of: number;
}

/** The answer in two or three sentences. @param looked null: at all hosts */
export function timeSummary(spent: TimeSpent, eta: Eta | null, looked: Looked | null): string {
  const [first, second] = causesOf(spent);
  if (first === undefined) return 'No time has been counted yet.';
  const part = first.share > 0.5 ? 'Most' : 'The largest part';
  const most = `${part} of the time, ${percent(first.share)}, went into ${first.means}`;
  const next =
    second === undefined || second.share < 0.05 ? '' : `; ${percent(second.share)} into ${second.means}`;
  const lookedUp =
    looked === null
      ? ''
      : ` What hosts wait for now was looked up at ${grouped(looked.hosts)} of ${counted(looked.of, 'host')} with work.`;
  return `${most}${next}.${eta === null ? '' : ` ${eta.because}`}${lookedUp}`;
}
