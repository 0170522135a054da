/** Turns one exchange and its outcome into the row to commit, and the redirect's target. */
import { hash } from 'node:crypto';
import type { CrawlConfig } from '../../contracts/crawl.ts';
import type { FetchResponse, FetchResult } from '../../contracts/fetching.ts';
import { headerEvidence } from '../../domain/evidence.ts';
import { cutBy } from '../../domain/limits.ts';
import { unwantedType, type MediaFilter } from '../../domain/media-filter.ts';
import { rightsFields } from '../../domain/rights-fields.ts';
import { judgeAnswer, type Answer, type History, type Outcome } from '../../domain/outcome.ts';
import { askedPauseMs } from '../../domain/retry-after.ts';
import { storedStages } from '../../domain/stage.ts';
import { behindBy, lastBy } from '../../domain/priority/place.ts';
import type { AttemptReason, ExcludedReason, UrlReason } from '../../domain/url-reason.ts';
import { canonicalize, type CanonicalUrl } from '../../domain/url.ts';
import type { EarlierCopy } from '../../storage/pages/index.ts';
import type { ResultRow, LeasedUrl } from '../../storage/frontier/index.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';

export interface Recorded {
  readonly outcome: Outcome;
  readonly row: ResultRow;
  /** SHA-256 of the body to store; null: none. */
  readonly bodyHash: Buffer | null;
  /** The target of a redirect to another page; null: none. */
  readonly target: CanonicalUrl | null;
  /** Milliseconds for which the answer asks to wait before its target is requested (RFC 9110 §10.2.3). */
  readonly targetInMs: number;
}

type Place = Pick<ResultRow, 'host_id' | 'crawl_id' | 'key' | 'token'>;

/** The place of a URL that was leased under a host's lease. */
export const placeOf = (
  { hostId, taken: { token } }: { readonly hostId: string; readonly taken: { readonly token: number } },
  { crawl_id, key }: Pick<LeasedUrl, 'crawl_id' | 'key'>,
): Place => ({ host_id: Number(hostId), crawl_id, key, token });

const nothing = {
  config_version: null,
  detail: null,
  stage: storedStages.none,
  due_in_ms: 0,
  attempted: false,
  own: false,
  behind: 0,
  answered: false,
  status: null,
  bytes: 0,
  content_hash: null,
  content_type: null,
  robots_tag: null,
  link_fields: null,
  etag: null,
  last_modified: null,
  redirect_to: null,
  next_url: null,
  truncated: null,
  took_ms: null,
  headers: null,
} as const;

/** Why no request is sent for a URL. */
export interface Refusal {
  readonly reason: ExcludedReason;
  readonly detail: string;
  /** Version of the settings that exclude the URL; absent: the reason is not in the settings. */
  readonly byVersion?: number;
}

/** The row of a URL that is excluded without a request. */
export const excludedRow = (place: Place, { reason, detail, byVersion }: Refusal): ResultRow => ({
  ...place,
  ...nothing,
  config_version: byVersion ?? null,
  state: 'excluded',
  reason,
  detail,
});

/** The row of a URL that goes behind all others, without a request. */
export const lastRow = (place: Place): ResultRow => ({
  ...place,
  ...nothing,
  state: 'queued',
  reason: null,
  behind: lastBy,
});

/** The row of a URL that could not be requested because its host as a whole failed (robots.txt cannot be read). */
export const attemptedRow = (place: Place, reason: AttemptReason, detail: string): ResultRow => ({
  ...place,
  ...nothing,
  state: 'queued',
  reason,
  detail,
  attempted: true,
});

/**
 * @param outside the redirect's target if it is outside the scope; otherwise empty
 * @param fromSeed the redirect is that of a seed
 */
export const leadingOutside = (row: ResultRow, outside: readonly unknown[], fromSeed: boolean): ResultRow =>
  outside.length === 0 ? row : { ...row, cut: cutBy({ outside: outside.length, seeds: Number(fromSeed) }) };

/** Which bodies a crawl takes, by this version of its settings, and how many redirects it follows. */
export type Taker = Pick<OpenCrawl, 'takes' | 'version'> & Pick<CrawlConfig, 'maxRedirects'>;

/** What the host has taught so far (lessons.ts). */
interface HostLessons {
  history(url: {
    readonly key: string;
    readonly reason: UrlReason | null;
  }): Omit<History, 'tries' | 'hops' | 'maxRedirects'>;
}

