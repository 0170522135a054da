/**
 * Sitemaps and feeds in XML, on the tokenizer alone: no stack of open elements is kept, so nesting costs nothing. It tells
 * places in the whole text; a token may begin in the piece before the one it ends in, so two are kept.
 */
import { hash } from 'node:crypto';
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import type { Cut } from '../domain/limits.ts';
import { changeRates } from '../domain/recrawl/page-class.ts';
import { lastMoment, type SitemapFormat } from '../domain/sitemap-choice.ts';
import type { SitemapFaults } from '../domain/sitemap-faults.ts';
import { sitemapLimits } from '../domain/sitemap-limits.ts';
import { absolute, type EntryReader, type SitemapEntry } from './sitemap-entry.ts';

/** Characters of a text or an attribute kept; no URL that is crawled is as long. */
const maxText = 4_096;

/** By the local name of the outermost element. */
const formats: ReadonlyMap<string, SitemapFormat> = new Map([
  ['urlset', 'urlset'],
  ['sitemapindex', 'index'],
  ['rss', 'rss'],
  ['rdf', 'rss'],
  ['feed', 'atom'],
]);

/** What is read of an entry, by the local names of elements. `published` stands in for a date of change. */
const fields: Readonly<Record<SitemapFormat, ReadonlyMap<string, Field>>> = {
  urlset: byName({ loc: 'loc', lastmod: 'lastmod', changefreq: 'changefreq', priority: 'priority' }),
  index: byName({ loc: 'loc', lastmod: 'lastmod' }),
  rss: byName({ link: 'loc', guid: 'guid', pubdate: 'lastmod' }),
  atom: byName({ updated: 'lastmod', published: 'published' }),
  json: byName({}),
  text: byName({}),
  unknown: byName({ loc: 'loc', lastmod: 'lastmod', changefreq: 'changefreq', priority: 'priority' }),
};
type Field = 'loc' | 'guid' | 'lastmod' | 'published' | 'changefreq' | 'priority';

/** A map, for a file may name an element `constructor`. */
function byName(fieldsOf: Readonly<Record<string, Field>>): ReadonlyMap<string, Field> {
  return new Map(Object.entries(fieldsOf));
}

interface OpenEntry {
  readonly kind: SitemapEntry['kind'];
  readonly line: number;
  /** Of its elements, with the colon. */
  readonly prefix: string;
  readonly texts: Partial<Record<Field, string>>;
  /** Of references in it: `xml:base`, else that of what holds it. */
  base: string;
  /** The same page in other languages, or for other devices. */
  readonly alternates: string[];
  named: boolean;
  /** Text before its first element: some write `<sitemap>URL</sitemap>`. */
  bare: string;
  /** An element was met in it. */
  hasElements: boolean;
  /** Within what a sitemap says of an article for news. */
  isNews: boolean;
}

/** An element whose attributes are read. */
interface OpenedElement {
  /** Local name; `base`: one that holds entries, or is one. */
  readonly as: 'base' | 'link' | 'guid';
  readonly attributes: Record<string, string>;
}
/** Forms whose entries name their page in a `<loc>`. */
const hasLoc: ReadonlySet<SitemapFormat> = new Set(['urlset', 'index']);
const readAttributes: ReadonlySet<string> = new Set(['href', 'rel', 'xml:base', 'ispermalink']);

export class XmlSitemapReader implements EntryReader, TokenizerCallbacks {
  readonly #add: (entry: SitemapEntry) => void;
  readonly #faults: SitemapFaults;
  readonly #tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: true }, this);
  #last = '';
  #kept = '';
  /** Place of `#kept` in the whole text. */
  #keptFrom = 0;
  /** Line breaks are counted up to this place. */
  #countedTo = 0;
  #line = 1;
  /** The name of the outermost element; null: none was met. */
  #root: string | null = null;
  #rootClosed = false;
  #entry: OpenEntry | null = null;
  /** The element whose text is being read; null: none of interest. */
  #field: { readonly name: string; readonly as: Field; readonly line: number } | null = null;
  #text = '';
  /** The tag that is being read; null: of no interest. */
  #opened: OpenedElement | null = null;
  /** Of references outside entries. */
  #base: string;
  #attribute = '';
  /** Digests of the other languages' URLs that were given out: each of n pages may name all n. */
  readonly #alternates = new Set<string>();
  format: SitemapFormat = 'unknown';
  leftOut = 0;

  /** @param address of the file */
  constructor(add: (entry: SitemapEntry) => void, faults: SitemapFaults, address: string) {
    this.#add = add;
    this.#faults = faults;
    this.#base = address;
  }

  get line(): number {
    return this.#lineAt(this.#keptFrom + this.#kept.length);
  }

  write(text: string): void {
    const from = this.#keptFrom + this.#kept.length - this.#last.length;
    this.#lineAt(from);
    this.#keptFrom = from;
    this.#kept = this.#last + text;
    this.#last = text;
    this.#tokenizer.write(text);
  }

