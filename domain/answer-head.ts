/**
 * Heads of HTTP/1.1 answers that break a rule and that browsers, curl, wget and Python read all the same. What a crawler
 * reads leads to nobody else's request, so a fault that leaves one reading only is mended (RFC 9112 §2.2, §5.1, §5.2,
 * §6.1, §6.3); the connection must not be used again after it. What two readers would read differently stays as it is:
 * lengths that differ, control characters, a status that is none.
 */

/** A head without a fault of those below, up to and with its empty line; `latin1` text. */
const flawless =
  /^HTTP\/1\.[01] \d{3}[^\r\n]*\r\n(?:(?:(?!content-length:|transfer-encoding:)[!#$%&'*+\-.^_`|~\w]+|content-length(?=:[ \t]*\d+[ \t]*\r)|transfer-encoding(?=:[ \t]*chunked[ \t]*\r)):[^\r\n]*\r\n)*\r\n$/i;
const framing = /\r\n(?:content-length|transfer-encoding):/gi;

const statusLine = /^HTTP\/1\.[01] \d{3}(?: |$)/;
const token = /^[!#$%&'*+\-.^_`|~\w]+$/;

/**
 * @param head a character for each byte, from `HTTP/` to the empty line
 * @returns the head as it should have been; null: nothing is to be mended, or it cannot be
 */
export function mendedHead(head: string): string | null {
  if (flawless.test(head) && (head.match(framing)?.length ?? 0) < 2) return null;
  const [status = '', ...lines] = head.replace(/\r?\n\r?\n$/, '').split(/\r?\n/);
  if (!statusLine.test(status)) return null;
  const fields: [name: string, value: string][] = [];
  for (const line of lines) {
    const last = fields.at(-1);
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trimEnd();
    // A folded line goes on with the field before it (§5.2); what is no field says nothing.
    if (/^[ \t]/.test(line)) {
      if (last !== undefined) last[1] = `${last[1]} ${line.trim()}`;
    } else if (token.test(name)) fields.push([name, line.slice(colon + 1).trim()]);
  }
  const framed = framedOnce(fields);
  return framed === null
    ? null
    : `${[status, ...framed.map(([name, value]) => `${name}: ${value}`)].join('\r\n')}\r\n\r\n`;
}

/** One length or chunks (§6.3); null: it cannot be said where the body ends. */
function framedOnce(fields: readonly [string, string][]): readonly [string, string][] | null {
  const partsOf = (wanted: string): string[] =>
    fields
      .filter(([name]) => name.toLowerCase() === wanted)
      .flatMap(([, value]) => value.split(','))
      .map((part) => part.trim().toLowerCase());
  // `identity` is a coding of RFC 2616 that changes nothing.
  const codings = [...new Set(partsOf('transfer-encoding').filter((part) => part !== 'identity'))];
  const lengths = [...new Set(partsOf('content-length'))];
  const rest = fields.filter(([name]) => !/^(?:transfer-encoding|content-length)$/i.test(name));
  if (codings.length > 0) return [...rest, ['Transfer-Encoding', codings.join(', ')]];
  const [length] = lengths;
  if (length === undefined) return rest;
  return lengths.length === 1 && /^\d+$/.test(length) ? [...rest, ['Content-Length', length]] : null;
}
