/**
 * What becomes of a URL and of its host after the answer to a request (docs/design.md, "Politeness"; RFC 9110 §15).
 * Pure: the same answer and history always lead to the same outcome.
 */
import { enoughInARow, type Suspicion } from './blame.ts';
import type { FetchFault } from './fault.ts';
import { unwantedType } from './media-filter.ts';
import { defaultDelayMs, type Complaint } from './pace.ts';
import { backoffMs, type TroubleClass } from './trouble.ts';
import type { AttemptReason, DoneReason, ExcludedReason, FailedReason, UrlReason } from './url-reason.ts';

export type Answer =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly truncated: false | 'too-large' | 'incomplete' | 'bad-encoding';
      /** Retry-After in milliseconds from now, or null. */
      readonly retryAfterMs: number | null;
      /** The body is of a media type that the crawl takes. */
      readonly wanted: boolean;
      /** Where the Location field of a 3xx leads: to a URL that can be fetched, elsewhere, or there is none. */
      readonly location: 'target' | 'astray' | 'none';
      /** Bytes of the body have come. */
      readonly hasBody: boolean;
      /**
       * The request carried the session of its crawl, and the answer asks for a login (session/login-signs.ts). over: the
       * session has ended; behind: perhaps. Absent: nothing of the kind.
       */
      readonly loggedOut?: 'over' | 'behind';
    }
  | { readonly kind: 'fault'; readonly fault: FetchFault };

export interface History {
  /** Requests for this URL that failed through the URL's own fault, and were to be tried again. */
  readonly tries: number;
  /** Redirects in a row that led to this URL, and how many there may be. */
  readonly hops: number;
  readonly maxRedirects: number;
  /** Times the host was left alone for trouble, with no good answer in between, before this answer. */
  readonly hostFailures: number;
  /** What the signs say about the host if this answer is a failure (blame.ts). */
  readonly suspicion: Suspicion;
  /** Milliseconds that an outage beginning now would last (host-memory.ts). */
  readonly outageMs: number;
  /** Crawls of other tenants want the host. */
  readonly isShared: boolean;
}

export type UrlNext =
  /** `body`: there is a body to store and to read. */
  | {
      readonly state: 'done';
      readonly reason: Exclude<DoneReason, 'fetched-elsewhere'>;
      readonly body: boolean;
    }
  | { readonly state: 'excluded'; readonly reason: ExcludedReason }
  | { readonly state: 'dead'; readonly reason: 'gone' }
  | { readonly state: 'failed'; readonly reason: FailedReason }
  /** Is requested again, not before `inMs`. */
  | {
      readonly state: 'queued';
      readonly reason: AttemptReason;
      readonly inMs: number;
      /** This request counts towards the URL's tries. */
      readonly own: boolean;
      /** Goes behind all URLs of its crawl at the host that have not failed. */
      readonly behind: boolean;
    };

/** The host's trouble: no request is sent to it for `waitMs`. */
export interface Trouble {
  readonly class: TroubleClass;
  readonly waitMs: number;
  /**
   * Set if only URLs of one tenant have shown the trouble: so many milliseconds of the wait, for which an answer asked,
   * are for all; the rest is for this tenant alone.
   */
  readonly forAllMs?: number;
}

export interface HostNext {
  /** Null: the host goes on. */
  readonly trouble: Trouble | null;
  /** The host asked for fewer requests; null: it did not. */
  readonly complaint: Complaint | null;
  /** 'well': the host answered as it should; 'ill': one more of its URLs failed; 'none': nothing about the host. */
  readonly sign: 'well' | 'ill' | 'none';
}

export interface Outcome {
  readonly url: UrlNext;
  readonly host: HostNext;
}

/** Most tries of a URL that fails by its own fault; more for 429 and 503, which pass more often. */
const urlTries = 3;
const complaintTries = 5;

