/**
 * From what a request came back with to what becomes of the URL and of its host (docs/design.md §6; RFC 9110 §15).
 * Pure: the same answer always leads to the same next state.
 */
import type { FetchFault } from './fault.ts';
import { unwantedType } from './media-filter.ts';
import { errorsOfOutage } from './server-errors.ts';
import { backoffMs, type TroubleClass } from './trouble.ts';

export type Answer =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly truncated: false | 'too-large' | 'incomplete' | 'bad-encoding';
      /** Retry-After in milliseconds from now, or null. */
      readonly retryAfterMs: number | null;
      /** It is of a media type that the crawl takes. */
      readonly wanted: boolean;
      /** The Location field leads to a URL that can be fetched. */
      readonly hasTarget: boolean;
    }
  | { readonly kind: 'fault'; readonly fault: FetchFault };

export interface History {
  /** Requests for this URL that ended in trouble of its own, and not for good. */
  readonly tries: number;
  /** Redirects that led to this URL, one after another. */
  readonly hops: number;
  /** Failures of the host in a row, before this answer. */
  readonly hostFailures: number;
  /** Were this answer a server error: would it begin an outage, and how long would that last (server-errors.ts)? */
  readonly outage: { readonly begins: boolean; readonly waitMs: number };
}

export type UrlNext =
  /** `body`: there is one to store and to read. */
  | {
      readonly state: 'done';
      readonly reason: 'fetched' | 'not-modified' | 'redirect';
      readonly body: boolean;
    }
  | { readonly state: 'excluded' | 'dead' | 'failed'; readonly reason: string }
  /** Again, not before `inMs`. */
  | { readonly state: 'queued'; readonly reason: string; readonly inMs: number };

export interface HostNext {
  /** null: the host is well. Else its trouble, for which no request is sent before `waitMs`. */
  readonly trouble: { readonly class: TroubleClass; readonly waitMs: number } | null;
  /** The host asked for less: its delay doubles. */
  readonly slower: boolean;
  /** Count this answer among the host's failures in a row though it goes on (single 5xx answers). */
  readonly counts: boolean;
}

export interface Outcome {
  readonly url: UrlNext;
  readonly host: HostNext;
}

/** RFC 9309 §2.3.1.2 asks crawlers to follow five hops for robots.txt; the same bound holds for pages. */
export const maxRedirects = 5;
/** Tries of one URL whose trouble is its own. */
const urlTries = 3;

const well: HostNext = { trouble: null, slower: false, counts: false };
const final = (state: 'excluded' | 'dead' | 'failed', reason: string): Outcome => ({
  url: { state, reason },
  host: well,
});

export function judgeAnswer(answer: Answer, history: History): Outcome {
  return answer.kind === 'fault' ? judgeFault(answer.fault, history) : judgeResponse(answer, history);
}

function judgeResponse(answer: Extract<Answer, { kind: 'response' }>, history: History): Outcome {
  const { status } = answer;
  if (status === 429 || status === 503) {
    const waitMs = Math.max(answer.retryAfterMs ?? 0, backoffMs('overloaded', history.hostFailures));
    return {
      url: { state: 'queued', reason: 'overloaded', inMs: 0 },
      host: { trouble: { class: 'overloaded', waitMs }, slower: true, counts: true },
    };
  }
  if (status >= 500) return judgeServerError(history);
  if (status === 404 || status === 410 || status === 451) return final('dead', 'gone');
  if (status === 401 || status === 403) return final('failed', 'forbidden');
  if (status >= 400) {
    // Once more, later: 408, 421, 425 and the like may pass; then it is the URL's own.
    return history.tries === 0 ? again('client-error', 10_000) : final('failed', 'client-error');
  }
  if (!answer.wanted && (status === 304 || (status >= 200 && status < 300))) {
    return final('excluded', unwantedType);
  }
  if (status === 304) return { url: { state: 'done', reason: 'not-modified', body: false }, host: well };
  if (status >= 300) {
    if (!answer.hasTarget) return final('failed', 'bad-redirect');
    if (history.hops >= maxRedirects) return final('failed', 'too-many-redirects');
    return { url: { state: 'done', reason: 'redirect', body: false }, host: well };
  }
  if (status < 200) return final('failed', 'protocol');
  switch (answer.truncated) {
    case 'too-large':
      return final('excluded', 'too-large');
    case 'bad-encoding':
      return final('failed', 'bad-encoding');
    case 'incomplete':
      return retryOrFail('reset', history);
    case false:
      return { url: { state: 'done', reason: 'fetched', body: true }, host: well };
  }
}

/** A page that breaks is the page's own trouble; many of them, or a run of failures, are the host's: it is down. */
function judgeServerError(history: History): Outcome {
  const inARow = history.hostFailures + 1;
  const url: UrlNext = retryOrFail('server-error', history).url;
  const { begins, waitMs } = history.outage;
  if (!begins && inARow < errorsOfOutage) return { url, host: { ...well, counts: true } };
  return { url, host: { trouble: { class: 'server-errors', waitMs }, slower: false, counts: true } };
}

function judgeFault(fault: FetchFault, history: History): Outcome {
  switch (fault) {
    case 'address-refused':
      return final('excluded', 'address-refused');
    case 'protocol':
      return retryOrFail('protocol', history);
    case 'reset':
      return { ...retryOrFail('reset', history), host: { ...well, counts: true } };
    case 'timeout':
      return {
        url: retryOrFail('timeout', history).url,
        host: {
          trouble: { class: 'timeout', waitMs: backoffMs('timeout', history.hostFailures) },
          slower: false,
          counts: true,
        },
      };
    case 'dns-not-found':
    case 'dns-unavailable':
    case 'connect-refused':
    case 'connect-timeout':
    case 'tls':
      // No request has reached the host: the URL waits for the host to be well, or for the host to park.
      return {
        url: { state: 'queued', reason: fault, inMs: 0 },
        host: {
          trouble: { class: fault, waitMs: backoffMs(fault, history.hostFailures) },
          slower: false,
          counts: true,
        },
      };
  }
}

const again = (reason: string, inMs: number): Outcome => ({
  url: { state: 'queued', reason, inMs },
  host: well,
});

/** 5 s, 20 s, then it is given up as a dead letter of this class. */
function retryOrFail(reason: string, history: History): Outcome {
  return history.tries + 1 >= urlTries ? final('failed', reason) : again(reason, 5_000 * 4 ** history.tries);
}
