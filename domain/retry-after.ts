/** Retry-After: how long a host asks to be left alone (RFC 9110 section 10.2.3). */

/** The longest pause that a host can ask for: 30 days, in milliseconds. */
export const maxRetryAfterMs = 30 * 86_400_000;

/**
 * Milliseconds to wait by a Retry-After field value, from 0 (a time that has passed) to `maxRetryAfterMs`. Null if
 * there is no value or it cannot be read. `nowMs` is the time of the answer in milliseconds since 1970. Fractions of
 * seconds are not in the standard, but hosts send them, so they count. Of several delays joined by commas the longest
 * counts.
 */
export function retryAfterMs(value: string | null, nowMs: number): number | null {
  if (value === null) return null;
  const text = value.trim();
  if (/^\d+(?:\.\d+)?(?:\s*,\s*\d+(?:\.\d+)?)*$/.test(text)) {
    return Math.min(Math.ceil(Math.max(...text.split(',').map(Number)) * 1_000), maxRetryAfterMs);
  }
  const date = parseHttpDate(text, nowMs);
  return date === null ? null : Math.min(Math.max(date - nowMs, 0), maxRetryAfterMs);
}

/**
 * The pause in milliseconds that an answer asks for; null: none. `headers` by lower-case name. A Retry-After date
 * counts from the answer's own Date field, so that the wait does not depend on the clocks of the two machines. If the
 * answer has no Date, it counts from `nowMs`.
 */
export function askedPauseMs(headers: Readonly<Record<string, string>>, nowMs: number): number | null {
  const { date, 'retry-after': value } = headers;
  return retryAfterMs(
    value ?? null,
    (date === undefined ? null : parseHttpDate(date.trim(), nowMs)) ?? nowMs,
  );
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** `Sun, 06 Nov 1994 08:49:37 GMT`; the weekday adds nothing and is not checked. */
const imfFixdate = /^[a-z]{3}, (\d{2}) ([a-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) gmt$/i;
/** `Sunday, 06-Nov-94 08:49:37 GMT`; servers also send years of four digits. */
const rfc850Date = /^[a-z]{3,9}, (\d{2})-([a-z]{3})-(\d{2}|\d{4}) (\d{2}):(\d{2}):(\d{2}) gmt$/i;
/** `Sun Nov  6 08:49:37 1994`. */
const asctimeDate = /^[a-z]{3} ([a-z]{3}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/i;

/**
 * An HTTP-date in any of its three forms (RFC 9110 section 5.6.7) as milliseconds since 1970; null: it is not a date.
 * `nowMs` decides the century of two-digit years: a year more than 50 years ahead belongs to the last century.
 */
function parseHttpDate(text: string, nowMs: number): number | null {
  const fixed = imfFixdate.exec(text) ?? rfc850Date.exec(text);
  if (fixed !== null) {
    const [, day = '', month = '', year = '', ...time] = fixed;
    return timestamp(fullYear(year, nowMs), month, day, time);
  }
  const ascii = asctimeDate.exec(text);
  if (ascii === null) return null;
  const [, month = '', day = '', hours = '', minutes = '', seconds = '', year = ''] = ascii;
  return timestamp(Number(year), month, day, [hours, minutes, seconds]);
}

function fullYear(digits: string, nowMs: number): number {
  if (digits.length === 4) return Number(digits);
  const now = new Date(nowMs).getUTCFullYear();
  const inThisCentury = now - (now % 100) + Number(digits);
  return inThisCentury > now + 50 ? inThisCentury - 100 : inThisCentury;
}

function timestamp(year: number, monthName: string, day: string, time: readonly string[]): number | null {
  const [hours = 0, minutes = 0, seconds = 0] = time.map(Number);
  const month = months.indexOf(monthName.toLowerCase());
  // 60 is a leap second.
  if (month === -1 || hours > 23 || minutes > 59 || seconds > 60) return null;
  const midnight = new Date(0);
  midnight.setUTCFullYear(year, month, Number(day));
  // The 31st of a shorter month would roll over into the next.
  if (midnight.getUTCMonth() !== month || Number(day) === 0) return null;
  return midnight.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1_000;
}
