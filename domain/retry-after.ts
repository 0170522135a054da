/** Retry-After: how long a host asks to be left alone (RFC 9110 section 10.2.3). */

/** No host can have itself put aside for longer than this: 30 days. */
export const maxRetryAfterMs = 30 * 86_400_000;

/**
 * Milliseconds to wait by a Retry-After field value, from 0 (a time that has passed) to `maxRetryAfterMs`; null where
 * there is none or it cannot be read. `nowMs` is the time of the answer in milliseconds since 1970.
 * Fractions of seconds, which the standard does not know, are sent all the same and are kept. Of several delays joined
 * by commas the longest counts.
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
 * What an answer asks for. `headers` by lower-case name. A date counts from the answer's own Date, so that it means the
 * same wait whatever the clocks of the two machines say; `nowMs` stands in where there is none.
 */
export function askedPauseMs(headers: Readonly<Record<string, string>>, nowMs: number): number | null {
  const { date, 'retry-after': value } = headers;
  return retryAfterMs(
    value ?? null,
    (date === undefined ? null : parseHttpDate(date.trim(), nowMs)) ?? nowMs,
  );
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** `Sun, 06 Nov 1994 08:49:37 GMT`; the weekday says nothing new and is not checked. */
const imfFixdate = /^[a-z]{3}, (\d{2}) ([a-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) gmt$/i;
/** `Sunday, 06-Nov-94 08:49:37 GMT`; four digits of year are met as well. */
const rfc850Date = /^[a-z]{3,9}, (\d{2})-([a-z]{3})-(\d{2}|\d{4}) (\d{2}):(\d{2}):(\d{2}) gmt$/i;
/** `Sun Nov  6 08:49:37 1994`. */
const asctimeDate = /^[a-z]{3} ([a-z]{3}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/i;

/**
 * An HTTP-date in any of its three forms (RFC 9110 section 5.6.7) as milliseconds since 1970, or null.
 * `nowMs` settles the century of two-digit years: more than 50 years ahead means the past one.
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
