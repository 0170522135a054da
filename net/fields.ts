/** The fields of a response's head as one text each: what repeats of a field mean, and bytes that no field may hold. */

export type FieldLines = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Fields that stand once; servers and proxies that each add theirs repeat them word for word. */
const singular: ReadonlySet<string> = new Set(['location', 'retry-after', 'etag', 'last-modified']);

/** Fields whose lines are kept apart. */
const apart: ReadonlySet<string> = new Set(['x-robots-tag', 'set-cookie']);

/**
 * Lower-case names to values as `FetchResponse.headers` has them. `lines` holds the values of repeated fields apart.
 *
 * - In general repeats are joined by ", " (RFC 9110 section 5.3).
 * - X-Robots-Tag and Set-Cookie are joined by line feeds, which no field value holds: the agent that a value begins
 *   with is meant for its own line only, a date in a cookie has a comma, and nobody could tell the lines apart.
 * - Of several Content-Types the last counts (Fetch, "extract a MIME type").
 * - Location that is given twice differently is joined by line feeds too, and leads nowhere: to follow either would be
 *   a guess, and browsers refuse. Its
 *   bytes beyond ASCII, which belong escaped, are escaped as they came (so that raw UTF-8 stays UTF-8).
 */
export function fieldValues(lines: FieldLines): Record<string, string> {
  const values = Object.create(null) as Record<string, string>;
  for (const name of Object.keys(lines)) {
    const line = lines[name];
    const value = typeof line === 'string' || line === undefined ? line : joined(name, line);
    if (value !== undefined) values[name] = name === 'location' ? escaped(value) : value;
  }
  return values;
}

function joined(name: string, lines: readonly string[]): string {
  if (apart.has(name)) return lines.join('\n');
  if (name === 'content-type') return lines.at(-1) ?? '';
  if (!singular.has(name)) return lines.join(', ');
  const distinct = [...new Set(lines)];
  return distinct.join(name === 'location' ? '\n' : ', ');
}

/** Characters stand for the bytes they came as (latin1). */
const escaped = (location: string): string =>
  location.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);

/** Names and values in turn, as node:http2 gives them raw, with repeats kept apart; pseudo-fields are left out. */
export function linesOfPairs(raw: readonly string[]): FieldLines {
  const lines = Object.create(null) as Record<string, string[]>;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? '';
    if (!name.startsWith(':')) (lines[name] ??= []).push(raw[at + 1] ?? '');
  }
  return lines;
}
