/**
 * Reads dates as pages write them: ISO 8601, RFC 822, Unix times, and day, month and year in the words and digits of
 * some sixty languages, of the Buddhist, Persian, Japanese and Chinese calendars where they cannot be mistaken.
 */
import { allMatches } from './all-matches.ts';
import { monthOf, persianMonthOf, weekdayOf, weekdaysIn } from './calendar-words.ts';
import { asciiDigits } from './digits.ts';

const dayMs = 86_400_000;
/** Nothing on the web is older. */
const firstYear = 1991;
/** No page is dated later, whatever the clock says. */
const lastYear = 2100;

/** Characters of a value that are looked at. */
const longest = 100;

const time = String.raw`(?:T|\s)\s*(\d\d):?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)?\s*(Z|[+-]\d\d(?::?\d\d)?|UTC|GMT)?`;
const iso = new RegExp(String.raw`^\s*(\d{4})([-/.]?)(\d\d)\2(\d\d)(?:${time})?`, 'i');
const rfc822 =
  /(\d\d?)[\s-]+(\p{L}{3})\p{L}*[\s-]+(\d{4})\s+(\d\d):(\d\d)(?::(\d\d))?\s*(GMT|UTC|Z|[+-]\d{4})/u;
/** Seconds or milliseconds since 1970. */
const unix = /^\s*(?:(\d{9,10})(?:\.\d+)?|(\d{12,13}))\s*$/;

const word = String.raw`(\p{L}[\p{L}\p{M}׳॰]*(?:\.\p{L}[\p{L}\p{M}]*)*)`;
const gap = String.raw`[.,]?[\s,/-]*`;
/** What languages put between day, month and year: `of`, `de`, `ta’`, `lá`. */
const link = String.raw`(?:(?:of|de|del|di|den|ta|พ\.ศ\.|d)(?:\s+|\s?[’']\s?))?`;
const ordinal = String.raw`(?:st|nd|rd|th|er|re|o|a|°)?`;
/** 12 March 2024, 12. März 2024, 12 de marzo de 2024, 1st of May, 2024, 12-Mar-24, 12 Mar '24 */
const dayFirst = new RegExp(
  String.raw`(?<!\d)(\d\d?)${ordinal}${gap}${link}${word}${gap}${link}(?:(\d{4})(?!\d)|[-'’](\d\d)(?!\d))`,
  'gu',
);
/** March 12, 2024 */
const monthFirst = new RegExp(
  String.raw`${word}\.?[\s-]*(\d\d?)${ordinal}(?:\s+of)?[\s,.-]+(\d{4})(?!\d)`,
  'gu',
);
/** 2024. március 12., 2024 m. kovo 12 d., 2024(e)ko martxoaren 12(a) */
const yearAndMonth = new RegExp(
  String.raw`(?<!\d)(\d{4})(?:\(e\)ko|ko)?[.,\s-]+(?:(?:m|ж|թ)[.\s-]+)?${word}[.\s-]+(\d\d?)(?!\d)`,
  'gu',
);
/** 2024. gada 12. marts, 2024 ж. 12 наурыз, 2024-ж., 12-март */
const yearAndDay = new RegExp(
  String.raw`(?<!\d)(\d{4})[.\s-]*(?:gada|ж|г)?[.,\s-]+(\d\d?)[.\s-]+${word}`,
  'gu',
);
/** 2024/3/12, 2024.03.12, 2024年3月12日, 2024년 3월 12일, 2024 оны 3-р сарын 12 */
const numericYear = /(?<!\d)(\d{4})\s?(?:[-/.年년]|оны)\s?(\d\d?)\s?(?:[-/.月월]|-р сарын)\s?(\d\d?)(?!\d)/;
const vietnamese = /(?<!\d)(\d\d?)\s*(?:tháng|thg)\s*(\d\d?)[\s,]*(?:năm\s*)?(\d{4})(?!\d)/iu;
/** 12.03.2024, 12/03/2024, 03/12/2024 */
const numeric = /(?<![\d.])(\d\d?)\s?([./-])\s?(\d\d?)\s?[./-]\s?((?:19|20)\d\d)(?!\d|\.\d)/;
/** 12.03.24, 12/03/24 */
const short = /(?<![\d.,:/-])(\d\d)([./])(\d\d)\2(\d\d)(?![\d:,%]|[./-]\d)/;
/** Years of Japanese eras and of the Republic of China, and those before their first. */
const eras: ReadonlyMap<string, number> = new Map([
  ['令和', 2018],
  ['平成', 1988],
  ['民國', 1911],
  ['民国', 1911],
]);
const era = /(令和|平成|民[國国])\s?(元|\d{1,3})(?=\s?年)/;

