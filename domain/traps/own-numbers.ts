/**
 * Whole numbers that tell nothing new on a page, since they follow from its place in the site. They stand in its URL,
 * in its title or in the URLs of similar pages, or the page of a calendar or list works them out from its URL: the week
 * of a date, or "361 to 370" on page 37.
 */

/** Most links whose numbers are looked at. */
const mostLinks = 64;
/** Entries of a page of a list. */
const pageSizes = [5, 10, 12, 15, 16, 20, 24, 25, 30, 40, 48, 50, 60, 64, 96, 100];
/** Seconds and milliseconds since 1970 that may be dates from 1990 to 2100. */
const [firstSecond, lastSecond] = [631_152_000, 4_102_444_800];
const dayMs = 86_400_000;

export function ownNumbers(
  pathAndQuery: string,
  title: string,
  alike: readonly string[],
): ReadonlySet<number> {
  const own = new Set<number>();
  const named = numbersIn(pathAndQuery);
  for (const number of [...named, ...numbersIn(title), ...alike.slice(0, mostLinks).flatMap(numbersIn)])
    own.add(number);
  for (const number of named) {
    for (const size of pageSizes)
      for (const entry of [(number - 1) * size, number * size, (number + 1) * size, number + size])
        for (const shown of [entry, entry + 1]) own.add(shown);
    own.add(number + 1);
    if (number >= firstSecond && number <= lastSecond) addDate(own, number * 1_000);
    if (number >= firstSecond * 1_000 && number <= lastSecond * 1_000) addDate(own, number);
  }
  for (const [at, year] of named.entries()) {
    const [month = 1, day = 1] = named.slice(at + 1);
    if (isYear(year) && month <= 12 && day <= 31) addDate(own, Date.UTC(year, month - 1, day));
  }
  return own;
}

const isYear = (number: number): boolean => number >= 1_500 && number < 2_400;

/** Whole numbers of a text; dates that are written as one number also in parts. */
function numbersIn(text: string): number[] {
  return [...text.matchAll(/\d+/g)].flatMap(([digits]) => {
    const date = /^((?:1[5-9]|2[0-3])\d\d)(0[1-9]|1[0-2])(\d\d)?$/.exec(digits);
    const parts = (date?.slice(1) ?? []).flatMap((part: string | undefined) =>
      part === undefined ? [] : [Number(part)],
    );
    return [Number(digits), ...parts];
  });
}

/** Year, month, day, and the day and week of the year. */
function addDate(own: Set<number>, time: number): void {
  const date = new Date(time);
  const year = date.getUTCFullYear();
  const ofYear = Math.floor((time - Date.UTC(year, 0, 1)) / dayMs) + 1;
  const weekday = (date.getUTCDay() + 6) % 7;
  const week = Math.floor((ofYear + 9 - weekday) / 7) - 1;
  for (const number of [year, date.getUTCMonth() + 1, date.getUTCDate(), ofYear, week, week + 1])
    own.add(number);
}