  end(whole: boolean): Cut {
    this.#tokenizer.end();
    this.#endEntry();
    if (this.#root !== null && this.format === 'unknown')
      this.#faults.add(1, 'no-sitemap', `<${this.#root}>`);
    const isTorn = whole && this.format !== 'unknown' && !this.#rootClosed;
    if (isTorn) this.#faults.add(this.line, 'breaks-off');
    return { brokenSitemaps: Number(isTorn) };
  }

  /** Places must not go back beyond the last one asked for. */
  #lineAt(place: number): number {
    const until = place - this.#keptFrom;
    for (let at = this.#countedTo - this.#keptFrom; ; this.#line++) {
      const next = this.#kept.indexOf('\n', at);
      if (next < 0 || next >= until) break;
      at = next + 1;
    }
    this.#countedTo = Math.max(this.#countedTo, place);
    return this.#line;
  }

  onopentagname(start: number, end: number): void {
    const name = this.#slice(start, end).toLowerCase();
    const colon = name.indexOf(':') + 1;
    const local = name.slice(colon);
    this.#opened = null;
    if (this.#root === null) {
      this.#root = name;
      this.format = formats.get(local) ?? 'unknown';
      this.#opened = { as: 'base', attributes: {} };
      return;
    }
    const kind = this.#kindOf(local);
    if (kind !== null) {
      this.#endEntry();
      this.#entry = this.#newEntry(kind, this.#lineAt(start), name.slice(0, colon), false);
      this.#opened = { as: 'base', attributes: {} };
      return;
    }
    if (this.#entry === null) {
      if (local === 'channel') this.#opened = { as: 'base', attributes: {} };
      return;
    }
    this.#entry.hasElements = true;
    if (local === 'news') this.#entry.isNews = true;
    if (local === 'link' && this.format !== 'rss') {
      this.#opened = { as: 'link', attributes: {} };
      return;
    }
    // `image:loc` and the like name pictures, not pages.
    const isOwn = colon === 0 || name.slice(0, colon) === this.#entry.prefix;
    const as = (isOwn ? fields[this.format].get(local) : undefined) ?? this.#foreignDate(name, local);
    if (as === undefined) return;
    this.#field = { name, as, line: this.#lineAt(start) };
    this.#text = '';
    if (as === 'guid') this.#opened = { as: 'guid', attributes: {} };
  }

