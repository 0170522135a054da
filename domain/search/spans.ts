/**
 * Spans of time as words: each page has the year, the month, the day and the hour of its answer (UTC), and a span is
 * those that lie in it and the hours at its ends, as few as can be. So an index of words finds the pages of a span; only
 * those of the hours at its ends have to be compared.
 */

const lengths = [4, 7, 10, 13] as const;
const hourMs = 3_600_000;

/** `2031`, `2031-05`, `2031-05-17`, `2031-05-17T09`. @param instant ISO 8601, in UTC */
export const spansOf = (instant: string): string[] => lengths.map((length) => instant.slice(0, length));

/** Before the Web there are no pages. */
const firstYear = 1990;
/** Clocks may differ by as much, in milliseconds. */
const ahead = 86_400_000;

/**
 * The fewest spans with all instants from `since` to `until` in them, and no others but in the hours at the ends.
 * @param since @param until ISO 8601, UTC; absent: there is no such end
 * @param now milliseconds since 1970; there are no pages of the future
 * @returns null: any time will do; empty: there can be no page
 */
export function spansBetween(
  since: string | undefined,
  until: string | undefined,
  now: number,
): string[] | null {
  if (since === undefined && until === undefined) return null;
  const from = Math.max(since === undefined ? 0 : Date.parse(since), Date.UTC(firstYear, 0));
  const to = Math.min(until === undefined ? Infinity : Date.parse(until), now + ahead);
  const spans: string[] = [];
  for (let at = Math.floor(from / hourMs) * hourMs; at < to;) {
    const [span, end] = longestFrom(at, to);
    spans.push(span);
    at = end;
  }
  return spans;
}

/** The longest span that begins at an hour and ends by `to`, else the hour; with its end. */
function longestFrom(at: number, to: number): [span: string, end: number] {
  const date = new Date(at);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const isDay = date.getUTCHours() === 0;
  const isMonth = isDay && day === 1;
  const ends = [
    isMonth && month === 0 ? Date.UTC(year + 1, 0) : Infinity,
    isMonth ? Date.UTC(year, month + 1) : Infinity,
    isDay ? Date.UTC(year, month, day + 1) : Infinity,
  ];
  const fits = ends.findIndex((end) => end <= to);
  const end = ends[fits] ?? at + hourMs;
  return [date.toISOString().slice(0, lengths.at(fits)), end];
}
