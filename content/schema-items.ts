/** Items of schema.org in a page's JSON-LD. */
import { readLooseJson } from '../domain/loose-json.ts';

/** An item as JSON-LD writes it: `@type`, and properties by name. */
export type SchemaItem = Readonly<Record<string, unknown>>;

/** Items of one page; more are counted as left out. */
export const mostItems = 100;
/** Entries of one array whose texts are looked at. */
const mostTexts = 30;

export interface JsonLd {
  /** Those of arrays and of `@graph` stand by themselves. */
  readonly items: SchemaItem[];
  /** False: the script is not JSON, or not all of it. */
  readonly isWhole: boolean;
}

/** The items of a JSON-LD script, however it was written. */
export function readJsonLd(source: string): JsonLd {
  const items: SchemaItem[] = [];
  const gather = (value: unknown, depth: number): void => {
    if (depth > 3) return;
    if (Array.isArray(value)) for (const item of value) gather(item, depth + 1);
    else if (isItem(value)) {
      if ('@graph' in value) gather(value['@graph'], depth + 1);
      if ('@type' in value) items.push(value);
    }
  };
  const { values, isWhole } = readLooseJson(source);
  for (const value of values) gather(value, 0);
  return { items, isWhole };
}

export function isItem(value: unknown): value is SchemaItem {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `https://schema.org/NewsArticle` and `schema:NewsArticle` are `NewsArticle`. */
export const localName = (name: string): string => name.replace(/^.*[/#:]/, '');

/** Last part of the item's types: `https://schema.org/NewsArticle` is `NewsArticle`. */
export function typesOf(item: SchemaItem): string[] {
  const type = item['@type'];
  const all: unknown[] = Array.isArray(type) ? type : [type];
  return all.flatMap((one) => (typeof one === 'string' ? [localName(one)] : []));
}

/** Is one of the item's types such a one? */
export const hasType = (item: SchemaItem, types: RegExp): boolean =>
  typesOf(item).some((type) => types.test(type));

/** Texts of a property, whether it is one value or many, names of items among them. */
export function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value))
    return value.slice(0, mostTexts).flatMap((one) => (Array.isArray(one) ? [] : textsOf(one)));
  return isItem(value) && typeof value['name'] === 'string' ? [value['name']] : [];
}
