/**
 * Where the time of a crawl goes (G14). While a crawl has URLs at a host, each second there has exactly one cause; the
 * sum over all hosts is in host-seconds. Many hosts are worked side by side, so a crawl of an hour has many hours of
 * host-seconds, and what matters is their shares.
 *
 * Pure: no clock. Times are milliseconds on any one clock.
 */

/** Who can change it: the hosts and what they ask for, somebody's settings, or this installation. */
export type Blame = 'host' | 'settings' | 'ours';

/** Every cause, in the order of the lists that people see, with what it means in words. */
export const timeCauses = {
  answering: { blame: 'host', means: 'requests under way: from sending each until its answer was complete' },
  robots_txt: { blame: 'host', means: 'reading robots.txt, and waiting while it cannot be read' },
  delay: { blame: 'settings', means: 'the delay between two requests to one host' },
  crawl_delay: { blame: 'host', means: 'the Crawl-delay that robots.txt asks for' },
  slowdown: { blame: 'host', means: 'longer delays after complaints of the host (429, 503)' },
  retry_after: { blame: 'host', means: 'pauses that hosts asked for (429, 503, Retry-After)' },
  backoff: { blame: 'host', means: 'backing off from hosts in trouble' },
  retry: { blame: 'host', means: 'URLs that failed and are tried again later' },
  parked: { blame: 'host', means: 'hosts that are parked because their retries are spent' },
  caps: { blame: 'settings', means: 'the limits of an address or a domain, over all hosts there' },
  own_delay: {
    blame: 'settings',
    means: 'the delay of the crawl itself, where it is longer than that of the host',
  },
  windows: { blame: 'settings', means: 'hosts outside their opening times' },
  quota: { blame: 'settings', means: 'hosts whose requests of the day are spent' },
  paused: { blame: 'settings', means: 'hosts that an operator has paused' },
  others: { blame: 'ours', means: 'requests of other crawls to the same hosts' },
  outage: { blame: 'ours', means: 'outages of our own: a disk, DNS or Postgres was out' },
  place: { blame: 'ours', means: 'waiting for a place among the hosts that are worked at a time' },
  slot: { blame: 'ours', means: 'waiting for a worker that begins the visit' },
  pressure: {
    blame: 'ours',
    means: 'slowed down because reading, the database or the disk is behind',
  },
  reading: { blame: 'ours', means: 'waiting until fetched pages were read' },
  own_work: {
    blame: 'ours',
    means: 'our own work between requests: Postgres, the archive, and timers that were late',
  },
  fault: { blame: 'ours', means: 'visits that were lost with their worker, until the next began' },
  unexplained: { blame: 'ours', means: 'time that nothing explains: a fault of ours that nobody knows yet' },
} as const satisfies Readonly<Record<string, { readonly blame: Blame; readonly means: string }>>;

export type TimeCause = keyof typeof timeCauses;
export const timeCauseNames = Object.keys(timeCauses) as readonly TimeCause[];

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
  ...(['unexplained', 'slot', 'place', 'outage'] as const),
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

/**
 * The cause of a pause by the last trouble of the host (`class: message`). Null: the host is in no trouble, so an
 * address or a domain had no room for its request, or (`eased`) this installation had none for the answer.
 */
export function pauseCause(lastError: string | null, eased: boolean): TimeCause {
  if (lastError === null) return eased ? 'pressure' : 'caps';
  if (lastError.startsWith('overloaded')) return 'retry_after';
  return lastError.startsWith('robots-unreachable') ? 'robots_txt' : 'backoff';
}
