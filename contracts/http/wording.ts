/**
 * What is wrong with an input, in words for the sender: the error map of every schema that reads input of people and
 * programs (`schema.safeParse(input, { error: inWords })`). A message that a schema has itself takes precedence. The
 * words follow a name and a colon: "maxPages: it must be a whole number".
 */
import { z } from 'zod';
import { nearName } from '../../domain/near-name.ts';

export const inWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'it is missing' : `it must be ${kindOf(issue.expected)}`;
    case 'too_small':
      return bound(issue.origin, issue.minimum, issue.inclusive === false ? 'more than' : 'at least');
    case 'too_big':
      return bound(issue.origin, issue.maximum, issue.inclusive === false ? 'less than' : 'at most');
    case 'not_multiple_of':
      return `it must be a multiple of ${String(issue.divisor)}`;
    case 'invalid_format':
      return `it must be ${formats[issue.format] ?? 'written differently'}`;
    case 'invalid_value':
      return issue.values.length === 1
        ? `it must be ${shown(issue.values[0])}`
        : `it must be one of ${issue.values.map(shown).join(', ')}`;
    case 'unrecognized_keys':
      return `there is no ${issue.keys.map((key) => named(key, issue.inst)).join(', no ')}`;
    case 'invalid_union':
      return alternatives(issue.errors);
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return 'it is not valid';
  }
};

/** With the field that may be meant: `"maxPage" (did you mean maxPages?)`. */
function named(key: string, schema: unknown): string {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const near = nearName(key, known, Math.min(3, Math.floor(key.length / 3)));
  return near === null ? JSON.stringify(key) : `${JSON.stringify(key)} (did you mean ${near}?)`;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};
const kindOf = (expected: string): string => kinds[expected] ?? 'of another type';

const formats: Readonly<Record<string, string>> = {
  datetime: 'an instant in UTC, such as 2031-01-01T00:00:00Z',
  date: 'a date such as 2031-01-31',
  url: 'a URL such as https://example.com/',
  uuid: 'a UUID',
  safeint: 'a whole number',
  cidrv4: 'a block of addresses such as 10.0.0.0/8',
  cidrv6: 'a block of addresses such as fd00::/8',
};

/** Inputs that have a size, with the word for their parts: singular, plural. */
const parts: Readonly<Record<string, readonly [string, string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  object: ['field', 'fields'],
};

function bound(origin: string, limit: number | bigint, than: string): string {
  const part = parts[origin];
  const number = limit.toLocaleString('en-US', { maximumFractionDigits: 6 });
  if (part === undefined) return `it must be ${than} ${number}`;
  if (than === 'at least' && limit === 1) return 'it must not be empty';
  return `it must have ${than} ${number} ${part[limit === 1 ? 0 : 1]}`;
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** What each alternative asks for first; what several ask for is named once. */
function alternatives(branches: readonly (readonly { readonly message: string }[])[]): string {
  const demands = new Set(branches.flatMap(([first]) => (first === undefined ? [] : [first.message])));
  return demands.size === 0 ? 'it is not valid' : [...demands].join(', or ');
}
