/**
 * Months and days of the week in the languages of the web, as the runtime's locale data (CLDR) writes them: beside a
 * day, by themselves, long and short. The tables are made when the first word is looked up, which takes a tenth of a
 * second.
 */

/** Where two languages disagree about a word, the first one counts: `listopad` is November, as in Czech and Polish. */
const languages =
  `en en-GB de de-AT fr es it pt nl pl ru tr fi sv da nb cs sk hu ro bg uk sr sr-Latn hr sl el lt lv et is
  ca eu gl mt ga cy sq mk bs be ka hy az kk uz ky tg id ms tl sw af ar ar-LB ar-MA ar-DZ he fa ur hi bn ta te kn ml mr
  gu pa ne si th lo km my`.split(/\s+/);

/** What people write and CLDR does not. */
const others: readonly (readonly [string, number])[] = [
  ['sept', 9], ['mrz', 3], ['febr', 2], ['set', 9], ['mart', 3], ['agosto', 8], ['augusti', 8],
  ['janv', 1], ['sett', 9], ['mag', 5], ['out', 10], ['fevr', 2], ['juill', 7],
] as const; // prettier-ignore

/** Signs that people leave out, and case. */
const keyOf = (word: string): string =>
  word
    .toLowerCase()
    .normalize('NFKD')
    .replace(/^(?:de |d[’'])/, '')
    .replace(/[\u0300-\u036f.\u200c׳॰\s]/g, '')
    .replaceAll('ı', 'i');

const middle = 15;
const dayMs = 86_400_000;

let months: ReadonlyMap<string, number> | null = null;
let persian: ReadonlyMap<string, number> | null = null;
let weekdays: ReadonlyMap<string, number> | null = null;

/** 1 to 12; 0: it is no month of the Gregorian calendar. */
export function monthOf(word: string): number {
  months ??= new Map([...others, ...wordsOf(languages, 'gregory').reverse()]);
  return months.get(keyOf(word)) ?? 0;
}

/** 1 to 12, Farvardin being the first; 0: it is no month of the Persian calendar. */
export function persianMonthOf(word: string): number {
  persian ??= new Map(wordsOf(['fa', 'en'], 'persian'));
  return persian.get(keyOf(word)) ?? 0;
}

function wordsOf(of: readonly string[], calendar: string): (readonly [string, number])[] {
  const styles = [
    { month: 'long', day: 'numeric' },
    { month: 'short', day: 'numeric' },
    { month: 'long' },
  ] as const;
  return of.flatMap((language) =>
    styles.flatMap((style) => {
      const locale = `${language}-u-ca-${calendar}-nu-latn`;
      const format = new Intl.DateTimeFormat(locale, { ...style, timeZone: 'UTC' });
      return Array.from({ length: 12 }, (_, at) => {
        // Farvardin is mostly April, so the fifteenth of each month lies in twelve different ones there too.
        const time = Date.UTC(
          2024,
          calendar === 'persian' ? at + 3 : at,
          middle - 9 * Number(calendar === 'persian'),
        );
        return [keyOf(monthIn(format.formatToParts(time))), at + 1] as const;
      });
    }),
  );
}

/** The month with letters that are written to it: Hebrew has its preposition there, Basque an ending. */
function monthIn(parts: readonly Intl.DateTimeFormatPart[]): string {
  const at = parts.findIndex(({ type }) => type === 'month');
  const [before, month, after] = [-1, 0, 1].map((step) => parts[at + step]?.value ?? '');
  return `${/\p{L}*$/u.exec(before ?? '')?.[0] ?? ''}${month ?? ''}${/^\p{L}*/u.exec(after ?? '')?.[0] ?? ''}`;
}

/** Days of the week that the words of a text may mean, each a bit; Monday is 1, Tuesday 2, Wednesday 4. */
export function weekdaysIn(text: string): number {
  weekdays ??= weekdayWords();
  let found = 0;
  for (const word of text.match(/\p{L}[\p{L}\p{M}]+/gu) ?? []) found |= weekdays.get(keyOf(word)) ?? 0;
  return found;
}

/** Some short words mean one day here and another one there. */
function weekdayWords(): Map<string, number> {
  const found = new Map<string, number>();
  const monday = Date.UTC(2024, 0, 1);
  for (const language of languages)
    for (const weekday of ['long', 'short'] as const) {
      const format = new Intl.DateTimeFormat(language, { weekday, timeZone: 'UTC' });
      for (let day = 0; day < 7; day++) {
        const key = keyOf(format.format(monday + day * dayMs));
        found.set(key, (found.get(key) ?? 0) | (1 << day));
      }
    }
  return found;
}

/** The bit of a day's weekday. */
export const weekdayOf = (date: string): number => 1 << ((new Date(date).getUTCDay() + 6) % 7);
