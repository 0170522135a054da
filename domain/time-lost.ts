/**
 * Where the time of a crawl goes (G14). While a crawl has URLs at a host, each second there has exactly one cause; the
 * sum over all hosts is in host-seconds. Many hosts are worked side by side, so a crawl of an hour has many hours of
 * host-seconds, and what matters is their shares.
 *
 * Pure: no clock. Times are milliseconds on any one clock.
 */

import type { TroubleClass } from './trouble.ts';
import { reasons, type TimeCause } from './waits/reasons.ts';

export type { TimeCause };

const isCause = (name: string): name is TimeCause => 'blame' in reasons[name as keyof typeof reasons];
/** Every cause, in the order of the lists that people see. */
export const timeCauseNames: readonly TimeCause[] = Object.keys(reasons).filter(isCause);

/** Milliseconds by cause; a cause that is absent has none. */
export type TimeSpent = Readonly<Partial<Record<TimeCause, number>>>;

/** A reason to wait, and when it ends. */
export interface WaitStep {
  readonly cause: TimeCause;
  readonly until: number;
}

/**
 * Splits the wait from `from` to `to`: the first reason has its part until it ends, the next one what is left until it
 * ends, and so on. The parts add up to the whole. @param rest the cause of what no reason explains
 */
export function splitWait(from: number, to: number, steps: readonly WaitStep[], rest: TimeCause): TimeSpent {
  const spent: Partial<Record<TimeCause, number>> = {};
  let at = from;
  for (const { cause, until } of [...steps, { cause: rest, until: to }]) {
    const end = Math.min(until, to);
    if (end <= at) continue;
    spent[cause] = (spent[cause] ?? 0) + (end - at);
    at = end;
  }
  return spent;
}

/** Causes in the order in which waits for a visit come, the last first: what was counted too much is taken from these. */
const latestFirst: readonly TimeCause[] = [
  ...(['unexplained', 'slot', 'place', 'outage', 'retry'] as const),
  ...timeCauseNames.toReversed(),
];

/** Takes the last `ms` milliseconds off. */
export function withoutLast(spent: TimeSpent, ms: number): TimeSpent {
  const left: Partial<Record<TimeCause, number>> = { ...spent };
  let off = ms;
  for (const cause of latestFirst) {
    const part = Math.min(off, left[cause] ?? 0);
    if (part <= 0) continue;
    left[cause] = (left[cause] ?? 0) - part;
    off -= part;
  }
  return left;
}

/** What a host waits for that has nothing due: its pace, and whoever works it. In the order in which these waits come. */
const whileNothingIsDue: readonly TimeCause[] = [
  ...(['delay', 'crawl_delay', 'slowdown', 'own_delay', 'place', 'slot'] as const),
];

/** Gives the first `ms` milliseconds of a wait another cause, apart from pauses and closings of the host as a whole. */
export function laterDue(spent: TimeSpent, ms: number, cause: 'retry' | 'retry_after'): TimeSpent {
  const given: Partial<Record<TimeCause, number>> = { ...spent };
  const kept = timeCauseNames.filter((each) => !whileNothingIsDue.includes(each));
  let left = ms - kept.reduce((sum, each) => sum + (spent[each] ?? 0), 0);
  for (const each of whileNothingIsDue) {
    const part = Math.min(left, given[each] ?? 0);
    if (part <= 0) continue;
    given[each] = (given[each] ?? 0) - part;
    given[cause] = (given[cause] ?? 0) + part;
    left -= part;
  }
  return given;
}

/** Gives the wait for a worker to a visit that was lost, however long it was. */
export const asLost = ({ slot = 0, unexplained = 0, ...others }: TimeSpent): TimeSpent => ({
  ...others,
  fault: (others.fault ?? 0) + slot + unexplained,
});

/** Gives the delay of a host its name. */
export const byCrawlDelay = ({ delay = 0, ...others }: TimeSpent): TimeSpent => ({
  ...others,
  crawl_delay: (others.crawl_delay ?? 0) + delay,
});

export function addTime(a: TimeSpent, b: TimeSpent, share = 1): TimeSpent {
  const sum: Partial<Record<TimeCause, number>> = { ...a };
  for (const cause of timeCauseNames) {
    const more = b[cause];
    if (more !== undefined && more !== 0) sum[cause] = (sum[cause] ?? 0) + more * share;
  }
  return sum;
}

export const totalTime = (spent: TimeSpent): number =>
  timeCauseNames.reduce((sum, cause) => sum + (spent[cause] ?? 0), 0);

/** Causes of a pause after trouble; the cause of any other is `backoff`. */
export const pauseCauses: Readonly<Partial<Record<TroubleClass, TimeCause>>> = {
  'robots-unreachable': 'robots_txt',
  overloaded: 'retry_after',
};

/**
 * The cause of a pause by the last trouble of the host. Null: the host is in no trouble, so an address or a domain had
 * no room for its request, or (`eased`) this installation had none for the answer.
 */
export function pauseCause(trouble: TroubleClass | null, eased: boolean): TimeCause {
  if (trouble === null) return eased ? 'pressure' : 'caps';
  return pauseCauses[trouble] ?? 'backoff';
}