/**
 * `YYYY-MM-DD`, or `YYYY-MM-DDTHH:MM:SS` with `Z` or the offset that the value has, if it tells time and zone: the day
 * is the one that the page writes. Null: it is no date. A year before the web, or far in the future, is no date either.
 */
export const readDate = (value: string): string | null => readingsOf(value)[0] ?? null;

/**
 * What a value may mean, the likeliest first: two readings of 3/4/2024, or none. A weekday beside it decides.
 * @param american months stand before days where both are numbers
 */
export function readingsOf(value: string, american = false): readonly string[] {
  const text = plain(value.length > longest ? value.slice(0, longest) : value);
  if (!/\d/.test(text)) return [];
  const found = standard(text) ?? written(text) ?? byYear(text, /[۰-۹]/.test(value));
  return found === null ? numbers(text, american) : [found];
}

/** Digits of all scripts as those of ASCII; signs of direction left out. */
function plain(text: string): string {
  if (!/[^\x00-\x7f]/.test(text)) return text;
  return (
    asciiDigits(text.normalize('NFKC').replace(/\p{Cf}/gu, ''))
      .replaceAll('،', ',')
      // Arabic months have two names, of which both may be written, and some two words.
      .replace(/\p{Script=Arabic}+\s?\/\s?(?=\p{Script=Arabic})/gu, '')
      .replace(/(كانون|تشرين)\s+/g, '$1')
      .replace(era, (_, name: string, year: string) =>
        String((eras.get(name) ?? 0) + (year === '元' ? 1 : Number(year))),
      )
  );
}

function standard(text: string): string | null {
  const since = unix.exec(text);
  if (since !== null) {
    const at = since[1] === undefined ? Number(since[2]) : Number(since[1]) * 1_000;
    const moment = new Date(at).toISOString();
    return dayOf(...parts(moment)) === null ? null : `${moment.slice(0, 19)}Z`;
  }
  const named = iso.exec(text);
  if (named !== null) {
    const [, year, , month, day, ...clock] = named;
    return moment(dayOf(Number(year), Number(month), Number(day)), clock);
  }
  const mail = rfc822.exec(text);
  if (mail === null) return null;
  const [, day, month = '', year, ...clock] = mail;
  return moment(dayOf(Number(year), monthOf(month), Number(day)), clock);
}

const parts = (date: string): [number, number, number] => [
  Number(date.slice(0, 4)),
  Number(date.slice(5, 7)),
  Number(date.slice(8, 10)),
];

function written(text: string): string | null {
  if (!/\p{L}/u.test(text)) return null;
  for (const [, day, month = '', year, two] of allMatches(text, dayFirst)) {
    const found = wordDay(year ?? String(2_000 + Number(two)), month, day);
    if (found !== null) return found;
  }
  for (const [, month = '', day, year] of allMatches(text, monthFirst)) {
    const found = wordDay(year, month, day);
    if (found !== null) return found;
  }
  for (const [, year, month = '', day] of allMatches(text, yearAndMonth)) {
    const found = wordDay(year, month, day);
    if (found !== null) return found;
  }
  for (const [, year, day, month = ''] of allMatches(text, yearAndDay)) {
    const found = wordDay(year, month, day);
    if (found !== null) return found;
  }
  const [, day, month, year] = vietnamese.exec(text) ?? [];
  return year === undefined ? null : dayOf(Number(year), Number(month), Number(day));
}

/** Thai months have years of the Buddhist calendar, 543 more; Persian months have years of their own. */
function wordDay(year: string | undefined, month: string, day: string | undefined): string | null {
  const gregorian = monthOf(month);
  const isThai = /\p{Script=Thai}/u.test(month) && Number(year) > 2_400;
  if (gregorian > 0) return dayOf(Number(year) - (isThai ? 543 : 0), gregorian, Number(day));
  const persian = Number(year) < 1_500 ? persianMonthOf(month) : 0;
  return persian === 0 ? null : persianDay(Number(year), persian, Number(day));
}

