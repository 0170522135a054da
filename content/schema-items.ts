/** Items of schema.org in a page's JSON-LD, and all items cut down to what is worth storing with a page. */

/** An item as JSON-LD writes it: `@type`, and properties by name. */
export type SchemaItem = Readonly<Record<string, unknown>>;

/** Items of one page; more are counted as left out. */
export const mostItems = 100;
/** How deep items nest. Deeper values are left out. */
const deepest = 8;
/** Characters of all values and names that are kept of a page's items, about, and of one text. */
const longestItems = 6_000;
const longestText = 300;
const mostEntries = 30;

/** The items of a JSON-LD script: those of arrays and of `@graph` stand by themselves. Null: it is not JSON. */
export function readJsonLd(source: string): SchemaItem[] | null {
  const found: SchemaItem[] = [];
  const gather = (value: unknown, depth: number): void => {
    if (depth > 3) return;
    if (Array.isArray(value)) for (const item of value) gather(item, depth + 1);
    else if (isItem(value)) {
      if ('@graph' in value) gather(value['@graph'], depth + 1);
      if ('@type' in value) found.push(value);
    }
  };
  const value = parseLoosely(source);
  if (value === undefined) return null;
  gather(value, 0);
  return found;
}

/** Line breaks within strings, and wrappings of CDATA or comments, are common faults. */
function parseLoosely(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    const mended = source
      .replace(/^\s*(?:\/\*\s*)?(?:<!\[CDATA\[|<!--)(?:\s*\*\/)?/, '')
      .replace(/(?:\/\*\s*)?(?:\]\]>|-->)(?:\s*\*\/)?[\s;]*$/, '')
      .replace(/[\t\n\r]/g, ' ')
      .trimEnd()
      .replace(/;$/, '');
    try {
      return JSON.parse(mended);
    } catch {
      return undefined;
    }
  }
}

export function isItem(value: unknown): value is SchemaItem {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Last part of the item's types: `https://schema.org/NewsArticle` is `NewsArticle`. */
export function typesOf(item: SchemaItem): string[] {
  const type = item['@type'];
  const all: unknown[] = Array.isArray(type) ? type : [type];
  return all.flatMap((one) => (typeof one === 'string' ? [one.replace(/^.*[/#:]/, '')] : []));
}

export interface Pruned {
  readonly items: SchemaItem[];
  /** Values left out or shortened. */
  readonly leftOut: number;
}

/** What is stored: texts shortened, `articleBody` left out, and so much in all. */
export function prune(items: readonly SchemaItem[]): Pruned {
  let room = longestItems;
  let leftOut = 0;
  const pruned = (value: unknown, depth: number): unknown => {
    // Its brackets or quotes: what is empty takes room too.
    room -= 2;
    if (typeof value === 'string') {
      room -= Math.min(value.length, longestText);
      if (value.length > longestText) leftOut++;
      return storable(value.slice(0, longestText));
    }
    if (typeof value !== 'object' || value === null) {
      room -= 4;
      return value;
    }
    if (depth > deepest) {
      leftOut++;
      return undefined;
    }
    if (Array.isArray(value)) {
      leftOut += Math.max(0, value.length - mostEntries);
      return value.slice(0, mostEntries).flatMap((one) => {
        const kept = room > 0 ? pruned(one, depth + 1) : undefined;
        if (room <= 0) leftOut++;
        return kept === undefined ? [] : [kept];
      });
    }
    const kept: Record<string, unknown> = {};
    for (const [name, inner] of Object.entries(value)) {
      // The text of the page is read from its body again when somebody asks for it.
      if (name === 'articleBody' || name === '@context' || name === 'text') continue;
      if (room <= 0 || name.length > 100) {
        leftOut++;
        continue;
      }
      room -= name.length;
      const one = pruned(inner, depth + 1);
      if (one !== undefined) kept[storable(name)] = one;
    }
    return kept;
  };
  const kept: SchemaItem[] = [];
  for (const item of items.slice(0, mostItems)) {
    const one = room > 0 ? pruned(item, 0) : undefined;
    if (isItem(one)) kept.push(one);
    else leftOut++;
  }
  return { items: kept, leftOut: leftOut + Math.max(0, items.length - mostItems) };
}

/** Postgres refuses NUL and halves of surrogate pairs. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '');

/** Texts of a property, whether it is one value or many, names of items among them. */
export function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value))
    return value.slice(0, mostEntries).flatMap((one) => (Array.isArray(one) ? [] : textsOf(one)));
  return isItem(value) && typeof value['name'] === 'string' ? [value['name']] : [];
}
