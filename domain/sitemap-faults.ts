/** What is wrong with a sitemap, by line. Whatever can be read of it is read all the same. */

const phrases = {
  empty: 'the file is empty',
  'no-sitemap': 'this is no sitemap and no feed',
  'broken-packing': 'the packed file breaks off or is damaged',
  'breaks-off': 'the file ends within its outermost element',
  encoding: 'the encoding that it declares is not known; it is read as UTF-8',
  entities: 'it declares entities, which are not read',
  'too-large': 'the file is larger than 50 MB (a JSON feed: 4 MB); the rest is not read',
  'too-many': 'this entry and those after it are over the limit of 50,000',
  'no-url': 'the entry has no URL',
  'no-loc': 'the URL stands in no <loc>; it is read all the same',
  'bad-url': 'not a URL that can be crawled',
  'relative-url': 'the URL is not absolute; it is read as relative to the sitemap',
  itself: 'the sitemap names itself',
  'bad-date': 'not a date',
  'bad-frequency': 'not a frequency of changes',
  'bad-priority': 'not a priority from 0 to 1',
} as const;
export type SitemapFaultKind = keyof typeof phrases;
export const sitemapFaultKinds = Object.keys(phrases) as SitemapFaultKind[];

export interface SitemapFault {
  /** From 1; of an unpacked file. */
  readonly line: number;
  readonly kind: SitemapFaultKind;
  /** What stands there, cut; empty: the kind says it all. */
  readonly found: string;
}

/** Such as `not a date: yesterday`. */
export const faultText = ({ kind, found }: Omit<SitemapFault, 'line'>): string =>
  found === '' ? phrases[kind] : `${phrases[kind]}: ${found}`;

/** Faults of a sitemap that are kept; all are counted. */
const mostKept = 20;
/** Characters of what stands there. */
const mostFound = 120;

export class SitemapFaults {
  readonly #kept: SitemapFault[] = [];
  #count = 0;

  add(line: number, kind: SitemapFaultKind, found = ''): void {
    this.#count++;
    if (this.#kept.length === mostKept) return;
    // Postgres text holds no NUL, and JSON in it no half of a surrogate pair.
    this.#kept.push({ line, kind, found: found.slice(0, mostFound).replaceAll('\0', '').toWellFormed() });
  }

  get count(): number {
    return this.#count;
  }

  /** Some of them, in the order of their lines. */
  get kept(): SitemapFault[] {
    return this.#kept.toSorted((one, other) => one.line - other.line);
  }
}
