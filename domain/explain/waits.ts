/** What the next request for a URL waits for, and when it may be sent. */
import { lentBecause, spacingMs } from '../waits/behind-others.ts';
import type { Reason } from '../waits/reason.ts';
import { reasons } from '../waits/reasons.ts';
import { instantIn, span, type Decision, type Wait } from './decision.ts';
import type { ExplainFacts } from './facts.ts';

export interface NextFetch {
  /** Earliest possible instant; null: not known. */
  readonly at: string | null;
  readonly waits: readonly Decision[];
}

/** For a queued or leased URL; a URL that was never met is treated as queued just now. Null for all others. */
export function nextFetch(facts: ExplainFacts): NextFetch | null {
  const { record, now } = facts;
  if (record !== null && record.state !== 'queued')
    return record.state === 'leased' ? leasedNow(facts) : null;
  const waits = Object.values<Reason>(reasons).flatMap(({ explain }) => explain?.(facts) ?? []);
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

const nothing: Wait = {
  verdict: 'next',
  because: 'Nothing: the URL is the next one at its host.',
  inMs: 0,
};

function leasedNow({ record, host, now }: ExplainFacts): NextFetch {
  if (record?.leaseHeld === true) {
    const lent = lentBecause(host?.lentMs, now);
    const because =
      lent === null
        ? 'The URL belongs to the slice of its host that is being fetched now.'
        : `The URL is ${lent}.`;
    return { at: instantIn(now, 0), waits: [decisionOf({ verdict: 'leased', because, inMs: 0 }, now)] };
  }
  const delayMs = host?.delayMs ?? 0;
  const because = `The slice that was fetching the URL ended without a result: the URL goes back to the queue with the next slice of its host, after ${span(delayMs)}.`;
  const inMs = Math.max(delayMs, host?.waitMs ?? 0);
  return { at: instantIn(now, inMs), waits: [decisionOf({ verdict: 'lease-lost', because, inMs }, now)] };
}

/** The time of the crawl is over before a wait of `inMs` is; null: it is not. */
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
