/** How commander reads the arguments of verbs. @throws InvalidArgumentError; commander adds the option's name */
import { InvalidArgumentError } from 'commander';
import { pageFields, type PageField } from '../contracts/page-fields.ts';
import { capRateWords, isCapRate } from '../domain/caps.ts';
import { rejectionSentence } from '../domain/seeds.ts';
import { canonicalize } from '../domain/url.ts';
import { CommandError } from './ending.ts';

export function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${String(least)} on.`);
  };
}

export function upTo(most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^[1-9]\d*$/.test(text) && value <= most) return value;
    throw new InvalidArgumentError(`It must be a number from 1 to ${String(most)}.`);
  };
}

/** @param isIncluded `least` itself may be given @param unit what the number counts; absent: nothing */
export function decimal(least: number, isIncluded: boolean, unit?: string): (text: string) => number {
  return (text) => {
    const value = numberIn(text);
    if (value !== null && (isIncluded ? value >= least : value > least)) return value;
    const what = unit === undefined ? 'a number' : `a number of ${unit}`;
    throw new InvalidArgumentError(`It must be ${what} ${isIncluded ? 'from' : 'above'} ${String(least)}.`);
  };
}

/** Null: not a number, or one beyond all, which JSON would turn into "no limit". */
function numberIn(text: string): number | null {
  const value = Number(text);
  return /^(\d+\.?\d*|\.\d+)$/.test(text) && Number.isFinite(value) ? value : null;
}

/** Null: never. */
export const secondsOrNever = (text: string): number | null =>
  text === 'never' ? null : decimal(0, false, 'seconds')(text);

/** The API decides which signals there are, and what their weights must sum to. */
export function weights(text: string): Record<string, number> {
  const given = new Map<string, number>();
  for (const part of text.split(',')) {
    const [, name, value] = /^\s*([a-z]+)\s*=\s*(-?[\d.]+)\s*$/.exec(part) ?? [];
    if (name === undefined || !Number.isFinite(Number(value)))
      throw new InvalidArgumentError('It must be weights, such as depth=0.5,inbound=0.5.');
    if (given.has(name)) throw new InvalidArgumentError(`It names ${name} twice.`);
    given.set(name, Number(value));
  }
  return Object.fromEntries(given);
}

export function capRate(text: string): number {
  const rate = numberIn(text) ?? NaN;
  if (isCapRate(rate)) return rate;
  throw new InvalidArgumentError(`It must be ${capRateWords}.`);
}

export function fieldList(text: string): PageField[] {
  return text.split(',').map((name) => {
    const field = pageFields.find((known) => known === name);
    if (field !== undefined) return field;
    throw new InvalidArgumentError(`The fields are ${pageFields.join(', ')}.`);
  });
}

/** @param what such as `a crawl` */
export function numberOf(what: string, digits = 15): (text: string) => string {
  return (text) => {
    if (/^[1-9]\d*$/.test(text) && text.length <= digits) return text;
    throw new InvalidArgumentError(`It must be the number of ${what}.`);
  };
}
export const crawlId = numberOf('a crawl');

/** The crawl that a verb is about. */
const crawl = { about: 'id of the crawl', read: crawlId } as const;
export const oneCrawl = { '<id>': crawl } as const;
/** If the verb takes another id as well. */
export const ofCrawl = { '<crawl>': crawl } as const;

/** A URL in any spelling. @throws CommandError if no crawl can have it */
export function crawlableUrl(text: string): string {
  const read = canonicalize(text.trim());
  if (read.ok) return text;
  throw new CommandError(
    `No crawl can have ${JSON.stringify(text)}: it ${rejectionSentence(read.rejected)}.`,
  );
}

export const commaSeparated = (text: string): string[] => text.split(',').map((part) => part.trim());

export function yesOrNo(text: string): boolean {
  if (text === 'yes' || text === 'no') return text === 'yes';
  throw new InvalidArgumentError('It must be yes or no.');
}
