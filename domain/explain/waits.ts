/** What the next request for a URL waits for, and when it may be sent. */
import { optOutDetail, optOutReason } from '../opt-out.ts';
import { robotsFreshMs } from '../robots.ts';
import { permitsOf, type Cap } from '../caps.ts';
import { counted } from '../counted.ts';
import { slowedBecause } from '../pressure.ts';
import { instantIn, span, type Decision } from './decision.ts';
import { aheadCounted, type CrawlFacts, type ExplainFacts, type HostFacts } from './facts.ts';
import { reasonText, troubleText } from '../url-reason.ts';

interface Wait {
  readonly verdict: string;
  readonly because: string;
  /** Milliseconds from now until the wait is over; null: not known. */
  readonly inMs: number | null;
  /** Requests to the host that go first, at its pace. */
  readonly requests?: number;
}

export interface NextFetch {
  /** Earliest possible instant; null: not known. */
  readonly at: string | null;
  readonly waits: readonly Decision[];
}

type WaitRule = (facts: ExplainFacts) => Wait | null;

/**
 * Everything that can hold a queued URL back, the weightiest first: the summary names the first that applies. New
 * reasons to wait are added here only.
 */
const rules: readonly WaitRule[] = [
  optedOut,
  crawlHalted,
  hostPaused,
  hostParked,
  pageLimit,
  urlNotDue,
  hostCapped,
  fetchingSlowed,
  hostNotReady,
  crawlNotReady,
  hostClosed,
  otherSlice,
  otherHostsSlice,
  robotsFirst,
  othersFirst,
  hostNotFed,
];

/** For a queued or leased URL; a URL that was never met is treated as queued just now. Null for all others. */
export function nextFetch(facts: ExplainFacts): NextFetch | null {
  const { record, now } = facts;
  if (record !== null && record.state !== 'queued')
    return record.state === 'leased' ? leasedNow(facts) : null;
  const waits = rules.map((rule) => rule(facts)).filter((wait) => wait !== null);
  const requests = waits.reduce((sum, wait) => sum + (wait.requests ?? 0), 0);
  const inMs = waits.some((wait) => wait.inMs === null)
    ? null
    : Math.max(0, ...waits.map((wait) => wait.inMs ?? 0)) +
      requests * (facts.host === null ? 0 : spacingMs(facts.host));
  const tooLate = timeLimit(facts, inMs ?? 0);
  if (tooLate !== null) waits.unshift(tooLate);
  if (waits.length === 0) waits.push(nothing);
  return {
    at: inMs === null || tooLate !== null ? null : instantIn(now, inMs),
    waits: waits.map((wait) => decisionOf(wait, now)),
  };
}

const decisionOf = ({ verdict, because, inMs, requests }: Wait, now: number): Decision => ({
  step: 'wait',
  verdict,
  effect: 'wait',
  because,
  detail: {
    until: inMs === null || inMs <= 0 ? null : instantIn(now, inMs),
    ...(requests !== undefined && { requests }),
  },
});

function optedOut({ optedOut: domain }: ExplainFacts): Wait | null {
  if (domain === null) return null;
  return {
    verdict: optOutReason,
    because: `${optOutDetail(domain)} of being crawled: the URL will be excluded on its turn.`,
    inMs: null,
  };
}

function crawlHalted({ crawl }: ExplainFacts): Wait | null {
  const because = haltSentence(crawl);
  return because === null ? null : { verdict: `crawl-${crawl.state}`, because, inMs: null };
}

/** Null: the crawl sends requests. */
function haltSentence({ state, reason }: CrawlFacts): string | null {
  const why = reason === null ? '' : ` (${reason})`;
  switch (state) {
    case 'running':
      return null;
    case 'seeding':
      return 'The crawl has not begun yet.';
    case 'paused':
      return `The crawl is paused${why}: no request is sent before it is resumed.`;
    case 'draining':
      return `The crawl is ending${why}: what is still queued will be excluded.`;
    case 'finished':
    case 'cancelled':
    case 'failed':
      return `The crawl ${state === 'failed' ? 'has failed' : `is ${state}`}${why}: it sends no requests.`;
  }
}

function hostPaused({ host }: ExplainFacts): Wait | null {
  const since = host?.pausedAt ?? null;
  if (since === null) return null;
  return {
    verdict: 'host-paused',
    because: `An operator has paused the host since ${since}: no request is sent to it before it is resumed.`,
    inMs: null,
  };
}

function hostParked({ host }: ExplainFacts): Wait | null {
  const since = host?.parkedAt ?? null;
  if (host === null || since === null) return null;
  const why = host.lastError === null ? '' : `: ${troubleText(host.lastError)}`;
  return {
    verdict: 'host-parked',
    because: `The host has been parked since ${since}${why}; it waits for a probe that is answered, or a retry.`,
    inMs: null,
  };
}

function pageLimit({ crawl: { config, pagesInHand } }: ExplainFacts): Wait | null {
  if (config.maxPages === null || pagesInHand < config.maxPages) return null;
  return {
    verdict: 'page-limit',
    because: `The crawl has the ${counted(config.maxPages, 'page', 'pages')} it may fetch, or is fetching the last of them.`,
    inMs: null,
  };
}

