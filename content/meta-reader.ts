/** Gathers what the head of a page and its structured data say, while the page is read. */
import type { PageMeta } from '../contracts/http/page-meta.ts';
import { maxUrlLength } from '../domain/url.ts';
import { foldLine, type FoldedLine } from './folded-text.ts';
import type { ItemReader } from './item-reader.ts';
import { cutItems, type StoredItems } from './schema-cut.ts';
import { mostItems, readJsonLd, type SchemaItem } from './schema-items.ts';

type OpenGraph = NonNullable<PageMeta['openGraph']>;
type Feed = NonNullable<PageMeta['feeds']>[number];

/** Properties of Open Graph and its relatives that are kept, all their characters, and those of one. */
const mostProperties = 60;
const longestProperties = 5_000;
const longestProperty = 500;
const longestDescription = 2_000;
const mostFeeds = 10;
/** A longer name of a <meta> is none that is known. */
const longestName = 100;
/** Values of one kind that are kept as they are written, and characters of one. */
const mostValues = 30;
const longestValue = 300;
/** Characters of scripts that are kept: JSON-LD is read at the end of the page. */
const longestScripts = 512 * 1_024;

/** Words of a date in the names of meta elements; those of other dates come first. */
const otherDate =
  /expir|event|valid|unavail|birth|copyright|start|end(?:-|_|\b|date|time)|archiv|valid|music|book|review/;
const modifiedName = /modif|updat|revis|lastmod|last-?_?(?:edit|change|publish)|^utime$/;
const publishedName =
  /(?:publish|publicati|issu|post|creat|release|display|original|online|submitted|regist)\w*[-_.:]?(?:date|time|on|at)$|pub-?_?date|(?:^|[.:_-])(?:pdate|ptime|published|issued|date[-_.]?(?:publi|creat|post|issu|submit)\w*)$/;
const someDate =
  /(?:^|[.:_-])(?:date|created|timestamp|time|gentime)$|^(?:articledate|docdate|doc_date|displaydate|news_date)$/;
/** What a date of such a name is of. */
const dateNamed = (name: string): 'published' | 'modified' | 'dated' | null =>
  otherDate.test(name)
    ? null
    : modifiedName.test(name)
      ? 'modified'
      : publishedName.test(name)
        ? 'published'
        : someDate.test(name)
          ? 'dated'
          : null;
/** `citation_author` and its like: one name each, the family name first where there is a comma. */
const citedName =
  /^(?:citation_authors?|bepress_citation_author|eprints\.creators_name|dcterms\.creator|dc\.creator|dc\.contributor\.author)$/;
const authorName =
  /(?:^|[.:_-])(?:author|authors|author[-_.:]?name|byl|creator|article[-_]?author|newsauthor)$/;
const otherAuthor = /^(?:twitter|book|fb|profile|music|video):|url|link|email|image/;
const siteName =
  /^(?:og:site_name|application-name|apple-mobile-web-app-title|al:(?:ios|android):app_name|publisher|dc\.publisher|dcterms\.publisher|citation_publisher|copyright)$/;
/** Names that declare the language of a page whose elements do not. */
const languageNames: ReadonlySet<string> = new Set(
  'content-language language dc.language dcterms.language inlanguage og:locale'.split(' '),
);
const graphName = /^(?:og|article|book|profile|video|music|product|twitter):./;
const feedTypes: ReadonlySet<string> = new Set([
  'application/rss+xml',
  'application/atom+xml',
  'application/feed+json',
  'application/rdf+xml',
]);

export class MetaReader {
  /** Dates as written: those of publication, those that do not say of what, those of changes. */
  readonly published: string[] = [];
  readonly dated: string[] = [];
  readonly modified: string[] = [];
  /** Names of authors as written; `cited` are those of one person each. */
  readonly authors: string[] = [];
  readonly cited: string[] = [];
  readonly siteNames: string[] = [];
  /** As written. */
  language: string | null = null;
  #ownDescription: FoldedLine | null = null;
  #sharedDescription: FoldedLine | null = null;
  /** As written. */
  readonly #feeds: { readonly href: string; readonly type: string; readonly title: string }[] = [];
  /** Properties as they came. */
  readonly #graph = new Map<string, string | string[]>();
  #graphRoom = longestProperties;
  readonly #scripts: string[] = [];
  #scriptRoom = longestScripts;
  leftOut = 0;