/** @param inPersian the digits are those of Persian, in which years of 1370 and later are of the Persian calendar */
function byYear(text: string, inPersian: boolean): string | null {
  const [, year, month, day] = numericYear.exec(text) ?? [];
  if (year === undefined) return null;
  return inPersian && Number(year) < 1_500
    ? persianDay(Number(year), Number(month), Number(day))
    : dayOf(Number(year), Number(month), Number(day));
}

function numbers(text: string, american: boolean): string[] {
  const long = numeric.exec(text);
  const [, one, sign, two, ending = ''] = long ?? short.exec(text) ?? [];
  if (one === undefined) return [];
  const year = long === null ? Number(ending) + (Number(ending) > 90 ? 1_900 : 2_000) : Number(ending);
  const ofDay = dayOf(year, Number(two), Number(one));
  const ofMonth = dayOf(year, Number(one), Number(two));
  const both = american && sign !== '.' ? [ofMonth, ofDay] : [ofDay, ofMonth];
  const readings = [...new Set(both.filter((date) => date !== null))];
  if (readings.length < 2) return readings;
  const weekdays = weekdaysIn(text);
  const fitting = readings.filter((date) => (weekdayOf(date) & weekdays) !== 0);
  return fitting.length === 1 ? fitting : readings;
}

function dayOf(year: number, month: number, day: number): string | null {
  if (year < firstYear || year > lastYear || month < 1 || month > 12 || day < 1 || day > 31) return null;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCDate() === day ? date.toISOString().slice(0, 10) : null;
}

/** Years of 365 days from the spring of 1991, eight of 33 with a day more; six months of 31 days, then 30 each. */
function persianDay(year: number, month: number, day: number): string | null {
  if (year < 1_370 || year > 1_470 || month < 1 || month > 12 || day < 1 || day > 31 - Number(month > 6))
    return null;
  let days = month > 6 ? 186 + (month - 7) * 30 : (month - 1) * 31;
  for (let before = 1_370; before < year; before++) days += (25 * before + 11) % 33 < 8 ? 366 : 365;
  const date = new Date(Date.UTC(1_991, 2, 20 + day) + days * dayMs);
  return dayOf(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate());
}

/** A day with hour, minute, second and zone, as far as they are told. */
function moment(
  date: string | null,
  [hour, minute, second = '00', zone]: readonly (string | undefined)[],
): string | null {
  if (date === null || hour === undefined || minute === undefined || zone === undefined) return date;
  const digits = zone.replace(/\D/g, '').padEnd(4, '0');
  const offset = Number(digits) === 0 ? 'Z' : `${zone.slice(0, 1)}${digits.slice(0, 2)}:${digits.slice(2)}`;
  const whole = `${date}T${hour}:${minute}:${second}${offset}`;
  return Number(hour) > 23 || Number.isNaN(Date.parse(whole)) ? date : whole;
}

/** The day that folders of a path name, such as /2024/03/12/title, /2024/mar/12/title or /2024-03/12/title, a word between them or not. */
export function dateOfFolders(path: string): string | null {
  const [, year, , month = '', , day] =
    /\/((?:19|20)\d\d)([/-]?|\/[a-z_]+\/)(\d\d|(?<=\/)\d|(?<=\/)[a-z]{3}(?=\/))([/-]?)(\d\d|(?<=\/)\d)(?=\/)/i.exec(
      path,
    ) ?? [];
  if (year === undefined) return null;
  return dayOf(Number(year), /\d/.test(month) ? Number(month) : monthOf(month), Number(day));
}

/** The day that any part of a path names, such as /news/2024-03-12-title; null: none. */
export function dateOfPath(path: string): string | null {
  const found = /(?:^|[/_-])((?:19|20)\d\d)([/_-])(\d\d?)\2(\d\d?)(?=$|[/_.-])/i.exec(path);
  if (found !== null) return dayOf(Number(found[1]), Number(found[3]), Number(found[4]));
  const [, year, month, day] = /(?<!\d)((?:19|20)\d\d)(\d\d)(\d\d)(?!\d)/.exec(path) ?? [];
  return year === undefined ? dateOfFolders(path) : dayOf(Number(year), Number(month), Number(day));
}

/** Does the date lie more than a day after the instant (milliseconds since 1970)? Zones differ by a day. */
export function isAfter(date: string, now: number): boolean {
  return Date.parse(date) > now + dayMs;
}
