/**
 * Hosts lent to fetchers that are not ours (F37): how long a loan lasts, what a host is owed before it is lent, and what
 * a fetcher's report of a request means. Milliseconds throughout.
 */
import { fetchFaults, type FetchFault } from './fault.ts';
import { leaseMarginMs } from './lease.ts';

export const lendingLimits = {
  /** URLs of one batch at most, each of another host. */
  batch: 100,
  minLeaseSeconds: 1,
  /** A fetcher that dies keeps its hosts from everybody for a third longer than that. */
  maxLeaseSeconds: 300,
  /** Candidates of one request. */
  candidates: 5_000,
} as const;

/** How long a host is kept for a fetcher that was told to have ended its requests by `toldMs`. */
export const heldMs = (toldMs: number): number => toldMs / (1 - leaseMarginMs(1));

/** Shards as fetchers know them, whatever the number within: 0 to 63. */
export const outerShards = 64;

/**
 * The shards whose hosts are lent at one that a fetcher names. One beyond those there are stands for one of them, so that
 * a fetcher that knows of 64 meets no shard without hosts; and for hosts that keep it from when there were more.
 */
export const shardsBehind = (outer: number, shards: number): readonly number[] =>
  outer < shards ? [outer] : [outer % shards, outer];

/** Loans that a tenant may leave to run out within the hour before it gets fewer and shorter ones. */
const forgiven = 10;

/**
 * What is lent at a time to fetchers that have left loans to run out: as much less, and for as much shorter, as is the
 * share of those among all that ended within the hour. Reports earn it back, and so does time.
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

/** The error of a URL that was not asked for. */
const notTried = 'not-tried';
const cutBodies = ['too-large', 'incomplete', 'bad-encoding'] as const;
type Cut = (typeof cutBodies)[number];

export type Reported =
  | { readonly kind: 'not-tried' }
  | { readonly kind: 'response'; readonly status: number; readonly truncated: false | Cut }
  | { readonly kind: 'fault'; readonly fault: FetchFault; readonly message: string };

/** What other fetchers call our faults, once `_` is written `-`. */
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
 * What a fetcher says of one request. `error` is a class, with or without a colon and words after it: a fault
 * (fault.ts) by our name or another one, how a body was cut, or `not-tried`. Other words blame the URL and not its host.
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

/** Strangers' words: in one line, and such that Postgres takes them, also where they are cut. */
const plain = (text: string): string => fieldValue(text).slice(0, 300).toWellFormed();

/** A field of a response as its fetcher tells it, with what no field can hold replaced (RFC 9110 section 5.5). */
export const fieldValue = (text: string): string => text.toWellFormed().replace(/\p{Cc}+/gu, ' ');