/** That a request with the session of its crawl was asked to log in: the evidence, and what follows. */
export interface LoggedOut {
  readonly evidence: string;
  readonly how: 'over' | 'behind';
}

/**
 * @param copy the earlier copy whose validators the request carried; null: none
 * @param isChanged whether a redirect to the same URL has set cookies, so that the next request for it is another one
 * @param loggedOut whether the answer shows that the session of the crawl has ended; absent: the request had none
 */
export function record(
  result: FetchResult,
  url: Pick<LeasedUrl, 'url' | 'tries' | 'hops'> & { readonly reason: UrlReason | null },
  place: Place,
  lessons: HostLessons,
  taker: Taker,
  copy: EarlierCopy | null = null,
  loggedOut: (response: FetchResponse, target: string | null) => LoggedOut | null = () => null,
  isChanged: (target: string) => boolean = () => false,
): Recorded {
  const location = result.kind === 'response' ? redirectTarget(result, url.url) : null;
  const ended = result.kind === 'response' ? loggedOut(result, location?.url ?? null) : null;
  const outcome = judgeAnswer(answerOf(result, location, copy, taker.takes, ended), {
    ...url,
    maxRedirects: taker.maxRedirects,
    ...lessons.history({ key: place.key, reason: url.reason }),
  });
  if (result.kind === 'fault') {
    const row = { ...place, ...nothing, ...next(outcome), detail: result.message };
    return { outcome, row, bodyHash: null, target: null, targetInMs: 0 };
  }
  const redirect = outcome.url.state === 'done' && outcome.url.reason === 'redirect' ? location : null;
  const bodyHash =
    outcome.url.state === 'done' && outcome.url.body && result.body.length > 0
      ? hash('sha256', result.body, 'buffer')
      : null;
  const row: ResultRow = {
    ...place,
    ...nothing,
    ...next(outcome),
    config_version:
      outcome.url.state === 'excluded' && outcome.url.reason === unwantedType ? taker.version : null,
    detail:
      outcome.url.reason === 'session-ended' ? (ended?.evidence ?? null) : describe(result, outcome, copy),
    stage: bodyHash === null ? storedStages.none : storedStages.dedup,
    answered: true,
    status: result.status,
    bytes: result.wireBytes,
    content_hash: bodyHash?.toString('hex') ?? null,
    content_type: result.headers['content-type'] ?? null,
    robots_tag: rightsFields(result.headers),
    link_fields: linkFields(result),
    // Validators are stored only with a body: otherwise a later 304 would leave nothing to read.
    etag: bodyHash === null ? null : (result.headers['etag'] ?? null),
    last_modified: bodyHash === null ? null : (result.headers['last-modified'] ?? null),
    redirect_to: redirect?.url ?? null,
    truncated: result.truncated === false ? null : result.truncated,
    took_ms: result.tookMs === undefined ? null : Math.round(result.tookMs),
    headers: outcome.url.state === 'done' ? null : headerEvidence(result.headers),
    ...(copy !== null && result.status === 304 && unchanged(result, copy)),
  };
  if (redirect === null) return { outcome, row, bodyHash, target: null, targetInMs: 0 };
  const targetInMs = askedPauseMs(result.headers, Date.now()) ?? 0;
  const here = canonicalize(url.url);
  const sameKey = here.ok && here.value.canonical === redirect.canonical;
  if (!sameKey) return { outcome, row, bodyHash, target: redirect, targetInMs };
  const again = { ...row, ...respelled(url, redirect, isChanged(redirect.url)), due_in_ms: targetInMs };
  return { outcome, row: again, bodyHash, target: null, targetInMs: 0 };
}

/** Most characters of Link, and of Refresh, that are kept. */
const longestLinks = 4_096;

/** Each on its line; on a third line how many of their characters were cut, if any: `headLinks` reads them. */
function linkFields({ headers: { link = '', refresh = '' } }: FetchResponse): string | null {
  if (link === '' && refresh === '') return null;
  const kept = [link, refresh].map((field) => field.slice(0, longestLinks).toWellFormed()).join('\n');
  const cut = link.length + refresh.length + 1 - kept.length;
  return cut === 0 ? kept : `${kept}\n${String(cut)}`;
}

