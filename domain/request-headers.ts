/**
 * Request headers that a crawl sends to the hosts of its seeds. Their values are often secrets, so nobody is shown them
 * again.
 */

export type RequestHeaders = Readonly<Record<string, string>>;

/** Replaces each header value wherever settings are shown. */
export const hiddenValue = '[hidden]';

const maxHeaders = 20;
/** Most characters of one value. */
const maxValueLength = 4_000;
/** Most characters of all names and values together. */
const maxHeadersLength = 8_000;

/** Headers that the crawler sets itself, and headers that belong to one connection only (hop by hop). */
const ownNames = new Set([
  'host',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
  'expect',
  'accept-encoding',
  'user-agent',
  'range',
]);
const ownBeginnings = ['content-', 'if-'];

/** Why a header cannot be sent, in a sentence that shows no part of its value; null: it can. */
export function headerProblem(name: string, value: string): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name))
    return 'the name of a header is letters, digits and hyphens';
  const lower = name.toLowerCase();
  if (ownNames.has(lower) || ownBeginnings.some((beginning) => lower.startsWith(beginning)))
    return `${name} is set by the crawler itself${lower === 'user-agent' ? ': give userAgent (--user-agent)' : ''}`;
  if (value === hiddenValue) return `the value of ${name} is not shown again once it is stored: give it anew`;
  if (value.length > maxValueLength)
    return `the value of ${name} has ${String(value.length)} characters; ${String(maxValueLength)} are allowed`;
  if (!/^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(value))
    return `the value of ${name} must be printable ASCII, on one line, without spaces at its ends`;
  return null;
}

/** Why the headers cannot be sent together; null: they can. */
export function headersProblem(headers: RequestHeaders): string | null {
  const names = Object.keys(headers);
  if (names.length > maxHeaders)
    return `there are ${String(names.length)} headers; ${String(maxHeaders)} are allowed`;
  const lower = names.map((name) => name.toLowerCase());
  const twice = lower.find((name, at) => lower.indexOf(name) !== at);
  if (twice !== undefined) return `${twice} is given twice`;
  const length = Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  return length > maxHeadersLength
    ? `the headers have ${String(length)} characters together; ${String(maxHeadersLength)} are allowed`
    : null;
}

/** Settings as they are shown: without header values. */
export const withHiddenHeaders = <Config extends { readonly headers: RequestHeaders }>(
  config: Config,
): Config => ({
  ...config,
  headers: Object.fromEntries(Object.keys(config.headers).map((name) => [name, hiddenValue])),
});
