/**
 * robots.txt is compared octet by octet (RFC 9309 §2.2.2), so it is held as octet text: a string in which each
 * character is one octet, U+0000 to U+00FF. That keeps limits, lengths and non-UTF-8 files exact.
 */

const notAscii = /[^\0-\x7f]/;

/** The UTF-8 octets of a string, as octet text. ASCII, the usual case, is its own octet text. */
export function octetText(text: string): string {
  return notAscii.test(text) ? octetTextOf(new TextEncoder().encode(text)) : text;
}

/** Octet text of bytes as they came over the wire. */
export function octetTextOf(bytes: Uint8Array): string {
  // In chunks: a call takes only so many arguments.
  const chunk = 8_192;
  let text = '';
  for (let at = 0; at < bytes.length; at += chunk) {
    text += String.fromCharCode(...bytes.subarray(at, at + chunk));
  }
  return text;
}

/** Octet text for people: read as UTF-8, with U+FFFD for what is not valid UTF-8. */
export function readableText(octets: string): string {
  if (!notAscii.test(octets)) return octets;
  return new TextDecoder().decode(Uint8Array.from(octets, (octet) => octet.charCodeAt(0)));
}

/**
 * What must be rewritten before a comparison: escapes, octets outside ASCII, and characters that URL parsers escape in
 * some part of a URL. So a rule with a plain space matches a path with `%20`, the only form that is requested.
 */
const needsWork = /[%\0-\x20"'<>^`{|}\x7f-\xff]/;
const workItem = /%[0-9A-Fa-f]{2}|[\0-\x20"'<>^`{|}\x7f-\xff]/g;
/** Unreserved characters (RFC 3986 §2.3), and `*` and `$`, which RFC 9309 §2.2.3 escapes if they are literal. */
const decodable = /[A-Za-z0-9\-._~*$]/;

/**
 * The one form in which rule and URL are compared (RFC 9309 §2.2.2, applied to both sides): upper-case hex,
 * unreserved characters and escaped `*` and `$` decoded. A `%` that starts no escape stays, so that
 * `Disallow: /*%` works as Google reads it. Must not be applied twice.
 */
export function comparable(octets: string): string {
  return needsWork.test(octets) ? octets.replace(workItem, comparableItem) : octets;
}

function comparableItem(item: string): string {
  if (item.length === 1) {
    return '%' + item.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0');
  }
  const char = String.fromCharCode(Number.parseInt(item.slice(1), 16));
  return decodable.test(char) ? char : item.toUpperCase();
}
