/**
 * Has the session of a crawl ended? A request that carried it is answered as if nobody were logged in: 401, a redirect
 * to a login, or a login form in place of the page. A page that is a login by its own address tells nothing.
 */
import type { FetchResponse } from '../../contracts/fetching.ts';
import { readWithoutLanguage } from '../../content/extract.ts';
import { namesLogin } from '../../domain/page-need.ts';

/** A larger body is no login form. */
const mostBytes = 400_000;

/** The evidence, as a sentence without a subject and a full stop; null: there is none. @param target of a redirect */
export function signedOut(url: string, response: FetchResponse, target: string | null): string | null {
  const { status } = response;
  if (status === 401) return 'answered 401 to the session of the crawl';
  if (namesLogin(addressOf(url))) return null;
  if (target !== null && namesLogin(addressOf(target)))
    return `redirects to a login (${new URL(target).origin}${new URL(target).pathname})`;
  return isLoginForm(url, response) ? 'answered with a login form to the session of the crawl' : null;
}

function addressOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** A field that a login may have: only a body with one is read before it is stored, all others once, by the extractor. */
const loginField =
  /type\s*=\s*["']?\s*(?:password|email)|(?:autocomplete|name|id)\s*=\s*["']?(?:user|login|e?-?mail|identifier|account)/i;

function isLoginForm(url: string, { status, body, headers, truncated }: FetchResponse): boolean {
  if (status < 200 || status >= 300 || truncated !== false || body.length > mostBytes) return false;
  if (!loginField.test(Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1')))
    return false;
  const { meta } = readWithoutLanguage({
    body,
    url,
    contentType: headers['content-type'] ?? null,
    xRobotsTag: null,
    agentTokens: [],
    maxLinks: 0,
  });
  return meta.needs === 'login';
}
