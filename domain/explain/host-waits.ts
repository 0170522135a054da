/** What holds a queued URL back at its host: its state, its pace, its limits, and what goes first there. */
import { permitsOf, type Cap } from '../caps.ts';
import { counted } from '../counted.ts';
import { isWhole, outageText } from '../outage.ts';
import { slowedBecause } from '../pressure.ts';
import { robotsFreshMs } from '../robots-freshness.ts';
import { troubleText } from '../url-reason.ts';
import { instantIn, span, type Wait } from './decision.ts';
import { aheadCounted, type ExplainFacts, type HostFacts } from './facts.ts';

export function hostPaused({ host }: ExplainFacts): Wait | null {
  const since = host?.pausedAt ?? null;
  if (since === null) return null;
  return {
    verdict: 'host-paused',
    because: `An operator has paused the host since ${since}: no request is sent to it before it is resumed.`,
    inMs: null,
  };
}

export function hostParked({ host }: ExplainFacts): Wait | null {
  const since = host?.parkedAt ?? null;
  if (host === null || since === null) return null;
  const why = host.lastError === null ? '' : `: ${troubleText(host.lastError)}`;
  return {
    verdict: 'host-parked',
    because: `The host has been parked since ${since}${why}; it waits for a probe that is answered, or a retry. Temporal Web shows the time of the next probe in the workflow of the host.`,
    inMs: null,
  };
}

/** The pace may have been measured this many milliseconds apart from the whole wait. */
const paceSlackMs = 50;

export function hostCapped({ host }: ExplainFacts): Wait | null {
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

export function installationOut({ outages }: ExplainFacts): Wait | null {
  if (outages.length === 0) return null;
  // An outage that some workers see holds back nothing for certain.
  return {
    verdict: 'outage',
    because: outages.map(outageText).join(' '),
    inMs: outages.some(isWhole) ? null : 0,
  };
}

export function fetchingSlowed({ host, stages, now }: ExplainFacts): Wait | null {
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

export function hostNotReady({ host, now }: ExplainFacts): Wait | null {
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

export function hostClosed({ host, now }: ExplainFacts): Wait | null {
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

/** Null: the host is on no loan. */
export const lentBecause = (lentMs: number | null | undefined, now: number): string | null =>
  (lentMs ?? 0) > 0 ? `lent to another fetcher until ${instantIn(now, lentMs ?? 0)} at the latest` : null;

export function otherSlice({ host, now }: ExplainFacts): Wait | null {
  const leaseMs = host?.leaseMs ?? null;
  if (host === null) return null;
  const lent = lentBecause(host.lentMs, now);
  if (lent !== null)
    return { verdict: 'lent', because: `The host is ${lent}: nobody else asks it meanwhile.`, inMs: 0 };
  if (leaseMs === null || leaseMs <= 0) {
    const keptMs = host.keptMs ?? 0;
    if (keptMs > 0)
      return {
        verdict: 'lent',
        because: `The next requests are those of another fetcher, for which the host is kept until ${instantIn(now, keptMs)}, unless it comes sooner.`,
        inMs: keptMs,
      };
  }
  if (leaseMs === null) return null;
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

export function otherHostsSlice({ host }: ExplainFacts): Wait | null {
  if (host?.guest !== true) return null;
  return {
    verdict: 'guest',
    because: 'The robots.txt of another host redirects to this host, and that one request goes first.',
    inMs: 0,
    requests: 1,
  };
}

export function robotsFirst({ host, robots }: ExplainFacts): Wait | null {
  const ageMs = robots?.ageMs ?? null;
  if (ageMs !== null && ageMs < robotsFreshMs(host?.delayMs ?? 0, host?.robotsKeptMs)) return null;
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

export function othersFirst({ host }: ExplainFacts): Wait | null {
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
export const spacingMs = ({ delayMs, turn }: HostFacts): number => Math.max(delayMs, turn.delayMs);

function paceText(host: HostFacts): string {
  const { slowdown } = host;
  const delayMs = spacingMs(host);
  const slowed = slowdown > 0 ? ' (slowed down after trouble)' : '';
  return delayMs === 0 ? 'one after another' : `at one request every ${span(delayMs)}${slowed}`;
}

export function hostNotFed({ host, crawl, record }: ExplainFacts): Wait | null {
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
