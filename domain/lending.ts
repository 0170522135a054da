/**
 * Hosts lent to foreign fetchers (F37): how long a loan lasts, how much a fetcher may borrow at a time, and what its
 * report of a request means. Times are milliseconds unless a name says seconds.
 */
import { fetchFaults, type FetchFault } from './fault.ts';
import { leaseMarginMs } from './lease.ts';

export const lendingLimits = {
  /** Most URLs in one batch, each at a different host. */
  batch: 100,
  minLeaseSeconds: 1,
  /** What may be asked for; `longestLoanMs` says what is given. */
  maxLeaseSeconds: 300,
  /** Most candidates in one request. */
  candidates: 5_000,
} as const;

/**
 * Requests of a turn at a host that our workers and foreign fetchers both want: a visit of ours ends after so many, and
 * as many as it sent are then the fetchers'. So each has one half, whatever the host's delay is.
 */
export const turnRequests = 5;

/**
 * Milliseconds within which a fetcher that waits should ask again. So long after the host's pace allows a request, the
 * host is kept for fetchers whose turn it is.
 */
export const askAgainMs = 3_000;

/** Milliseconds for which a fetcher that has asked counts as wanting the host. */
export const wantsMs = 15_000;

/**
 * Milliseconds within which each loan is told to end. A loan cannot be called back, and whoever comes meanwhile waits for
 * it: with `heldMs` and a delay, less than half a minute.
 */
export const longestLoanMs = 20_000;

/**
 * A fetchers' turn at a host with this delay is over once it has taken longer, and the workers' next turn is as long as it
 * was: by requests alone, a fetcher that reports each one late would have the host for nearly all of the time. A
 * fetcher that gives a URL back untried after so long is treated as if it had let the loan run out.
 */
export const slowTurnMs = (delayMs: number): number => 1.5 * turnRequests * Math.max(delayMs, 1_000);

/** How long a host is kept for a fetcher that was told to end its requests within `toldMs`. */
export const heldMs = (toldMs: number): number => toldMs / (1 - leaseMarginMs(1));

/** Number of shards as fetchers see them, 0 to 63, however many shards there really are. */
export const outerShards = 64;

/**
 * The shards whose hosts are lent when a fetcher names shard `outer`. An `outer` beyond the last shard means the shard
 * `outer % shards`, so that each of a fetcher's 64 shards has hosts. It also means `outer` itself, for hosts that were
 * given that number when there were more shards.
 */
export const shardsBehind = (outer: number, shards: number): readonly number[] =>
  outer < shards ? [outer] : [outer % shards, outer];

/** Loans that count as reported in `earned`, so that a few loans that run out cost a tenant little. */
const forgiven = 10;

/**
 * What a tenant's fetchers get after they let loans run out: batch size and time are both multiplied by the share of
 * loans that were reported, among all loans that ended within the last hour. The share grows back with reports and
 * with time.
 */
export function earned(
  asked: { readonly batchSize: number; readonly toldMs: number },
  loans: { readonly settled: number; readonly lapsed: number },
): { readonly batchSize: number; readonly toldMs: number } {
  const share = (loans.settled + forgiven) / (loans.settled + loans.lapsed + forgiven);
  return {
    batchSize: Math.max(1, Math.floor(asked.batchSize * share)),
    toldMs: Math.max(
      Math.min(asked.toldMs, lendingLimits.minLeaseSeconds * 1_000),
      Math.floor(asked.toldMs * share),
    ),
  };
}

/**
 * Loans that a tenant's fetchers may have at a time, over all hosts: ten for each that was reported within the hour, and
 * fewer the more ran out. So a fetcher that asks again and again and never reports stops few hosts.
 */
export const mostLoans = (loans: { readonly settled: number; readonly lapsed: number }): number =>
  Math.max(1, Math.floor((10 * (loans.settled + forgiven)) / Math.max(1, loans.lapsed)));

/** The error that a fetcher reports for a URL that it did not request. */
const notTried = 'not-tried';
const cutBodies = ['too-large', 'incomplete', 'bad-encoding'] as const;
type Cut = (typeof cutBodies)[number];

export type Reported =
  | { readonly kind: 'not-tried' }
  | { readonly kind: 'response'; readonly status: number; readonly truncated: false | Cut }
  | { readonly kind: 'fault'; readonly fault: FetchFault; readonly message: string };

/** Names that other fetchers use for our faults, with `-` in place of `_`. */
const otherNames: Readonly<Record<string, FetchFault>> = {
  'dns-timeout': 'dns-unavailable',
  'dns-error': 'dns-unavailable',
  'dns-failure': 'dns-unavailable',
  nxdomain: 'dns-not-found',
  'connection-refused': 'connect-refused',
  'connection-timeout': 'connect-timeout',
  'connection-reset': 'reset',
  'read-timeout': 'timeout',
  'tls-error': 'tls',
  'ssl-error': 'tls',
};

/**
 * What a fetcher's report of one request means. `error` is a class, perhaps followed by a colon and words. The class is
 * a fault (fault.ts) by our name or another one, how a body was cut, or `not-tried`. Any other class counts as
 * `protocol`, which blames the URL and not its host.
 */
export function reported(status: number | null, error: string | null): Reported {
  if (error === null && status !== null) return { kind: 'response', status, truncated: false };
  const text = error ?? '';
  const name = (text.split(':', 1)[0] ?? '').trim().toLowerCase().replaceAll('_', '-');
  if (name === notTried) return { kind: 'not-tried' };
  const cut = cutBodies.find((each) => each === name);
  if (cut !== undefined && status !== null) return { kind: 'response', status, truncated: cut };
  const fault = fetchFaults.find((each) => each === name) ?? otherNames[name] ?? 'protocol';
  return { kind: 'fault', fault, message: `reported by its fetcher: ${plain(text)}` };
}

/** A fetcher's words on one line, shortened, and well formed so that Postgres takes them. */
const plain = (text: string): string => fieldValue(text).slice(0, 300).toWellFormed();

/** A reported header field value, with characters that no field can hold replaced (RFC 9110 section 5.5). */
export const fieldValue = (text: string): string => text.toWellFormed().replace(/\p{Cc}+/gu, ' ');