/** Statuses that complain of the request itself, which would be the same again (RFC 9110 §15.5). */
const lasting: ReadonlySet<number> = new Set([400, 405, 406, 411, 413, 414, 415, 417, 422, 431]);

const well: HostNext = { trouble: null, complaint: null, sign: 'well' };
const silent: HostNext = { trouble: null, complaint: null, sign: 'none' };
const excluded = (reason: ExcludedReason): Outcome => ({ url: { state: 'excluded', reason }, host: well });
const fetched: Outcome = { url: { state: 'done', reason: 'fetched', body: true }, host: well };
const failed = (reason: FailedReason): Outcome => ({ url: { state: 'failed', reason }, host: well });

export function judgeAnswer(answer: Answer, history: History): Outcome {
  const outcome =
    answer.kind === 'fault' ? judgeFault(answer.fault, history) : judgeResponse(answer, history);
  return history.suspicion.alone ? boundToTenant(outcome, answer, history) : outcome;
}

/** Trouble that a healthy host shows to whoever asks for the right URLs. */
const troublesByUrl: readonly TroubleClass[] = ['overloaded', 'server-errors', 'reset', 'timeout'];

/**
 * Trouble that only URLs of one tenant have shown. While others want the host too, the host does not park for it: so
 * each URL has tries of its own, and no complaint slows the host down twice.
 */
function boundToTenant(outcome: Outcome, answer: Answer, { tries, isShared }: History): Outcome {
  const { url, host } = outcome;
  const { trouble, complaint } = host;
  if (trouble === null || !troublesByUrl.includes(trouble.class)) return outcome;
  const askedMs = answer.kind === 'response' ? (answer.retryAfterMs ?? 0) : 0;
  const bound = { ...host, trouble: { ...trouble, forAllMs: Math.min(askedMs, trouble.waitMs) } };
  if (!isShared || complaint === null) return { url, host: bound };
  return {
    url: retryOrFail('overloaded', tries, complaintTries, askedMs),
    host: { ...bound, complaint: { ...complaint, mild: true } },
  };
}

function judgeResponse(answer: Extract<Answer, { kind: 'response' }>, history: History): Outcome {
  const { status } = answer;
  if (status === 429 || status === 503) return judgeComplaint(status, answer.retryAfterMs, history);
  if (status === 501) return failed('server-error');
  if (answer.loggedOut !== undefined) return judgeLoggedOut(answer.loggedOut);
  if (status >= 500) return judgeFailing('server-error', 'error', answer.retryAfterMs, history);
  if (status === 404 || status === 410 || status === 451)
    return { url: { state: 'dead', reason: 'gone' }, host: well };
  if (status === 401 || status === 403) return failed('forbidden');
  if (status >= 400) {
    // Tried once more, later: 408, 421, 425 and the like may pass. A second failure is the URL's own.
    if (history.tries > 0 || lasting.has(status)) return failed('client-error');
    const inMs = Math.max(10_000, answer.retryAfterMs ?? 0);
    return { url: again('client-error', inMs), host: well };
  }
  const leadsOn = status >= 300 && status !== 304 && answer.location !== 'none';
  if (!answer.wanted && !leadsOn && status >= 200) return excluded(unwantedType);
  if (status === 304) return { url: { state: 'done', reason: 'not-modified', body: false }, host: well };
  if (leadsOn) {
    if (answer.location === 'astray') return failed('bad-redirect');
    if (history.hops >= history.maxRedirects) return failed('too-many-redirects');
    return { url: { state: 'done', reason: 'redirect', body: false }, host: well };
  }
  if (status < 200) return failed('protocol');
  switch (answer.truncated) {
    case 'too-large':
      return excluded('too-large');
    case 'bad-encoding':
      return failed('bad-encoding');
    case 'incomplete':
      // What came each time is all there is; browsers show it too. It is kept, marked as cut (RFC 9112 §8).
      if (answer.hasBody && history.tries + 1 >= urlTries) return fetched;
      return judgeFailing('reset', 'reset', answer.retryAfterMs, history);
    case false:
      return fetched;
  }
}