function timeLimit({ crawl: { config, runningMs }, now }: ExplainFacts, inMs: number): Wait | null {
  if (config.maxSeconds === null || runningMs === null) return null;
  const leftMs = config.maxSeconds * 1_000 - runningMs;
  if (inMs <= leftMs) return null;
  return {
    verdict: 'time-limit',
    because: `The crawl's time ends at ${instantIn(now, leftMs)}, before its turn comes: it will be excluded.`,
    inMs: null,
  };
}

function urlNotDue({ record, now }: ExplainFacts): Wait | null {
  if (record === null || record.dueMs <= 0) return null;
  const after =
    record.reason === null ? '' : ` after its last attempt: ${reasonText(record.reason, record.detail)}`;
  return {
    verdict: 'url-backoff',
    because: `The URL itself is due again at ${instantIn(now, record.dueMs)}${after}.`,
    inMs: record.dueMs,
  };
}

/** The pace may have been measured this many milliseconds apart from the whole wait. */
const paceSlackMs = 50;

function hostCapped({ host }: ExplainFacts): Wait | null {
  const capped = host?.capped ?? null;
  if (capped === null) return null;
  const { name, inMs, hosts, cap } = capped;
  const isAddress = /^[\d.]+$|:/.test(name);
  return {
    verdict: isAddress ? 'address-cap' : 'domain-cap',
    because: `The host waits for its ${isAddress ? 'address' : 'domain'} ${name}: ${cap === null ? 'the cap that holds there' : capText(cap)} ${hosts > 1 ? `is shared by ${counted(hosts, 'host', 'hosts')} that wait for it now` : 'was reached by other hosts there'}.`,
    inMs,
  };
}

function capText({ rate, inFlight }: Cap): string {
  const { count } = permitsOf({ rate, inFlight });
  const pace =
    rate < 1
      ? `one request every ${String(Math.round(10 / rate) / 10)} s`
      : `${counted(rate, 'request', 'requests')} per second`;
  return `a cap of ${pace}, ${String(count)} in flight,`;
}

/** The host has a wait of its own that the workers gave it because they had no room for its answers. */
const isEased = ({ eased, failures, waitMs, paceMs }: HostFacts): boolean =>
  eased && failures === 0 && waitMs > paceMs + paceSlackMs;

function fetchingSlowed({ host, stages, now }: ExplainFacts): Wait | null {
  if (host === null) return null;
  const because = slowedBecause(stages);
  const held = isEased(host)
    ? `The host is left alone until ${instantIn(now, host.waitMs)}, since there was no room for its answers.`
    : null;
  if (because === null && held === null) return null;
  return {
    verdict: 'pressure',
    because: [because, held].filter((part) => part !== null).join(' '),
    inMs: held === null ? 0 : host.waitMs,
  };
}

function hostNotReady({ host, now }: ExplainFacts): Wait | null {
  if (host === null || host.waitMs <= 0 || isEased(host)) return null;
  const until = `The host may not be visited before ${instantIn(now, host.waitMs)}`;
  if (host.waitMs <= host.paceMs + paceSlackMs) {
    return {
      verdict: 'host-delay',
      because: `${until}: its delay of ${span(host.delayMs)} between requests has not passed.`,
      inMs: host.waitMs,
    };
  }
  if (host.failures === 0) {
    return {
      verdict: 'host-asked',
      because: `${until}, because the host asked for this time or an operator set it.`,
      inMs: host.waitMs,
    };
  }
  const since = host.failingSince === null ? '' : ` since ${host.failingSince}`;
  const asked = host.lastError?.startsWith('overloaded') === true;
  return {
    verdict: asked ? 'retry-after' : 'host-backoff',
    because: `${until}, ${asked ? 'by its Retry-After or the backoff' : 'by the backoff'} after ${counted(host.failures, 'failure', 'failures')} in a row${since}, the last: ${troubleText(host.lastError ?? 'unknown')}.`,
    inMs: host.waitMs,
  };
}

function crawlNotReady({ host, now }: ExplainFacts): Wait | null {
  if (host === null || host.turn.inMs <= 0) return null;
  const { inMs, reported } = host.turn;
  const until = `The crawl has no turn at this host before ${instantIn(now, inMs)}`;
  return reported
    ? {
        verdict: 'host-reported',
        because: `${until}, or until the host has answered Orbweaver itself: another fetcher of the tenant has reported trouble at the host.`,
        inMs,
      }
    : {
        verdict: 'crawl-delay',
        because: `${until}: its own delay of ${span(host.turn.delayMs)} has not passed. This delays no other crawl.`,
        inMs,
      };
}

function hostClosed({ host, now }: ExplainFacts): Wait | null {
  const closed = host?.closed ?? null;
  if (closed === null) return null;
  const { verdict, why } = closingText(closed);
  return {
    verdict,
    because: `${why}: none is sent before ${instantIn(now, closed.inMs)}.`,
    inMs: closed.inMs,
  };
}