  /** The page's own description, else the one meant for sharing. */
  get description(): FoldedLine | null {
    return this.#ownDescription ?? this.#sharedDescription;
  }

  /** @param name lower-case */
  meta(name: string, content: string): void {
    if (name === '' || content === '') return;
    if (name === 'description') this.#ownDescription ??= foldLine(content, longestDescription);
    else if (name === 'og:description') this.#sharedDescription ??= foldLine(content, longestDescription);
    const list = this.#listOf(name);
    if (list !== null && list.length < mostValues) list.push(content.slice(0, longestValue));
    if (languageNames.has(name)) this.language ??= content.slice(0, 100);
    if (graphName.test(name)) this.#addProperty(name, content);
  }

  #listOf(name: string): string[] | null {
    if (name.length > longestName) return null;
    if (citedName.test(name)) return this.cited;
    if (authorName.test(name) && !otherAuthor.test(name)) return this.authors;
    if (siteName.test(name)) return this.siteNames;
    const date = dateNamed(name);
    return date === null ? null : this[date];
  }

  #addProperty(name: string, content: string): void {
    if (this.#graph.size >= mostProperties || this.#graphRoom <= 0 || name.length > longestName) {
      this.leftOut++;
      return;
    }
    const line = foldLine(content, longestProperty);
    if (line === null) return;
    if (line.leftOut > 0) this.leftOut++;
    this.#graphRoom -= name.length + line.text.length;
    const known = this.#graph.get(name);
    if (known === undefined) this.#graph.set(name, line.text);
    else if (typeof known === 'string') this.#graph.set(name, [known, line.text]);
    else known.push(line.text);
  }

  link(relations: readonly string[], attributes: ReadonlyMap<string, string>): void {
    const type = (attributes.get('type') ?? '').trim().toLowerCase();
    const href = attributes.get('href');
    if (href === undefined || !feedTypes.has(type)) return;
    if (!relations.includes('alternate') && !relations.includes('feed')) return;
    if (this.#feeds.length < mostFeeds && href.length < 2_048) {
      this.#feeds.push({ href, type, title: attributes.get('title') ?? '' });
    } else this.leftOut++;
  }

  /** A script of JSON-LD, whole. */
  script(text: string): void {
    this.#scriptRoom -= text.length;
    if (this.#scriptRoom >= 0) this.#scripts.push(text);
    else this.leftOut++;
  }

  feeds(resolve: (href: string) => string | null): Feed[] {
    return this.#feeds.flatMap(({ href, type, title }) => {
      const url = resolve(href);
      const line = foldLine(title, 200);
      // A base, and letters that are written as %XX, may make nine times as much of it.
      if (url !== null && url.length > maxUrlLength) {
        this.leftOut++;
        return [];
      }
      return url === null ? [] : [{ url, type, ...(line !== null && { title: line.text }) }];
    });
  }

  get openGraph(): OpenGraph | null {
    return this.#graph.size === 0 ? null : Object.fromEntries(this.#graph);
  }

  /**
   * All items of the page, whole.
   * @param base of its addresses
   */
  schema(reader: ItemReader | null, base: URL): SchemaItem[] {
    const found: SchemaItem[] = [];
    for (const script of this.#scripts) {
      const { items, isWhole } = readJsonLd(script);
      if (!isWhole) this.leftOut++;
      for (const item of items)
        if (found.length < mostItems) found.push(item);
        else this.leftOut++;
    }
    reader?.end(base);
    return reader === null ? found : [...found, ...reader.items];
  }

  /** Of the items, what is stored. @param base of the page's addresses */
  stored(items: readonly SchemaItem[], base: string): StoredItems {
    const stored = cutItems(items, base);
    this.leftOut += stored.leftOut;
    return stored;
  }
}