  #newEntry(kind: SitemapEntry['kind'], line: number, prefix: string, named: boolean): OpenEntry {
    const base = this.#entry?.base ?? this.#base;
    const [bare, hasElements, isNews] = ['', false, false];
    return { kind, line, prefix, base, named, bare, hasElements, isNews, texts: {}, alternates: [] };
  }

  /** Dates of other vocabularies: sitemaps for news, and RSS 1.0. That of a film on a page is none of the page. */
  #foreignDate(name: string, local: string): Field | undefined {
    const isDate = name === 'dc:date' || (local === 'publication_date' && this.#entry?.isNews === true);
    return isDate ? 'published' : undefined;
  }

  #kindOf(local: string): SitemapEntry['kind'] | null {
    if (this.format === 'rss') return local === 'item' ? 'page' : null;
    if (this.format === 'atom') return local === 'entry' ? 'page' : null;
    if (local === 'sitemap') return 'sitemap';
    return local === 'url' ? 'page' : null;
  }

  /** Gives out the entry that is being read. */
  #endEntry(): void {
    const entry = this.#entry;
    this.#entry = null;
    this.#field = null;
    if (entry === null) return;
    const { kind, line, texts, alternates, base } = entry;
    const bare = entry.bare.trim();
    if (bare !== '') this.#faults.add(line, 'no-loc', bare);
    const written = [texts.loc, texts.guid, bare].find((text) => text !== undefined && text !== '');
    if (written === undefined) {
      if (!entry.named) this.#faults.add(line, 'no-url');
      return;
    }
    const loc = this.#addressOf(written, base);
    const { changefreq } = texts;
    const lastmod = texts.lastmod ?? texts.published;
    const dated = lastmod === undefined ? {} : { lastmod };
    this.#add({ kind, url: loc, line, ...dated, ...(changefreq !== undefined && { changefreq }) });
    if (kind === 'sitemap') return;
    for (const url of alternates) {
      const digest = hash('sha1', url, 'base64');
      if (url === loc || this.#alternates.has(digest)) continue;
      if (this.#alternates.size === sitemapLimits.entries) {
        this.leftOut++;
        continue;
      }
      this.#alternates.add(digest);
      this.#add({ kind, url, line, ...dated, isAlternate: true });
    }
  }

  /** References in feeds may be relative (RFC 4287 §2); sitemaps have none (content/sitemap.ts judges those). */
  #addressOf(reference: string, base: string): string {
    return this.format === 'atom' || this.format === 'rss' ? absolute(reference, base) : reference;
  }

  onselfclosingtag(): void {
    this.#endTag();
    if (this.#text === '') this.#field = null;
  }

  onopentagend(): void {
    this.#endTag();
  }

  #endTag(): void {
    const opened = this.#opened;
    this.#opened = null;
    if (opened === null) return;
    const { as, attributes } = opened;
    const outer = this.#entry?.base ?? this.#base;
    const base = URL.parse(attributes['xml:base']?.trim() ?? '', outer)?.href ?? outer;
    if (as === 'link') this.#endLink(attributes, base);
    else if (as === 'guid') {
      // What is no permalink is a name and no address (RSS 2.0, <guid>).
      if (attributes['ispermalink']?.trim().toLowerCase() === 'false') this.#field = null;
    } else if (this.#entry === null) this.#base = base;
    else this.#entry.base = base;
  }

  /** Atom names the page of an entry by a link; sitemaps name the same page in other languages by links. */
  #endLink(link: Readonly<Record<string, string>>, base: string): void {
    const href = link['href']?.trim() ?? '';
    if (this.#entry === null || href === '') return;
    const { rel = 'alternate' } = link;
    if (rel.toLowerCase() !== 'alternate') return;
    if (this.format === 'atom') this.#entry.texts.loc ??= this.#addressOf(href, base);
    else if (this.#entry.alternates.length < sitemapLimits.entries) this.#entry.alternates.push(href);
    else this.leftOut++;
  }

  onclosetag(start: number, end: number): void {
    const name = this.#slice(start, end).toLowerCase();
    if (name === this.#root) this.#rootClosed = true;
    const field = this.#field;
    if (field !== null && name === field.name) {
      this.#endField(field);
      return;
    }
    if (field !== null || this.#entry === null) return;
    if (name.slice(name.indexOf(':') + 1) === 'news') this.#entry.isNews = false;
    if (this.#kindOf(name.slice(name.indexOf(':') + 1)) !== null) this.#endEntry();
  }

  #endField({ as, line }: { readonly as: Field; readonly line: number }): void {
    this.#field = null;
    const text = this.#text.trim();
    if (this.#entry === null) return;
    if (as === 'loc' && this.#entry.texts.loc !== undefined) {
      // Two URLs in one entry are two entries to those who wrote it.
      const next = { ...this.#newEntry(this.#entry.kind, line, this.#entry.prefix, true), hasElements: true };
      this.#endEntry();
      this.#entry = next;
    }
    // A guid may be any text.
    if (text !== '' && (as !== 'guid' || /^https?:/i.test(text))) this.#entry.texts[as] = text;
    this.#checkHint(as, text, line);
  }

  #checkHint(as: Field, text: string, line: number): void {
    if (text === '') return;
    if (as === 'lastmod' || as === 'published') {
      if (lastMoment(text) === null) this.#faults.add(line, 'bad-date', text);
    } else if (as === 'changefreq') {
      if (!Object.hasOwn(changeRates, text.toLowerCase())) this.#faults.add(line, 'bad-frequency', text);
    } else if (as === 'priority') {
      const priority = Number(text);
      if (!(priority >= 0 && priority <= 1)) this.#faults.add(line, 'bad-priority', text);
    }
  }

  ontext(start: number, end: number): void {
    this.#addText(this.#slice(start, end));
  }

  #addText(text: string): void {
    const entry = this.#entry;
    if (this.#field !== null) {
      if (this.#text.length < maxText) this.#text += text;
    } else if (entry?.hasElements === false && entry.bare.length < maxText && hasLoc.has(this.format)) {
      entry.bare += text;
    }
  }

  oncdata(start: number, end: number, endOffset: number): void {
    this.ontext(start, end - endOffset);
  }

  ontextentity(codePoint: number): void {
    this.#addText(String.fromCodePoint(codePoint));
  }

  onattribname(start: number, end: number): void {
    if (this.#opened === null) return;
    this.#attribute = this.#slice(start, end).toLowerCase();
    this.#text = '';
  }

  onattribdata(start: number, end: number): void {
    if (this.#opened !== null && this.#text.length < maxText) this.#text += this.#slice(start, end);
  }

  onattribentity(codePoint: number): void {
    if (this.#opened !== null && this.#text.length < maxText) this.#text += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    const name = this.#attribute;
    if (this.#opened !== null && readAttributes.has(name)) this.#opened.attributes[name] = this.#text;
    this.#text = '';
  }

  /** Entities stand for more text, perhaps for gigabytes. */
  ondeclaration(start: number, end: number): void {
    if (/<!entity/i.test(this.#slice(start, end))) this.#faults.add(this.#lineAt(start), 'entities');
  }

  oncomment(): void {}
  onend(): void {}
  onprocessinginstruction(): void {}

  #slice(start: number, end: number): string {
    return this.#kept.slice(Math.max(0, start - this.#keptFrom), Math.max(0, end - this.#keptFrom));
  }
}
