/** How commander reads the arguments of verbs. @throws InvalidArgumentError; commander adds the option's name */
import { InvalidArgumentError } from 'commander';
import { capRateWords, isCapRate } from '../domain/caps.ts';

export function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${String(least)} on.`);
  };
}

export function seconds(least: number, itself: boolean): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^(\d+\.?\d*|\.\d+)$/.test(text) && (itself ? value >= least : value > least)) return value;
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

/** The API decides how large the factor may be. */
export function factor(text: string): number {
  if (/^(\d+\.?\d*|\.\d+)$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError('It must be a number above 0.');
}

/** The API decides which signals there are, and what their weights must sum to. */
export function weights(text: string): Record<string, number> {
  return Object.fromEntries(
    text.split(',').map((part): [string, number] => {
      const [, name, value] = /^\s*([a-z]+)\s*=\s*(-?[\d.]+)\s*$/.exec(part) ?? [];
      if (name !== undefined && Number.isFinite(Number(value))) return [name, Number(value)];
      throw new InvalidArgumentError('It must be weights, such as depth=0.5,inbound=0.5.');
    }),
  );
}

export function capRate(text: string): number {
  const rate = /^(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : NaN;
  if (isCapRate(rate)) return rate;
  throw new InvalidArgumentError(`It must be ${capRateWords}.`);
}

export function fieldList(text: string): ('links' | 'text')[] {
  return text.split(',').map((name) => {
    if (name === 'links' || name === 'text') return name;
    throw new InvalidArgumentError('The fields are links and text.');
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
