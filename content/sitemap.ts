/**
 * Sitemaps (sitemaps.org protocol 0.9): a urlset's pages and an index's further sitemaps; also the plain-text form, one
 * URL a line. A `.gz` file is unpacked. Read in pieces, by a tokenizer in XML mode: no entity, nesting or packing can
 * blow it up, and a file of 50 MB neither stands in memory nor holds the process up.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import { constants, createGunzip, gunzipSync } from 'node:zlib';
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { cutBy, type Cut } from '../domain/limits.ts';
import { sitemapLimits } from '../domain/sitemap-limits.ts';

export interface SitemapEntry {
  readonly kind: 'page' | 'sitemap';
  /** As written, white space trimmed; not checked to be a URL. */
  readonly url: string;
  /** As written, if hints are asked for and the entry has them. */
  readonly lastmod?: string;
  readonly changefreq?: string;
}

/** What is read of an entry besides its URL, if hints are asked for. */
const hintNames = ['lastmod', 'changefreq'] as const;
type HintName = (typeof hintNames)[number];
type OpenEntry = Pick<SitemapEntry, 'kind' | 'url'> & { [N in HintName]?: string };

const chunk = 64 * 1024;
/** Entries given out at a time. */
const batch = 2_000;
/** Characters of an entry or a line kept; no URL that is crawled is as long. */
const maxEntry = 4_096;

/** Bytes that tell what a file is. */
const toldBytes = 2_048;
const rootElement =
  /^(?:\ufeff|\s|<\?(?:(?!\?>)[^])*\?>|<!--(?:(?!-->)[^])*-->)*<(?:[\w.-]+:)?(?:urlset|sitemapindex)[\s>/]/;

/** Does it begin as a sitemap in XML does, packed or not? The plain-text form is told by nothing. */
export function looksLikeSitemap(body: Uint8Array): boolean {
  const head = body.subarray(0, toldBytes);
  const isPacked = head[0] === 0x1f && head[1] === 0x8b;
  try {
    const bytes = isPacked ? gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH }) : head;
    return rootElement.test(new TextDecoder().decode(bytes.subarray(0, toldBytes)));
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

interface EntryReader {
  write(text: string): void;
  end(): void;
}

/**
 * The entries in their order, some thousands at a time; what could be read where it breaks off. In the end, what was left
 * out: entries beyond the limit are counted to the end of the file. Never throws for what a body holds.
 * @param hints also read when pages were modified and how often they change
 */
export async function* readSitemap(body: Uint8Array, hints = false): AsyncGenerator<SitemapEntry[], Cut> {
  let found: SitemapEntry[] = [];
  let count = 0;
  let reader: EntryReader | null = null;
  const add = (entry: SitemapEntry): void => {
    if (++count <= sitemapLimits.entries) found.push(entry);
  };
  const text = texts(body);
  for (;;) {
    const next = await text.next();
    if (next.done === true) {
      reader?.end();
      if (found.length > 0) yield found;
      return cutBy(next.value, { sitemapEntries: count - sitemapLimits.entries });
    }
    // Nothing but a mark and white space: what it is shows later.
    if (reader === null && /^[\ufeff\s]*$/.test(next.value)) continue;
    reader ??= /^[\ufeff\s]*</.test(next.value) ? new XmlReader(add, hints) : lineReader(add);
    reader.write(next.value);
    if (found.length >= batch) {
      yield found;
      found = [];
    }
  }
}

/** The file's text in pieces, with the event loop's turn between them. */
async function* texts(body: Uint8Array): AsyncGenerator<string, Cut> {
  const decoder = new TextDecoder();
  let bytes = 0;
  try {
    for await (const piece of body[0] === 0x1f && body[1] === 0x8b ? unpacked(body) : pieces(body)) {
      const room = sitemapLimits.bytes - bytes;
      bytes += piece.length;
      if (piece.length > room) {
        yield decoder.decode(piece.subarray(0, room));
        return { sitemapBytes: 1 };
      }
      yield decoder.decode(piece, { stream: true });
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error) return { brokenSitemaps: 1 };
    throw error;
  }
  yield decoder.decode();
  return {};
}

