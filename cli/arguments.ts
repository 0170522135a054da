/** How commander reads the arguments of verbs. @throws InvalidArgumentError; commander adds the option's name */
import { InvalidArgumentError } from 'commander';
import { pageFields, type PageField } from '../contracts/page-fields.ts';
import { capRateWords, isCapRate } from '../domain/caps.ts';

export function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${String(least)} on.`);
  };
}

/** Null: not a number, or one beyond all, which JSON would turn into "no limit". */
function decimal(text: string): number | null {
  const value = Number(text);
  return /^(\d+\.?\d*|\.\d+)$/.test(text) && Number.isFinite(value) ? value : null;
}

export function seconds(least: number, itself: boolean): (text: string) => number {
  return (text) => {
    const value = decimal(text);
    if (value !== null && (itself ? value >= least : value > least)) return value;
    throw new InvalidArgumentError(
      `It must be a number of seconds ${itself ? 'from' : 'above'} ${String(least)}.`,
    );
  };
}

/** Null: never. */
export const secondsOrNever = (text: string): number | null =>
  text === 'never' ? null : seconds(0, false)(text);

export function days(text: string): number {
  if (/^\d{1,5}(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number of days from 0.');
}

/** A day stands for its first moment in UTC; the API refuses what is no instant. */
export const givenDay = (text: string): string =>
  /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text;

/** The API decides how large the factor may be. */
export function factor(text: string): number {
  const value = decimal(text);
  if (value !== null && value > 0) return value;
  throw new InvalidArgumentError('It must be a number above 0.');
}

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
  const rate = decimal(text) ?? NaN;
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

export const crawlId = numberOfA('crawl');
export const tenantId = numberOfA('tenant');

function numberOfA(what: string): (text: string) => string {
  return (text) => {
    if (/^[1-9]\d{0,14}$/.test(text)) return text;
    throw new InvalidArgumentError(`It must be the number of a ${what}.`);
  };
}

export function versionNumber(text: string): string {
  if (/^[1-9]\d{0,8}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be the number of a version.');
}

export function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

export const commaSeparated = (text: string): string[] => text.split(',').map((part) => part.trim());

export function yesOrNo(text: string): boolean {
  if (text === 'yes' || text === 'no') return text === 'yes';
  throw new InvalidArgumentError('It must be yes or no.');
}
