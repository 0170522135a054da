/**
 * The states of a host, each told once. A host is in the first whose condition `sql` holds for its row `h`; each
 * condition names the index that serves it. `words` end a sentence about the host, `means` explains the state to programs.
 */
export const hostStates = {
  paused: {
    sql: 'h.paused_at is not null',
    words: 'is paused by an operator',
    means: 'an operator has paused the host',
  },
  parked: {
    sql: 'h.parked_at is not null',
    words: 'is parked',
    means: 'the retries of the host are spent',
  },
  backoff: {
    sql: 'h.failures > 0 and h.parked_at is null and h.not_before > now() and h.not_before > h.paced_until',
    words: 'is left alone for a while',
    means: 'the host is left alone after trouble, or because it asked for that',
  },
  closed: {
    sql: `h.closed_until > '-infinity' and h.closed_until > now()`,
    words: 'is closed: no request may be sent to it now',
    means: 'the windows or the quota of the host allow no request now',
  },
  active: {
    sql: 'h.fed',
    words: 'is being crawled',
    means: 'a workflow works on the host',
  },
  asking: {
    sql: 'h.known_at is null and h.lease_token is not null and h.lease_until > now()',
    words: 'is asked whether it answers',
    means: 'the host is asked whether it answers, before a workflow is started for it',
  },
  idle: {
    sql: 'not h.fed',
    words: 'has nothing to do now',
    means: 'no URL is due, or the host waits for its turn',
  },
} as const;
export type HostState = keyof typeof hostStates;
export const hostStateNames = Object.keys(hostStates) as [HostState, ...HostState[]];

/** What a crawl waits for at a host: a state of the host, or a time to come. */
export const hostWaits = {
  paused: hostStates.paused.means,
  parked: hostStates.parked.means,
  'logged-out': 'the site has logged the crawl out: it goes on once it is given another session',
  backoff: hostStates.backoff.means,
  closed: hostStates.closed.means,
  delay: 'the delay of the host is longer than a minute',
  retry: 'the URLs were tried and are due again later',
} as const;
export const hostWaitNames = Object.keys(hostWaits) as (keyof typeof hostWaits)[];
