/** The day that an address names, as news and blogs have it: `/2026/11/22/`, `/2026-11-22-…`, or a month, `/2026/11/`. */

/** Not older than the web. */
const firstYear = 1990;
const dayMs = 86_400_000;
/** After so many days a date says half as much. */
const halfLifeDays = 30;

const inPath = /[/_-](\d{4})([/_-])(\d{1,2})(?:\2(\d{1,2}))?(?=[/_.-]|$)/;

/** Epoch milliseconds of the day's beginning in UTC, of a month its first day; null: the path names none. */
export function dateInPath(path: string): number | null {
  const [, year, , month, day] = inPath.exec(path) ?? [];
  if (year === undefined || month === undefined || Number(year) < firstYear) return null;
  const [y, m] = [Number(year), Number(month)];
  if (m < 1 || m > 12) return null;
  if (day === undefined) return Date.UTC(y, m - 1);
  const at = Date.UTC(y, m - 1, Number(day));
  return Number(day) >= 1 && new Date(at).getUTCMonth() === m - 1 ? at : null;
}

/** 1 for a date of today, half of it for one that is thirty days old; 0 for no date, and for one of days to come. */
export function freshnessOf(date: number | null, now: number): number {
  if (date === null || date > now + 2 * dayMs) return 0;
  return 2 ** (-Math.max(0, now - date) / dayMs / halfLifeDays);
}
