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
const mostAuthors = 10;
const longestAuthor = 100;
/** Characters of scripts that are kept: JSON-LD is read at the end of the page. */
const longestScripts = 512 * 1_024;

const publishedNames: ReadonlySet<string> = new Set(
  `article:published_time og:published_time og:article:published_time article:published article.published
  article:publicationdate datepublished date_published date-published datecreated date dc.date dc.date.issued
  dc.date.created dc.created dc.issued dcterms.date dcterms.created dcterms.issued publish_date publishdate publish-date
  published_date publisheddate publication_date publicationdate pubdate published parsely-pub-date sailthru.date
  citation_publication_date citation_date citation_online_date originalpublicationdate release_date creation_date created
  bt:pubdate cxenseparse:recs:publishtime rnews:datepublished prism.publicationdate article_date_original
  article:post_date wp:date dateposted date_posted displaydate`.split(/\s+/),
);
const modifiedNames: ReadonlySet<string> = new Set(
  `article:modified_time og:updated_time og:modified_time og:article:modified_time article:updated_time article:modified
  article.updated datemodified date_modified date-modified dc.date.modified dc.modified dcterms.modified lastmod
  last-modified last_modified lastmodified modified modified_time modificationdate revised updated_time updated
  date_updated dateupdated rnews:datemodified utime`.split(/\s+/),
);
const authorNames: ReadonlySet<string> = new Set([
  ...['author', 'article:author', 'dc.creator', 'dcterms.creator', 'parsely-author', 'sailthru.author'],
  ...['citation_author', 'article:author:name', 'byl', 'book:author'],
]);
/** Names that declare the language of a page whose elements do not. */
const languageNames: ReadonlySet<string> = new Set(
  'content-language language dc.language dcterms.language inlanguage og:locale'.split(' '),
);
const graphName = /^(?:og|article|book|profile|video|music|product|twitter):./;
const feedTypes: ReadonlySet<string> = new Set([
  ...['application/rss+xml', 'application/atom+xml', 'application/feed+json', 'application/rdf+xml'],
]);

export class MetaReader {
  readonly published: string[] = [];
  readonly modified: string[] = [];
  readonly authors: string[] = [];
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
    if (publishedNames.has(name)) this.published.push(content.slice(0, 100));
    else if (modifiedNames.has(name)) this.modified.push(content.slice(0, 100));
    else if (authorNames.has(name)) this.author(content);
    else if (languageNames.has(name)) this.language ??= content.slice(0, 100);
    if (graphName.test(name)) this.#addProperty(name, content);
  }

  #addProperty(name: string, content: string): void {
    if (this.#graph.size >= mostProperties || this.#graphRoom <= 0 || name.length > 100) {
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

  /** A name as a page writes it: `By Jane Doe`, an address, several names. */
  author(raw: string): void {
    if (raw.length > 300 || /^\s*https?:/i.test(raw)) return;
    const line =
      foldLine(raw, 300)?.text.replace(/^(?:written\s+)?(?:by|von|par|por|di|door|av|af)[:\s]+/i, '') ?? '';
    for (const part of line.split(/\s*[,;|]\s*|\s+(?:and|und|et|y|&)\s+/i)) {
      const name = part.trim();
      if (
        name === '' ||
        name.length > longestAuthor ||
        !/\p{L}{2}/u.test(name) ||
        this.authors.includes(name)
      )
        continue;
      if (this.authors.length < mostAuthors) this.authors.push(name);
      else this.leftOut++;
    }
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

  /** Of the items, what is stored. */
  stored(items: readonly SchemaItem[]): StoredItems {
    const stored = cutItems(items);
    this.leftOut += stored.leftOut;
    return stored;
  }
}
