/**
 * Has the session of a crawl ended? A request that carried it is answered as if nobody were logged in: 401, a redirect
 * to a login, a text that its owner has named, or a login form in place of the page. A page that is a login by its own
 * address tells nothing.
 */
import type { FetchResponse } from '../../contracts/fetching.ts';
import { readWithoutLanguage } from '../../content/extract.ts';
import { namesLogin } from '../../domain/page-need.ts';

/** A larger body is no login form. */
const mostBytes = 400_000;

export interface SignedOut {
  /** The end of a sentence. */
  readonly evidence: string;
  /** The owner of the crawl has said that it shows this: no page has it that is merely closed to the crawl. */
  readonly isCertain: boolean;
}

/**
 * Null: nothing shows it.
 * @param target of a redirect @param texts that the site shows, or has in the address of its login, to those who are not
 * logged in
 */
export function signedOut(
  url: string,
  response: FetchResponse,
  target: string | null,
  texts: readonly string[],
): SignedOut | null {
  const { status, body } = response;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const named = texts.find((text) => bytes.includes(text) || target?.includes(text) === true);
  if (named !== undefined)
    return { evidence: `answered with the text ${JSON.stringify(named)}`, isCertain: true };
  const perhaps = (evidence: string): SignedOut => ({ evidence, isCertain: false });
  if (status === 401) return perhaps('answered 401');
  if (asksItself(url)) return null;
  if (target !== null && namesLogin(addressOf(target)))
    return perhaps(
      `answered with a redirect to a login (${new URL(target).origin}${new URL(target).pathname})`,
    );
  return isLoginForm(url, response) ? perhaps('answered with a login form') : null;
}

/** Is the page a login by its own address? What it answers says nothing of a session. */
export const asksItself = (url: string): boolean => namesLogin(addressOf(url));

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
