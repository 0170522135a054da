/** Numbers as people write them, in any digits. */
import { asciiDigits } from './digits.ts';

/** Signs that part groups of three digits in any language, besides the point or the comma. */
const spaces = "\\u0020\\u00a0\\u2009\\u202f'’";
const shapes = { '.': shapeOf('.', ','), ',': shapeOf(',', '.') };
export type Decimal = keyof typeof shapes;

/**
 * A sign where it cannot stand by the rule stands as in the other half of the world: in 1.299,50 the point parts groups,
 * and in 4,5 the comma comes before the decimals, whichever of them the rule names. 1.299 is read as the rule says.
 */
function shapeOf(decimal: string, other: string): RegExp {
  const minus = `(?:(?<![\\p{L}\\d])([-−–])\\s?)?`;
  const swapped = `(?<swapped>[1-9]\\d{0,2}(?:[${decimal}]\\d{3})+)[${other}](?<swappedRest>\\d+)`;
  const usual = `(?<whole>[1-9]\\d{0,2}(?:[${spaces}${other}]\\d{3})+(?!\\d)|\\d+)(?:[${decimal}${other}](?<rest>\\d+))?`;
  const small = `(?<![\\p{L}\\d])[${decimal}](?<small>\\d+)`;
  return new RegExp(`${minus}(?:${swapped}|${usual}|${small})`, 'u');
}

/** Digits of a number that is read; nobody counts with more. */
const mostDigits = 40;

/** The first number in a text, such as 1299.5 of `from $1,299.50 a month`. Undefined: there is none. */
export function numberIn(text: string, decimal: Decimal): number | undefined {
  const found = shapes[decimal].exec(inAscii(text));
  if (found === null) return undefined;
  const { swapped, swappedRest, whole = swapped ?? '0', rest, small } = found.groups ?? {};
  const digits = whole.replaceAll(/\D/g, '');
  const fraction = rest ?? swappedRest ?? small ?? '0';
  if (digits.length + fraction.length > mostDigits) return undefined;
  const number = Number(`${digits}.${fraction}`);
  return found[1] === undefined || number === 0 ? number : -number;
}

/** Digits of other scripts, and the signs of Arabic between them. */
function inAscii(text: string): string {
  if (!/[^\P{Nd}\d]/u.test(text)) return text;
  return asciiDigits(text).replaceAll('٬', "'").replaceAll('٫', '.');
}

const known = new Map<string, Decimal>();
const mostKnown = 500;

/** The sign before decimals in a language, as BCP 47 names it; where it has none or is not known, the point. */
export function decimalOf(language: string | null): Decimal {
  const tag = (language ?? '').replaceAll('_', '-').trim().slice(0, 35).toLowerCase();
  const found = known.get(tag);
  if (found !== undefined) return found;
  let decimal: Decimal = '.';
  try {
    const parts = new Intl.NumberFormat(tag === '' ? 'en' : tag).formatToParts(1.5);
    if (parts.some(({ type, value }) => type === 'decimal' && value === ',')) decimal = ',';
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  if (known.size < mostKnown) known.set(tag, decimal);
  return decimal;
}
