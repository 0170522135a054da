/**
 * From what a request came back with to what becomes of the URL and of its host (docs/design.md, "Politeness"; RFC 9110 §15).
 * Pure: the same answer always leads to the same next state.
 */
import { enoughInARow, type Suspicion } from './blame.ts';
import type { FetchFault } from './fault.ts';
import { unwantedType } from './media-filter.ts';
import { defaultDelayMs, type Complaint } from './pace.ts';
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
  /** Times the host was left alone for trouble, with no good answer in between, before this answer. */
  readonly hostFailures: number;
  /** Where this answer is a failure: what the signs say of the host (blame.ts). */
  readonly suspicion: Suspicion;
  /** How long an outage would last that began now (server-errors.ts). */
  readonly outageMs: number;
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
  | {
      readonly state: 'queued';
      readonly reason: string;
      readonly inMs: number;
      /** Counts towards its own tries. */
      readonly own: boolean;
      /** After all URLs of its crawl at the host that have not failed. */
      readonly behind: boolean;
    };

export interface HostNext {
  /** null: the host goes on. Else its trouble, for which no request is sent before `waitMs`. */
  readonly trouble: { readonly class: TroubleClass; readonly waitMs: number } | null;
  /** The host asked for less. */
  readonly complaint: Complaint | null;
  /** 'well': it answered as it should; 'ill': this URL is one more that failed; 'none': it says nothing of the host. */
  readonly sign: 'well' | 'ill' | 'none';
}

export interface Outcome {
  readonly url: UrlNext;
  readonly host: HostNext;
}

/** RFC 9309 §2.3.1.2 asks crawlers to follow five hops for robots.txt; the same bound holds for pages. */
export const maxRedirects = 5;
/** Tries of one URL whose trouble is its own, and of one that is answered 429 or 503, which more often passes. */
const urlTries = 3;
const complaintTries = 5;

const well: HostNext = { trouble: null, complaint: null, sign: 'well' };
const silent: HostNext = { trouble: null, complaint: null, sign: 'none' };
const final = (state: 'excluded' | 'dead' | 'failed', reason: string): Outcome => ({
  url: { state, reason },
  host: well,
});

export function judgeAnswer(answer: Answer, history: History): Outcome {
  return answer.kind === 'fault' ? judgeFault(answer.fault, history) : judgeResponse(answer, history);
}

function judgeResponse(answer: Extract<Answer, { kind: 'response' }>, history: History): Outcome {
  const { status } = answer;
  if (status === 429 || status === 503) return judgeComplaint(status, answer.retryAfterMs, history);
  if (status >= 500) return judgeFailing('server-error', 'error', answer.retryAfterMs, history);
  if (status === 404 || status === 410 || status === 451) return final('dead', 'gone');
  if (status === 401 || status === 403) return final('failed', 'forbidden');
  if (status >= 400) {
    // Once more, later: 408, 421, 425 and the like may pass; then it is the URL's own.
    if (history.tries > 0) return final('failed', 'client-error');
    const inMs = Math.max(10_000, answer.retryAfterMs ?? 0);
    return { url: again('client-error', inMs), host: well };
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
      return judgeFailing('reset', 'reset', answer.retryAfterMs, history);
    case false:
      return { url: { state: 'done', reason: 'fetched', body: true }, host: well };
  }
}

/**
 * 429 and 503 (RFC 6585 §4; RFC 9110 §15.6.4). They are the host's where a second URL says so in the same stretch, or
 * where nothing vouches for the host: then it is left alone as it asks, and no URL is blamed. Of a host that answers well
 * otherwise a 503 is the page's own, and waits with it. A 429 speaks of us and not of the page: the first of a URL is
 * obeyed by all; only when others were answered well after that, and it says so again, is it the page's.
 */
function judgeComplaint(status: number, askedMs: number | null, history: History): Outcome {
  const { suspicion, tries, hostFailures } = history;
  const { knownBad, othersComplained } = suspicion;
  const firstOfUrl = !knownBad && tries === 0;
  const isHosts =
    suspicion.inARow >= enoughInARow.complaint || (firstOfUrl && (othersComplained || !suspicion.well));
  // What the host asks for is what it gets; when that was too little, the backoff holds as well.
  const backedOffMs = hostFailures === 0 ? defaultDelayMs : backoffMs('overloaded', hostFailures - 1);
  const waitMs = askedMs === null ? backoffMs('overloaded', hostFailures) : Math.max(askedMs, backedOffMs);
  const trouble = { class: 'overloaded', waitMs } as const;
  if (isHosts) {
    return {
      url: { ...again('overloaded', waitMs), own: false },
      host: { trouble, complaint: { pauseMs: waitMs, mild: false }, sign: 'ill' },
    };
  }
  const url = retryOrFail('overloaded', tries, complaintTries, askedMs);
  if (knownBad) return { url, host: silent };
  return {
    url,
    host: {
      trouble: status === 429 && firstOfUrl ? trouble : null,
      complaint: { pauseMs: waitMs, mild: true },
      sign: 'ill',
    },
  };
}

/** A page that fails is the page's own trouble; several different ones in a row are the host's: it is down. */
function judgeFailing(
  reason: 'server-error' | 'reset' | 'timeout',
  kind: keyof typeof enoughInARow,
  askedMs: number | null,
  history: History,
): Outcome {
  const { suspicion, outageMs, hostFailures } = history;
  const url = retryOrFail(reason, history.tries, urlTries, askedMs);
  const sign = suspicion.knownBad ? 'none' : 'ill';
  // A host that never answered in time gets no second request at once, which might hang as long.
  const hangs = reason === 'timeout' && !suspicion.knownBad && !suspicion.well;
  if (suspicion.inARow < enoughInARow[kind] && !hangs) return { url, host: { ...silent, sign } };
  const trouble =
    reason === 'server-error'
      ? { class: 'server-errors' as const, waitMs: outageMs }
      : { class: reason, waitMs: backoffMs(reason, hostFailures) };
  return { url, host: { trouble, complaint: null, sign } };
}

function judgeFault(fault: FetchFault, history: History): Outcome {
  switch (fault) {
    case 'address-refused':
      return final('excluded', 'address-refused');
    case 'protocol':
      return { url: retryOrFail('protocol', history.tries, urlTries, null), host: silent };
    case 'reset':
    case 'timeout':
      return judgeFailing(fault, fault, null, history);
    case 'dns-not-found':
    case 'dns-unavailable':
    case 'connect-refused':
    case 'connect-timeout':
    case 'tls':
      // No request has reached the host: the URL waits for the host to be well, or for the host to park.
      return {
        url: { state: 'queued', reason: fault, inMs: 0, own: false, behind: false },
        host: {
          trouble: { class: fault, waitMs: backoffMs(fault, history.hostFailures) },
          complaint: null,
          sign: 'none',
        },
      };
  }
}

const again = (reason: string, inMs: number): Extract<UrlNext, { state: 'queued' }> => ({
  state: 'queued',
  reason,
  inMs,
  own: true,
  behind: true,
});

/** 5 s, 20 s and so on, or longer where the answer asks for it; then it is given up as a dead letter of this class. */
function retryOrFail(reason: string, tries: number, most: number, askedMs: number | null): UrlNext {
  if (tries + 1 >= most) return { state: 'failed', reason };
  return again(reason, Math.max(5_000 * 4 ** tries, askedMs ?? 0));
}

/** Reasons of a last request that may have been the URL's own trouble. */
const ownReasons: readonly (string | null)[] = ['overloaded', 'server-error', 'reset', 'timeout'];
export const mayBeOwn = (reason: string | null): boolean => ownReasons.includes(reason);
