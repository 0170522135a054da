/**
 * Why a URL is in its state: every reason there is, by the states that have it, and what each means to people. SQL
 * writes reasons as text, so test/storage/names.test.ts looks for every one of them in these lists.
 */
import type { UrlState } from './ledger.ts';
import { troubleClasses, type TroubleClass } from './trouble.ts';

/** Filters of the settings that stop a URL within the scope, in the order in which they are asked (scope.ts). */
export const filterReasons = [
  'url-length',
  'depth',
  'domain',
  'pattern',
  'not-included',
  'session-link',
] as const;
export type FilterReason = (typeof filterReasons)[number];

export const excludedReasons = [
  // when it was found, or when the settings were changed
  ...filterReasons,
  'scope',
  'host-limit',
  'crawl-limit',
  'sitemap-limit',
  'sitemap-pattern',
  'unmodified',
  'opt-out',
  'trap',
  // when it was read
  'soft-404',
  // on its turn
  'robots',
  'address-refused',
  'content-type',
  'too-large',
  'dropped',
] as const;
export type ExcludedReason = (typeof excludedReasons)[number];

/** Reasons for which a URL is not fetched as a page, and that do not bind a file that pages need to be shown. */
export const pageReasons: readonly ExcludedReason[] = [
  'depth',
  'not-included',
  'scope',
  'crawl-limit',
  'unmodified',
];

export const doneReasons = ['fetched', 'fetched-elsewhere', 'not-modified', 'redirect'] as const;
export type DoneReason = (typeof doneReasons)[number];

/** Failures that are the URL's own. */
const ownFailures = [
  'forbidden',
  'client-error',
  'server-error',
  'bad-redirect',
  'too-many-redirects',
  'redirect-loop',
  'bad-encoding',
  'protocol',
  'poison',
] as const;

/** What a URL waits for that was answered as if nobody were logged in; dead letters of older releases have it too. */
const sessionEnded = 'session-ended';

/** The first ten are its host's trouble; `timeout`, `reset` and `overloaded` may also be the URL's own. */
export const failedReasons = [...troubleClasses, sessionEnded, ...ownFailures] as const;
export type FailedReason = (typeof failedReasons)[number];

/** How a request ended that is to be repeated. */
export const attemptReasons = [
  ...troubleClasses,
  sessionEnded,
  'client-error',
  'server-error',
  'protocol',
] as const;
export type AttemptReason = (typeof attemptReasons)[number];

/**
 * Why a URL waits that was requested before, or that is let through as a sample of a quarantine. Any other, also one whose
 * requests were forgotten, has no reason.
 */
export const queuedReasons = [...attemptReasons, 'redirect', 'body-lost', 'sample', 'recrawl'] as const;
export type QueuedReason = (typeof queuedReasons)[number];

export const reasonsOf = {
  queued: queuedReasons,
  leased: queuedReasons,
  done: doneReasons,
  excluded: excludedReasons,
  dead: ['gone'],
  failed: failedReasons,
} as const satisfies Record<UrlState, readonly string[]>;

export type UrlReason = (typeof reasonsOf)[UrlState][number];
export const urlReasons: readonly UrlReason[] = [...new Set(Object.values(reasonsOf).flat())];

/** Each is a sentence whose subject is the URL or what belongs to it. */
const meanings: Readonly<Record<UrlReason, string>> = {
  'url-length': 'it is too long',
  depth: 'it is too many links from a seed',
  domain: 'its domain is excluded',
  pattern: 'an exclude pattern matches it',
  'not-included': 'no include rule covers it',
  'session-link': 'it would end the session of the crawl, or change something on the site',
  scope: 'it is outside the crawl since its settings were changed',
  'host-limit': 'the crawl already had as many URLs of its host as it may have',
  'crawl-limit': 'the crawl ended before its turn came',
  'sitemap-limit': 'it is a sitemap over the limit of sitemaps per host',
  'sitemap-pattern': 'it is a sitemap that the crawl does not read',
  unmodified: 'its sitemap says that it has not been modified for too long',
  'opt-out': 'its site has opted out of being crawled',
  trap: 'it is in quarantine, since URLs of its shape look like a trap',
  'soft-404': 'it is in quarantine, since it looks like a page that is not there',
  robots: 'robots.txt forbids it',
  'address-refused': 'its address is private, special or our own and may not be reached',
  'content-type': 'its body has a media type that the crawl does not take',
  'too-large': 'its body is larger than the limit',
  dropped: 'an operator has excluded the queue of its host',

  fetched: 'it was fetched',
  'fetched-elsewhere': 'another fetcher fetched it and keeps its body',
  'not-modified': 'it has not changed since it was last fetched',
  redirect: 'it redirects',

  gone: 'it is not there',

  forbidden: 'the server refuses to give it to us',
  'client-error': 'the server says that the request is wrong',
  'server-error': 'the server failed on it',
  'bad-redirect': 'it redirects to something that cannot be fetched',
  'too-many-redirects': 'too many redirects led to it',
  'redirect-loop': 'it redirects to itself',
  'bad-encoding': 'its body cannot be decoded',
  protocol: 'the answer is not HTTP',
  poison: 'crashes cut off its fetch too often',

  timeout: 'the server took too long',
  reset: 'the connection broke off',
  overloaded: 'the server asked for fewer requests',
  'server-errors': 'the server failed on page after page',
  'session-ended': 'the site has logged the crawl out: it needs another session',
  'robots-unreachable': "its host's robots.txt could not be read",
  'dns-not-found': 'its host has no address',
  'dns-unavailable': 'no name server answered for its host',
  'connect-refused': 'its host refuses connections',
  'connect-timeout': 'its host does not answer',
  tls: 'no secure connection could be made',

  'body-lost': 'its stored body was lost or damaged, so it is fetched again',
  sample: 'it is let through as a sample of its quarantine',
  recrawl: 'it is wanted fresh, and may have changed since it was last fetched',
};

/** A reason as the end of a sentence, without a full stop: what it means, and the detail that was recorded with it. */
export function reasonText(reason: UrlReason | null, detail: string | null): string {
  const evidence = detail === null || detail === '' ? '' : ` (${detail})`;
  return `${reason === null ? 'no reason was recorded' : meanings[reason]}${evidence}`;
}

/** The last trouble of a host as it is kept, `class: message`, as the end of a sentence. */
export function troubleText(lastError: string): string {
  const [, name, message = ''] = /^([a-z-]+): (.*)$/s.exec(lastError) ?? [];
  const trouble = [...troubleClasses, sessionEnded].find((each) => each === name) as
    | TroubleClass
    | typeof sessionEnded
    | undefined;
  return trouble === undefined ? lastError : reasonText(trouble, message);
}
