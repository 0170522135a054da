/**
 * Items of schema.org, cut down to what is stored with a page. The most telling properties are kept first: what the
 * item is, its price and availability, its identifiers, ratings, dates and authors. Then come what it offers and the
 * rest; lists of other items and long texts come last. The item names what was cut.
 */
import { storable } from './storable.ts';
import { isItem, mostItems, type SchemaItem, typesOf } from './schema-items.ts';

/** How deep items nest. Deeper values are left out. */
const deepest = 8;
/** Characters of all values and names that are kept of a page's items, about, and of one text. */
const longestItems = 6_000;
const longestText = 300;
const longestName = 100;
const mostEntries = 30;
/** Properties that are named as cut. */
const mostNamed = 20;

/** By the word that a name ends with; names are those of schema.org. */
const ranks: readonly (readonly [RegExp, number])[] = [
  [/^@(?:type|id)$|^(?:name|headline|url)$/, 0],
  [
    /^(?:sku|mpn|asin|isbn|issn|doi|gtin\d*|productID|identifier|serialNumber|availability|itemCondition|author|creator|brand|aggregateRating|validThrough|validFrom|duration|salary|baseSalary)$|(?:price|Price|priceCurrency|currency|Date|date\w*|Time|uploadDate|ratingValue|ratingCount|reviewCount|bestRating|worstRating|offerCount|Count)$/,
    0,
  ],
  [
    /^(?:offers|priceSpecification|publisher|location|hiringOrganization|jobLocation|address|geo|telephone|email)$/,
    1,
  ],
  [
    /^(?:reviews?|comments?|itemListElement|hasPart|isPartOf|isRelatedTo|isSimilarTo|mentions|hasVariant|associatedMedia|image|photo|video|potentialAction|description|abstract|sameAs|keywords|breadcrumb|subjectOf|about|hasOfferCatalog)$/,
    3,
  ],
];
const lastRank = 3;
const rankOf = (name: string): number =>
  name.length > longestName ? lastRank : (ranks.find(([names]) => names.test(name))?.[1] ?? 2);

/** The text of the page is read from its body again when somebody asks for it. */
const neverStored: ReadonlySet<string> = new Set(['articleBody', '@context', 'text']);

/** Properties whose texts are addresses. Those of microdata are absolute before (item-reader.ts); JSON-LD has them as written. */
const addressed =
  /^(?:@id|url|image|logo|photo|screenshot|thumbnail|sameAs|item|mainEntityOfPage|primaryImageOfPage)$|[a-z]Url$/;
/** What begins with the name of a scheme is absolute or a blank node; what has white space or braces is no address. */
const noReference = /^(?:[a-z][a-z\d+.-]*|_):|[\s{}]|^$/i;

export interface StoredItems {
  readonly items: SchemaItem[];
  /** Values left out or shortened, by where they stood, such as `Product.review`; at most twenty places. */
  readonly cut: Readonly<Record<string, number>>;
  readonly leftOut: number;
}

/** @param base of the page's addresses */
export function cutItems(items: readonly SchemaItem[], base: string): StoredItems {
  const cut = new Cut(base);
  const whole = items.slice(0, mostItems);
  cut.add('items', items.length - whole.length);
  const kept = whole.map((item) => ({
    item,
    type: typesOf(item)[0] ?? '',
    values: new Map<string, unknown>(),
  }));
  for (let rank = 0; rank <= lastRank; rank++)
    for (const { item, type, values } of kept)
      for (const [name, value] of Object.entries(item)) {
        // An item of which nothing is kept counts once.
        if (rankOf(name) !== rank || (cut.isFull && values.size === 0)) continue;
        const one = cut.property(type, name, value, 0);
        if (one !== undefined) values.set(name, one);
      }
  const stored = kept.flatMap(({ item, type, values }) => {
    if (values.size > 0) return [inOrder(item, values)];
    cut.add(type, 1);
    return [];
  });
  return { items: stored, cut: cut.named, leftOut: cut.leftOut };
}

/** The properties of an item as the page has them. */
function inOrder(item: SchemaItem, values: ReadonlyMap<string, unknown>): SchemaItem {
  const ordered: Record<string, unknown> = {};
  for (const name of Object.keys(item)) {
    const value = values.get(name);
    if (value !== undefined)
      Object.defineProperty(ordered, storable(name), {
        value,
        enumerable: true,
        writable: true,
        configurable: true,
      });
  }
  return ordered;
}

class Cut {
  #room = longestItems;
  readonly #named = new Map<string, number>();
  readonly #base: string;
  leftOut = 0;

  constructor(base: string) {
    this.#base = base;
  }

  get named(): Record<string, number> {
    return Object.fromEntries(this.#named);
  }

  get isFull(): boolean {
    return this.#room <= 0;
  }

  add(place: string, count: number): void {
    if (count <= 0) return;
    this.leftOut += count;
    const name = storable(place.slice(0, longestName));
    if (this.#named.has(name) || this.#named.size < mostNamed)
      this.#named.set(name, (this.#named.get(name) ?? 0) + count);
  }

  /** Undefined: nothing of it is kept. */
  property(type: string, name: string, value: unknown, depth: number): unknown {
    if (neverStored.has(name)) return undefined;
    const place = type === '' ? name : `${type}.${name}`;
    if (this.#room <= 0 || name.length > longestName) {
      this.add(place, Array.isArray(value) ? value.length : 1);
      return undefined;
    }
    this.#room -= name.length;
    return this.#value(place, value, depth + 1, addressed.test(name));
  }

  #value(place: string, value: unknown, depth: number, isAddress: boolean): unknown {
    // Its brackets or quotes: what is empty takes room too.
    this.#room -= 2;
    if (typeof value === 'string') {
      const text = isAddress && value.length <= longestText ? this.#absolute(value) : value;
      this.#room -= Math.min(text.length, longestText);
      if (text.length > longestText) this.add(place, 1);
      return storable(text.slice(0, longestText));
    }
    if (typeof value !== 'object' || value === null) {
      this.#room -= 4;
      return value;
    }
    if (depth > deepest) {
      this.add(place, 1);
      return undefined;
    }
    if (Array.isArray(value)) return this.#array(place, value, depth, isAddress);
    return isItem(value) ? this.#item(place, value, depth) : undefined;
  }

  #absolute(reference: string): string {
    return noReference.test(reference) ? reference : (URL.parse(reference, this.#base)?.href ?? reference);
  }

  #array(place: string, list: readonly unknown[], depth: number, isAddress: boolean): unknown[] {
    const kept: unknown[] = [];
    for (const [at, one] of list.entries()) {
      if (at >= mostEntries || this.#room <= 0) {
        this.add(place, list.length - at);
        break;
      }
      const value = this.#value(place, one, depth + 1, isAddress);
      if (value !== undefined) kept.push(value);
    }
    return kept;
  }

  #item(place: string, item: SchemaItem, depth: number): SchemaItem {
    const type = typesOf(item)[0] ?? place;
    const values = new Map<string, unknown>();
    const ranked = Object.entries(item).map(([name, value]) => ({ name, value, rank: rankOf(name) }));
    for (const { name, value } of ranked.toSorted((one, other) => one.rank - other.rank)) {
      const kept = this.property(type, name, value, depth);
      if (kept !== undefined) values.set(name, kept);
    }
    return inOrder(item, values);
  }
}