/**
 * 429 and 503 (RFC 6585 §4; RFC 9110 §15.6.4). The complaint is the host's if a second URL complains in the same
 * stretch, or if the host has not answered well lately: then the host is left alone as it asks, and no URL is blamed.
 * At a host that otherwise answers well, a 503 that names no time is the page's own, and only the page waits. A 429 is
 * about us and not about the page, and a 503 with Retry-After says for how long the service is unavailable: the first of
 * a URL stops all requests to the host. Only if other URLs were answered well after that, and this URL complains again,
 * is the complaint the page's.
 */
function judgeComplaint(status: number, askedMs: number | null, history: History): Outcome {
  const { suspicion, tries, hostFailures } = history;
  const { knownBad, othersComplained } = suspicion;
  const firstOfUrl = !knownBad && tries === 0;
  const isHosts =
    suspicion.inARow >= enoughInARow.complaint || (firstOfUrl && (othersComplained || !suspicion.well));
  // The host gets the pause it asks for. If it complains again after such a pause, the backoff holds as well.
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
      trouble: firstOfUrl && (status === 429 || (askedMs ?? 0) > 0) ? trouble : null,
      complaint: { pauseMs: waitMs, mild: true },
      sign: 'ill',
    },
  };
}

/** No fault of the URL, nor of the host: the URL waits for another session, or goes behind the others. */
const judgeLoggedOut = (how: 'over' | 'behind'): Outcome => ({
  url:
    how === 'behind'
      ? again('session-ended', 5_000)
      : { state: 'queued', reason: 'session-ended', inMs: 0, own: false, behind: false },
  host: silent,
});

/** The failure of one page is the page's own trouble. Several different pages in a row are the host's: it is down. */
function judgeFailing(
  reason: 'server-error' | 'reset' | 'timeout',
  kind: keyof typeof enoughInARow,
  askedMs: number | null,
  history: History,
): Outcome {
  const { suspicion, outageMs, hostFailures } = history;
  const url = retryOrFail(reason, history.tries, urlTries, askedMs);
  const sign = suspicion.knownBad ? 'none' : 'ill';
  // A host that has not answered well lately gets no second request at once: that might hang as long.
  const hangs = reason === 'timeout' && !suspicion.knownBad && !suspicion.well;
  if (suspicion.inARow < enoughInARow[kind] && !hangs) return { url, host: { ...silent, sign } };
  const trouble = reason === 'server-error' ? 'server-errors' : reason;
  const ownMs = reason === 'server-error' ? outageMs : backoffMs(reason, hostFailures);
  const waitMs = Math.max(ownMs, askedMs ?? 0);
  return { url, host: { trouble: { class: trouble, waitMs }, complaint: null, sign } };
}

function judgeFault(fault: FetchFault, history: History): Outcome {
  switch (fault) {
    case 'address-refused':
      return excluded('address-refused');
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
      // No request reached the host: the URL waits until the host is well, or until the host parks.
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

const again = (reason: AttemptReason, inMs: number): Extract<UrlNext, { state: 'queued' }> => ({
  state: 'queued',
  reason,
  inMs,
  own: true,
  behind: true,
});

/**
 * Waits 5 s, 20 s and so on, or longer if the answer asks for it. After `most` tries the URL is given up as a dead
 * letter of this class.
 */
function retryOrFail(reason: AttemptReason, tries: number, most: number, askedMs: number | null): UrlNext {
  if (tries + 1 >= most) return { state: 'failed', reason };
  return again(reason, Math.max(5_000 * 4 ** tries, askedMs ?? 0));
}

/** Reasons of a last failed request that may have been the URL's own trouble. */
const ownReasons: readonly (UrlReason | null)[] = ['overloaded', 'server-error', 'reset', 'timeout'];
export const mayBeOwn = (reason: UrlReason | null): boolean => ownReasons.includes(reason);
