/** From what a page writes to a value of the type that a rule names. */
import type { FieldRule, FieldValue } from '../../contracts/page-rules.ts';
import { readDate } from '../dates.ts';

/** How the text of a value is read. Undefined: it is none of the type. */
export function readValue(
  text: string,
  { type, decimal = '.' }: Pick<FieldRule, 'type' | 'decimal'>,
  resolve: (href: string) => string | null,
): Exclude<FieldValue, null> | undefined {
  switch (type) {
    case 'text':
      return text;
    case 'boolean':
      return !/^(?:false|no|off|0)$/i.test(text);
    case 'number':
      return numberIn(text, decimal);
    case 'integer': {
      const number = numberIn(text, decimal);
      return Number.isSafeInteger(number) ? number : undefined;
    }
    case 'date':
      return readDate(text) ?? undefined;
    case 'url':
      return resolve(text) ?? undefined;
  }
}

/** Signs that part groups of three digits in any language, besides the point or the comma. */
const spaces = "\\u0020\\u00a0\\u2009\\u202f'’";
const shapes = { '.': shapeOf('.', ','), ',': shapeOf(',', '.') };

/**
 * A sign where it cannot stand by the rule stands as in the other half of the world: in 1.299,50 the point parts groups,
 * and in 4,5 the comma comes before the decimals, whichever of them the rule names. 1.299 is read as the rule says.
 */
function shapeOf(decimal: string, other: string): RegExp {
  const minus = `(?:(?<![\\p{L}\\d])([-−–])\\s?)?`;
  const swapped = `(?<swapped>\\d{1,3}(?:[${decimal}]\\d{3})+)[${other}](?<swappedRest>\\d+)`;
  const usual = `(?<whole>\\d{1,3}(?:[${spaces}${other}]\\d{3})+(?!\\d)|\\d+)(?:[${decimal}${other}](?<rest>\\d+))?`;
  const small = `(?<![\\p{L}\\d])[${decimal}](?<small>\\d+)`;
  return new RegExp(`${minus}(?:${swapped}|${usual}|${small})`, 'u');
}

/** Digits of a number that is read; nobody counts with more. */
const mostDigits = 40;

/** The first number in a text, such as 1299.5 of `from $1,299.50 a month`. Undefined: there is none. */
function numberIn(text: string, decimal: '.' | ','): number | undefined {
  const found = shapes[decimal].exec(text);
  if (found === null) return undefined;
  const { swapped, swappedRest, whole = swapped ?? '0', rest, small } = found.groups ?? {};
  const digits = whole.replaceAll(/\D/g, '');
  const fraction = rest ?? swappedRest ?? small ?? '0';
  if (digits.length + fraction.length > mostDigits) return undefined;
  const number = Number(`${digits}.${fraction}`);
  return found[1] === undefined || number === 0 ? number : -number;
}
