/**
 * Percent-encoding normal form (RFC 3986 §6.2.2): upper-case hex, unreserved characters decoded, everything else
 * left encoded, so that `%2F`, `%26` and `%E9` keep their meaning. A `%` that starts no escape becomes `%25`: otherwise
 * decoding `%%341` would give `%41`, a new escape, and the form would change when it is applied again.
 */

/**
 * Characters that RFC 3986 allows in no path and no query, and that WHATWG URL leaves as they are in one of the two: some
 * pages write them raw and others escaped.
 */
const forbidden = /[|[\]{}^`\\"]/g;
const hasForbidden = /[|[\]{}^`\\"]/;

/** A stray `%`, an escape with lower-case hex, or an escaped unreserved character (RFC 3986 §2.3). */
const notNormal = /%(?:(?![0-9A-F]{2})|2[DE]|3\d|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])/;
const escapeOrStray = /%(?:[0-9A-Fa-f]{2})?/g;
const unreserved = /[A-Za-z0-9\-._~]/;

/** `text` is ASCII, as WHATWG URL serialises paths and queries. One pass: an escape is never decoded twice. */
export function percentNormalForm(text: string): string {
  const escaped = hasForbidden.test(text) ? text.replace(forbidden, escapeOf) : text;
  return notNormal.test(escaped) ? escaped.replace(escapeOrStray, normalEscape) : escaped;
}

const escapeOf = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;

function normalEscape(escape: string): string {
  if (escape.length === 1) return '%25';
  const char = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
  return unreserved.test(char) ? char : escape.toUpperCase();
}