/**
 * Treats the stored body as if it had come now: it is judged and read under this crawl's settings. The status is that of
 * the stored answer, since it says what the body is; the reason says that the page has not changed. Fields of the 304
 * are newer than the stored ones (RFC 9111 §3.2).
 */
const unchanged = (
  { headers }: FetchResponse,
  copy: EarlierCopy,
): Pick<
  ResultRow,
  'stage' | 'status' | 'content_hash' | 'content_type' | 'robots_tag' | 'etag' | 'last_modified'
> => ({
  stage: storedStages.dedup,
  status: copy.status,
  content_hash: copy.content_hash.toString('hex'),
  content_type: headers['content-type'] ?? copy.content_type,
  robots_tag: rightsFields(headers) ?? copy.robots_tag,
  etag: headers['etag'] ?? copy.etag,
  last_modified: headers['last-modified'] ?? copy.last_modified,
});

/**
 * By the canonical rules the target is the same page (a tracking parameter dropped, for example), so it is this URL's
 * own next request. A target that is the very same URL is a loop, unless the request is another one by its cookies.
 */
function respelled(
  url: Pick<LeasedUrl, 'url'>,
  redirect: CanonicalUrl,
  changed: boolean,
): Pick<ResultRow, 'state' | 'reason' | 'detail' | 'next_url'> {
  if (redirect.url === url.url && !changed) {
    return { state: 'failed', reason: 'redirect-loop', detail: 'it redirects to itself', next_url: null };
  }
  return { state: 'queued', reason: 'redirect', detail: null, next_url: redirect.url };
}

function answerOf(
  result: FetchResult,
  location: CanonicalUrl | null,
  copy: EarlierCopy | null,
  takes: MediaFilter,
  ended: LoggedOut | null,
): Answer {
  if (result.kind === 'fault') return result;
  const kept = result.status === 304 ? copy : null;
  return {
    kind: 'response',
    status: result.status,
    truncated: result.truncated,
    retryAfterMs: askedPauseMs(result.headers, Date.now()),
    wanted: takes(result.headers['content-type'] ?? kept?.content_type ?? null),
    location: result.headers['location'] === undefined ? 'none' : location === null ? 'astray' : 'target',
    hasBody: result.body.length > 0,
    ...(ended !== null && { loggedOut: ended.how }),
  };
}

/** In no field of one answer; between Locations that contradict each other (net/fields.ts). */
export const leadsNowhere = '\n';

function redirectTarget(response: FetchResponse, base: string): CanonicalUrl | null {
  const { location } = response.headers;
  if (response.status < 300 || response.status >= 400 || location === undefined) return null;
  if (location.includes(leadsNowhere)) return null;
  const target = canonicalize(location, base);
  return target.ok ? target.value : null;
}

function next({
  url,
}: Outcome): Pick<ResultRow, 'state' | 'reason' | 'due_in_ms' | 'attempted' | 'own' | 'behind'> {
  const { state, reason } = url;
  if (state !== 'queued') return { state, reason, due_in_ms: 0, attempted: false, own: false, behind: 0 };
  return {
    state,
    reason,
    due_in_ms: url.inMs,
    attempted: true,
    own: url.own,
    behind: url.behind ? behindBy : 0,
  };
}

/** What becomes known of an answer that was read though it should not have been sent so. */
const mendedDetail = 'the answer broke the rules of HTTP and was mended';

/** Most characters of a Location that are shown: a Location may have any length and content. */
const shownLocation = 200;

function whereTo({ headers: { location } }: FetchResponse): string {
  if (location === undefined || location.trim() === '') return 'and says not where to';
  return `to ${JSON.stringify(location.slice(0, shownLocation).toWellFormed())}`;
}

function describe(result: FetchResponse, outcome: Outcome, copy: EarlierCopy | null): string | null {
  if (outcome.url.reason === 'not-modified' && copy !== null)
    return `the body that crawl ${String(copy.of_crawl)} fetched at ${copy.fetched_at.toISOString()}`;
  if (outcome.url.state === 'done') return result.mended === true ? mendedDetail : null;
  if (outcome.url.reason === unwantedType)
    return result.headers['content-type'] ?? 'that of the earlier copy';
  if (outcome.url.reason === 'bad-redirect') return `answered ${String(result.status)}, ${whereTo(result)}`;
  const cut = result.truncated === false ? '' : `, body ${result.truncated}`;
  return `answered ${String(result.status)}${cut}`;
}