async function* pieces(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += chunk) {
    yield body.subarray(at, at + chunk);
    await breathe();
  }
}

function unpacked(body: Uint8Array): AsyncIterable<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: chunk });
  gunzip.end(body);
  return gunzip;
}

/**
 * On the tokenizer alone: no stack of open elements is kept, so nesting costs nothing. It tells places in the whole
 * text; a token may begin in the piece before the one it ends in, so two are kept.
 */
class XmlReader implements EntryReader, TokenizerCallbacks {
  readonly #add: (entry: SitemapEntry) => void;
  readonly #tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: true }, this);
  #last = '';
  #kept = '';
  /** Place of `#kept` in the whole text. */
  #keptFrom = 0;
  #within: SitemapEntry['kind'] | null = null;
  /** The element whose text is being read; null: none of interest. */
  #field: 'loc' | HintName | null = null;
  #text = '';
  /** Hints of the entry, whether they come before its URL or after it, and the entry once its URL is known. */
  #hints: { [N in HintName]?: string } = {};
  #entry: OpenEntry | null = null;
  readonly #wantsHints: boolean;

  constructor(add: (entry: SitemapEntry) => void, wantsHints: boolean) {
    this.#add = add;
    this.#wantsHints = wantsHints;
  }

  write(text: string): void {
    this.#keptFrom += this.#kept.length - this.#last.length;
    this.#kept = this.#last + text;
    this.#last = text;
    this.#tokenizer.write(text);
  }

  end(): void {
    this.#tokenizer.end();
  }

  onopentagname(start: number, end: number): void {
    const name = this.#slice(start, end).toLowerCase();
    const local = name.slice(name.indexOf(':') + 1);
    if (local === 'url') this.#begin('page');
    else if (local === 'sitemap') this.#begin('sitemap');
    // `image:loc` and the like name pictures, not pages.
    else if (this.#within !== null && (name === 'loc' || (this.#wantsHints && isHint(name)))) {
      this.#field = name;
      this.#text = '';
    }
  }

  #begin(kind: SitemapEntry['kind']): void {
    this.#within = kind;
    this.#hints = {};
    this.#entry = null;
  }

  onselfclosingtag(): void {
    if (this.#text === '') this.#field = null;
  }

  onclosetag(start: number, end: number): void {
    const field = this.#field;
    if (field === null || this.#slice(start, end).toLowerCase() !== field) return;
    const text = this.#text.trim();
    if (field !== 'loc') {
      this.#hints[field] = text;
      if (this.#entry !== null) this.#entry[field] = text;
    } else if (this.#within !== null) {
      this.#entry = { kind: this.#within, url: text, ...this.#hints };
      this.#add(this.#entry);
    }
    this.#field = null;
  }

  ontext(start: number, end: number): void {
    if (this.#field !== null && this.#text.length < maxEntry) this.#text += this.#slice(start, end);
  }

  oncdata(start: number, end: number, endOffset: number): void {
    this.ontext(start, end - endOffset);
  }

  ontextentity(codePoint: number): void {
    if (this.#field !== null && this.#text.length < maxEntry) this.#text += String.fromCodePoint(codePoint);
  }

  onattribdata(): void {}
  onattribentity(): void {}
  onattribend(): void {}
  onattribname(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onopentagend(): void {}
  onprocessinginstruction(): void {}

  #slice(start: number, end: number): string {
    return this.#kept.slice(Math.max(0, start - this.#keptFrom), Math.max(0, end - this.#keptFrom));
  }
}

const isHint = (name: string): name is HintName => (hintNames as readonly string[]).includes(name);

function lineReader(add: (entry: SitemapEntry) => void): EntryReader {
  let rest = '';
  const line = (text: string): void => {
    const url = text.replace(/^\ufeff/, '').trim();
    if (/^https?:\/\//i.test(url)) add({ kind: 'page', url });
  };
  return {
    write: (text) => {
      const lines = (rest + text).split(/\r\n|\n|\r/);
      // A line that goes on and on is none: enough of it is kept to see that.
      rest = (lines.pop() ?? '').slice(0, 2 * maxEntry);
      lines.forEach(line);
    },
    end: () => {
      line(rest);
    },
  };
}
