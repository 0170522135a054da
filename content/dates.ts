/** Reads dates as pages write them: ISO 8601, RFC 822, and day, month and year in a dozen languages. */

const dayMs = 86_400_000;
/** Nothing on the web is older. */
const firstYear = 1991;
/** No page is dated later, whatever the clock says. */
const lastYear = 2100;

const monthWords: readonly string[] = [
  'january|januar|janvier|enero|gennaio|janeiro|januari|leden|styczeń|stycznia|января|ocak|tammikuu|jan|janv|ene|gen|jän|jänner',
  'february|februar|février|febrero|febbraio|fevereiro|februari|luty|lutego|февраля|şubat|feb|févr|fév|fev',
  'march|märz|mars|marzo|março|maart|marzec|marca|марта|mart|mar|mär|mrt',
  'april|avril|abril|aprile|kwiecień|kwietnia|апреля|nisan|apr|avr|abr',
  'may|mai|mayo|maggio|maio|mei|maj|maja|мая|mayıs|mag',
  'june|juni|juin|junio|giugno|junho|czerwiec|czerwca|июня|haziran|jun|giu',
  'july|juli|juillet|julio|luglio|julho|lipiec|lipca|июля|temmuz|jul|juil|lug',
  'august|août|aout|agosto|augustus|augusti|sierpień|sierpnia|августа|ağustos|aug|ago',
  'september|septembre|septiembre|settembre|setembro|wrzesień|września|сентября|eylül|sep|sept|set',
  'october|oktober|octobre|octubre|ottobre|outubro|październik|października|октября|ekim|oct|okt|ott|out',
  'november|novembre|noviembre|novembro|listopad|listopada|ноября|kasım|nov',
  'december|dezember|décembre|diciembre|dicembre|dezembro|decembrie|grudzień|grudnia|декабря|aralık|dec|dez|déc|dic|des',
];
const months: ReadonlyMap<string, number> = new Map(
  monthWords.flatMap((words, at) => words.split('|').map((word) => [word, at + 1] as const)),
);

const iso =
  /^\s*(\d{4})-?(\d\d)-?(\d\d)(?:[T\s]+(\d\d):?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)?\s*(Z|[+-]\d\d:?\d\d|[+-]\d\d|UTC|GMT)?)?/i;
/** 2024/3/12, 2024.03.12, 2024年3月12日, 2024년 3월 12일 */
const yearFirst = /(?<!\d)((?:19|20)\d\d)\s?[-/.年년]\s?(\d\d?)\s?[-/.月월]\s?(\d\d?)(?!\d)/;
/** 12 March 2024, 12. März 2024, 12 de marzo de 2024, 1st of May, 2024 */
const dayFirst =
  /(?<!\d)(\d\d?)(?:st|nd|rd|th|er|º|°)?[.\s,-]+(?:of\s+|de\s+)?(\p{L}{3,12})[.,]?[\s-]+(?:de\s+|del\s+)?((?:19|20)\d\d)(?!\d)/u;
/** March 12, 2024 */
const monthFirst = /(\p{L}{3,12})\.?\s+(\d\d?)(?:st|nd|rd|th)?,?\s+((?:19|20)\d\d)(?!\d)/u;
/** 12.03.2024, 12/03/2024, 03/12/2024 */
const numeric = /(?<![\d.])(\d\d?)\s?[./-]\s?(\d\d?)\s?[./-]\s?((?:19|20)\d\d)(?!\d|\.\d)/;
const rfc822 = /(\d\d?)\s+(\p{L}{3})\p{L}*\s+(\d{4})\s+(\d\d):(\d\d)(?::(\d\d))?\s*(GMT|UTC|Z|[+-]\d{4})/u;

/** Characters of a value that are looked at. */
const longest = 100;

/**
 * `YYYY-MM-DD`, or `YYYY-MM-DDTHH:MM:SSZ` if the value tells time and zone; null: it is no date. Years before the web
 * and far in the future are none. Of 3/4/2024, 3 is the day, as most of the world writes.
 */
export function readDate(value: string): string | null {
  const text = value.length > longest ? value.slice(0, longest) : value;
  const standard = iso.exec(text);
  if (standard !== null) {
    const [, year, month, day, hour, minute, second = '00', zone] = standard;
    return instant(Number(year), Number(month), Number(day), hour, minute, second, zone);
  }
  const mail = rfc822.exec(text);
  if (mail !== null) {
    const [, day, month, year, hour, minute, second = '00', zone] = mail;
    return instant(Number(year), monthOf(month), Number(day), hour, minute, second, zone);
  }
  const ordered = yearFirst.exec(text);
  if (ordered !== null) return dayOf(Number(ordered[1]), Number(ordered[2]), Number(ordered[3]));
  const written = dayFirst.exec(text);
  if (written !== null) {
    const found = dayOf(Number(written[3]), monthOf(written[2]), Number(written[1]));
    if (found !== null) return found;
  }
  const american = monthFirst.exec(text);
  if (american !== null) {
    const found = dayOf(Number(american[3]), monthOf(american[1]), Number(american[2]));
    if (found !== null) return found;
  }
  const [, first, second, year] = numeric.exec(text) ?? [];
  if (year === undefined) return null;
  return Number(second) > 12
    ? dayOf(Number(year), Number(first), Number(second))
    : dayOf(Number(year), Number(second), Number(first));
}

const monthOf = (word = ''): number => months.get(word.toLowerCase()) ?? 0;

function dayOf(year: number, month: number, day: number): string | null {
  if (year < firstYear || year > lastYear || month < 1 || month > 12 || day < 1 || day > 31) return null;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCDate() === day ? date.toISOString().slice(0, 10) : null;
}

function instant(
  year: number,
  month: number,
  day: number,
  hour: string | undefined,
  minute: string | undefined,
  second: string,
  zone: string | undefined,
): string | null {
  const date = dayOf(year, month, day);
  if (date === null || hour === undefined || minute === undefined || zone === undefined) return date;
  const offset = /^[+-]/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}` : 'Z';
  const at = Date.parse(`${date}T${hour}:${minute}:${second}${offset}`);
  return Number.isNaN(at) ? date : `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** The day that a path names, such as /2024/03/12/title or /news/2024-03-12-title; null: none. */
export function dateOfPath(path: string): string | null {
  const found = /(?:^|[/_-])((?:19|20)\d\d)([/_-])(\d\d?)\2(\d\d?)(?=$|[/_.-])/.exec(path);
  if (found !== null) return dayOf(Number(found[1]), Number(found[3]), Number(found[4]));
  const dense = /\/((?:19|20)\d\d)(\d\d)(\d\d)(?=$|[/_.-])/.exec(path);
  return dense === null ? null : dayOf(Number(dense[1]), Number(dense[2]), Number(dense[3]));
}

/** Does the date lie more than a day after the instant (milliseconds since 1970)? Zones differ by a day. */
export function isAfter(date: string, now: number): boolean {
  return Date.parse(date) > now + dayMs;
}
