/**
 * What the reason codes of URLs mean, in words. New codes are added here only; a code that is not here is shown as it
 * is.
 */
const meanings: ReadonlyMap<string, string> = new Map(
  Object.entries({
    // excluded when it was found
    'url-length': 'it is too long',
    domain: 'its domain is excluded',
    depth: 'it is too many links from a seed',
    pattern: 'an exclude pattern matches it',
    'not-included': 'nothing that is included covers it',
    scope: 'it is outside the crawl since its settings were changed',
    'host-limit': 'the crawl had as many URLs of its host as it may have',
    'crawl-limit': 'the crawl ended before its turn came',
    'sitemap-limit': 'it is a sitemap beyond those that are read of a host',
    'opt-out': 'its site has opted out of being crawled',
    // excluded on its turn
    robots: 'robots.txt forbids it',
    'address-refused': 'its address is private, special or our own and may not be reached',
    'content-type': 'its body is of a type that the crawl does not take',
    'too-large': 'its body is larger than the limit',
    dropped: "its host's queue was given up by an operator",
    // done
    fetched: 'it was fetched',
    'fetched-elsewhere': 'a fetcher of its own fetched it, and keeps its body',
    'not-modified': 'it has not changed since it was last fetched',
    redirect: 'it redirects',
    // dead
    gone: 'it is not there',
    // its own trouble
    forbidden: 'the server refuses it to us',
    'client-error': 'the server finds fault with the request',
    'server-error': 'the server failed on it',
    'bad-redirect': 'it redirects to nothing that can be fetched',
    'too-many-redirects': 'too many redirects led to it',
    'redirect-loop': 'it redirects to itself',
    'bad-encoding': 'its body cannot be decoded',
    protocol: 'the answer is not HTTP',
    reset: 'the connection broke off',
    poison: 'its fetch was cut off by crashes again and again',
    // its host's trouble
    timeout: 'the server took too long',
    overloaded: 'the server asked for fewer requests',
    'server-errors': 'the server failed on page after page',
    'robots-unreachable': "its host's robots.txt could not be read",
    'dns-not-found': 'its host has no address',
    'dns-unavailable': 'no name server answered for its host',
    'connect-refused': 'its host refuses connections',
    'connect-timeout': 'its host does not answer',
    tls: 'no secure connection could be made',
  }),
);

/**
 * A reason as the end of a sentence, without a full stop: the meaning of the code, or the code if its meaning is not
 * known, and the recorded detail.
 */
export function reasonText(code: string | null, detail: string | null): string {
  const evidence = detail === null || detail === '' ? '' : ` (${detail})`;
  if (code === null) return `no reason was recorded${evidence}`;
  return `${meanings.get(code) ?? code}${evidence}`;
}
