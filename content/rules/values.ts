/** From what a page writes to a value of the type that a rule names. */
import type { FieldRule, FieldValue } from '../../contracts/page-rules.ts';
import { readDate } from '../dates.ts';
import { numberIn } from '../numbers.ts';

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
