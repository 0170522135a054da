/** The fields of a response's head as one text each: what repeats of a field mean, and bytes that no field may hold. */

export type FieldLines = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Fields that stand once; servers and proxies that each add theirs repeat them word for word. */
const singular: ReadonlySet<string> = new Set([
  'location',
  'retry-after',
  'etag',
  'last-modified',
  'content-type',
]);

/**
 * Lower-case names to values as `FetchResponse.headers` has them. `lines` holds the values of repeated fields apart.
 *
 * - In general repeats are joined by ", " (RFC 9110 section 5.3).
 * - X-Robots-Tag is joined by line feeds, which no field value holds: the agent a value begins with is meant for its
 *   own line only, and after a comma nobody could tell.
 * - Location that is given twice differently leads nowhere: to follow either would be a guess, and browsers refuse. Its
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

function joined(name: string, lines: readonly string[]): string | undefined {
  if (name === 'x-robots-tag') return lines.join('\n');
  if (!singular.has(name)) return lines.join(', ');
  const distinct = [...new Set(lines)];
  return name === 'location' && distinct.length > 1 ? undefined : distinct.join(', ');
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