function closingText({ by, budget }: NonNullable<HostFacts['closed']>): { verdict: string; why: string } {
  if (by === 'windows')
    return { verdict: 'host-closed', why: 'The host is outside the opening times that are set for it' };
  if (budget === null)
    return { verdict: 'host-quota', why: "The host's quota of requests for the day is spent" };
  const requests = counted(budget.perDay, 'request', 'requests');
  return budget.later
    ? {
        verdict: 'host-later',
        why: `So many requests to the host have failed of late that it is left for later, and its ${requests} a day, which show whether it is mended, are spent`,
      }
    : {
        verdict: 'host-budget',
        why: `The ${requests} a day that the quality of the host leaves it are spent`,
      };
}

function otherSlice({ host }: ExplainFacts): Wait | null {
  const leaseMs = host?.leaseMs ?? null;
  if (host === null || leaseMs === null) return null;
  if (leaseMs > 0) {
    return {
      verdict: 'lease',
      because: 'A slice of the host without this URL is being fetched now.',
      inMs: 0,
    };
  }
  return {
    verdict: 'lease-lost',
    because: `The lease on the host ran out ${span(-leaseMs)} ago without being returned: the next holder waits ${span(host.delayMs)} first, because a request may still be under way.`,
    inMs: host.delayMs,
  };
}

function otherHostsSlice({ host }: ExplainFacts): Wait | null {
  if (host?.guest !== true) return null;
  return {
    verdict: 'guest',
    because: 'The robots.txt of another host redirects to this host, and that one request goes first.',
    inMs: 0,
    requests: 1,
  };
}

function robotsFirst({ host, robots }: ExplainFacts): Wait | null {
  const ageMs = robots?.ageMs ?? null;
  if (ageMs !== null && ageMs < robotsFreshMs(host?.delayMs ?? 0)) return null;
  const what =
    ageMs === null
      ? 'robots.txt of the host has not been read yet'
      : `The copy of robots.txt is ${span(ageMs)} old`;
  return {
    verdict: 'robots-first',
    because: `${what}: it is requested first, in a request of its own.`,
    inMs: 0,
    requests: host === null ? 0 : 1,
  };
}

function othersFirst({ host }: ExplainFacts): Wait | null {
  if (host === null) return null;
  // Crawls take turns: while ours gets through what goes first, each other one gets as many.
  const ofOthers = host.others.reduce((sum, queued) => sum + Math.min(queued, host.ahead), 0);
  const turns =
    host.others.length === 0 ? '' : `; ${counted(host.others.length + 1, 'crawl', 'crawls')} take turns`;
  if (host.ahead === 0) {
    return host.others.length === 0
      ? null
      : { verdict: 'turns', because: `The URL is the next one of its crawl at this host${turns}.`, inMs: 0 };
  }
  const many = `${host.ahead >= aheadCounted ? 'At least ' : ''}${counted(host.ahead, 'queued URL', 'queued URLs')}`;
  return {
    verdict: 'queue',
    because: `${many} of this crawl ${host.ahead === 1 ? 'goes' : 'go'} first at this host, ${paceText(host)}${turns}.`,
    inMs: 0,
    requests: host.ahead + ofOthers,
  };
}

/** Milliseconds between two requests of the crawl at the host. */
const spacingMs = ({ delayMs, turn }: HostFacts): number => Math.max(delayMs, turn.delayMs);

function paceText(host: HostFacts): string {
  const { slowdown } = host;
  const delayMs = spacingMs(host);
  const slowed = slowdown > 0 ? ' (slowed down after trouble)' : '';
  return delayMs === 0 ? 'one after another' : `at one request every ${span(delayMs)}${slowed}`;
}

function hostNotFed({ host, crawl, record }: ExplainFacts): Wait | null {
  if (
    host === null ||
    host.fed ||
    host.pausedAt !== null ||
    host.parkedAt !== null ||
    host.waitMs > 0 ||
    host.turn.inMs > 0 ||
    host.closed !== null
  )
    return null;
  if (crawl.state !== 'running' || (record?.dueMs ?? 0) > 0) return null;
  return {
    verdict: 'host-not-fed',
    because:
      'No workflow works on the host now: the scheduler starts one when the number of active hosts allows it.',
    inMs: 0,
  };
}

const nothing: Wait = {
  verdict: 'next',
  because: 'Nothing: the URL is the next one at its host.',
  inMs: 0,
};

function leasedNow({ record, host, now }: ExplainFacts): NextFetch {
  if (record?.leaseHeld === true) {
    const because = 'The URL belongs to the slice of its host that is being fetched now.';
    return { at: instantIn(now, 0), waits: [decisionOf({ verdict: 'leased', because, inMs: 0 }, now)] };
  }
  const delayMs = host?.delayMs ?? 0;
  const because = `The slice that was fetching the URL ended without a result: the URL goes back to the queue with the next slice of its host, after ${span(delayMs)}.`;
  const inMs = Math.max(delayMs, host?.waitMs ?? 0);
  return { at: instantIn(now, inMs), waits: [decisionOf({ verdict: 'lease-lost', because, inMs }, now)] };
}
