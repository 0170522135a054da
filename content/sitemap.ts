/**
 * Sitemaps (sitemaps.org protocol 0.9): a urlset's pages with their other languages, and an index's further sitemaps;
 * also RSS, Atom, JSON Feed, and the plain-text form, one URL a line. A `.gz` file is unpacked. A file is read in
 * pieces, by a tokenizer in XML mode. So entities, nesting and packing cannot blow it up, and a file of 50 MB neither
 * fills the memory nor keeps the process from other work.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import { TextDecoder } from 'node:util';
import { constants, createGunzip, gunzipSync } from 'node:zlib';
import { cutBy, type Cut } from '../domain/limits.ts';
import type { SitemapFormat } from '../domain/sitemap-choice.ts';
import type { SitemapFaults } from '../domain/sitemap-faults.ts';
import { sitemapLimits } from '../domain/sitemap-limits.ts';
import type { EntryReader, SitemapEntry } from './sitemap-entry.ts';
import { jsonFeedReader } from './sitemap-json.ts';
import { XmlSitemapReader } from './sitemap-xml.ts';

interface SitemapEnd {
  readonly format: SitemapFormat;
  readonly cut: Cut;
}

const chunk = 64 * 1024;
/** Entries given out at a time. */
const batch = 2_000;

/** Bytes that tell what a file is. */
const toldBytes = 2_048;
const rootElement =
  /^(?:\ufeff|\s|<\?(?:(?!\?>)[^])*\?>|<!--(?:(?!-->)[^])*-->)*<(?:(?:[\w.-]+:)?(?:urlset|sitemapindex)[\s>/]|rss[\s>]|feed\s[^>]*http:\/\/www\.w3\.org\/2005\/Atom|rdf:RDF\s[^>]*http:\/\/purl\.org\/rss\/)/;

/** JSON Feed 1.1, "version": it should stand first. */
const isJsonFeed = (text: string): boolean =>
  /^[\ufeff\s]*\{[^]*"version"\s*:\s*"https?:\\?\/\\?\/(?:www\.)?jsonfeed\.org\\?\/version/i.test(text);

/** Does it begin as a sitemap in XML or a feed does, packed or not? The plain-text form is told by nothing. */
export function looksLikeSitemap(body: Uint8Array): boolean {
  const head = body.subarray(0, toldBytes);
  try {
    const bytes = isPacked(head) ? gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH }) : head;
    const start = bytes.subarray(0, toldBytes);
    const text = decoderFor(start).decoder.decode(start);
    return rootElement.test(text) || isJsonFeed(text);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

const isPacked = (body: Uint8Array): boolean => body[0] === 0x1f && body[1] === 0x8b;

/**
 * The entries in their order, some thousands at a time; what could be read where it breaks off. In the end, what kind of
 * file it is and what was left out: entries beyond the limit are counted to the end of the file. Never throws for what a
 * body holds.
 * @param faults gets what is wrong with the file
 * @param address of the file, for relative references in feeds
 */
export async function* readSitemap(
  body: Uint8Array,
  faults: SitemapFaults,
  address: string,
): AsyncGenerator<SitemapEntry[], SitemapEnd> {
  let found: SitemapEntry[] = [];
  let count = 0;
  let reader: EntryReader | null = null;
  const add = (entry: SitemapEntry): void => {
    if (entry.isAlternate === true || ++count <= sitemapLimits.entries) found.push(entry);
    else if (count === sitemapLimits.entries + 1) faults.add(entry.line, 'too-many');
  };
  /** White space before anything else. */
  let lead = '';
  const text = texts(body, faults);
  for (;;) {
    const next = await text.next();
    if (next.done === true) {
      const { cut, fault } = next.value;
      if (fault !== undefined) faults.add(reader?.line ?? 1, fault);
      const unread = reader?.end(fault === undefined) ?? {};
      if (reader === null && fault === undefined) faults.add(1, 'empty');
      if (found.length > 0) yield found;
      return {
        format: reader?.format ?? 'unknown',
        cut: cutBy(
          cut,
          unread,
          { sitemapEntries: count - sitemapLimits.entries },
          { sitemapEntries: reader?.leftOut ?? 0 },
        ),
      };
    }
    if (reader === null) {
      // Nothing but a mark and white space: what it is shows later.
      if (/^[\ufeff\s]*$/.test(next.value)) {
        lead += next.value.replace(/[^\n]/g, '');
        continue;
      }
      if (/^[\ufeff\s]*</.test(next.value)) reader = new XmlSitemapReader(add, faults, address);
      else if (isJsonFeed(next.value.slice(0, toldBytes))) reader = jsonFeedReader(add, faults, address);
      else reader = lineReader(add, faults);
      if (lead !== '') reader.write(lead);
    }
    reader.write(next.value);
    if (found.length >= batch) {
      yield found;
      found = [];
    }
  }
}

interface TextEnd {
  readonly cut: Cut;
  readonly fault?: 'too-large' | 'broken-packing';
}

/** The file's text in pieces, with the event loop's turn between them. */
async function* texts(body: Uint8Array, faults: SitemapFaults): AsyncGenerator<string, TextEnd> {
  let decoder: TextDecoder | null = null;
  let bytes = 0;
  try {
    for await (const piece of isPacked(body) ? unpacked(body) : pieces(body)) {
      if (decoder === null) {
        const told = decoderFor(piece);
        ({ decoder } = told);
        if (told.unknown !== null) faults.add(1, 'encoding', told.unknown);
      }
      const room = sitemapLimits.bytes - bytes;
      bytes += piece.length;
      if (piece.length > room) {
        yield decoder.decode(piece.subarray(0, room));
        return { cut: { sitemapBytes: 1 }, fault: 'too-large' };
      }
      yield decoder.decode(piece, { stream: true });
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error)
      return { cut: { brokenSitemaps: 1 }, fault: 'broken-packing' };
    throw error;
  }
  if (decoder !== null) yield decoder.decode();
  return { cut: {} };
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

const declaration = /^\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([\w.:-]{1,40})["']/;

/**
 * The encoding of a sitemap: UTF-8 by the protocol; its mark or its XML declaration may say otherwise.
 * @returns unknown: the declared encoding, if nobody knows it
 */
function decoderFor(start: Uint8Array): {
  readonly decoder: TextDecoder;
  readonly unknown: string | null;
} {
  const marked = wideEncoding(start);
  if (marked !== null) return { decoder: new TextDecoder(marked), unknown: null };
  const head = Buffer.from(start.buffer, start.byteOffset, Math.min(start.length, 200)).toString('latin1');
  const declared = declaration.exec(head.replace(/^\xef\xbb\xbf/, ''))?.[1] ?? 'utf-8';
  // What could be read as ASCII so far is not in UTF-16, whatever it says of itself.
  if (/^utf-?(?:16|32)|^ucs-?[24]|^utf-?8$/i.test(declared))
    return { decoder: new TextDecoder(), unknown: null };
  try {
    return { decoder: new TextDecoder(declared), unknown: null };
  } catch (error) {
    if (error instanceof RangeError) return { decoder: new TextDecoder(), unknown: declared };
    throw error;
  }
}

/** UTF-16 by its mark, or by the zeros around the first `<`. */
function wideEncoding([first, second, third, fourth]: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0x3c && second === 0 && fourth === 0) return 'utf-16le';
  if (first === 0 && second === 0x3c && third === 0) return 'utf-16be';
  return null;
}

/** Characters of a line kept; no URL that is crawled is as long. */
const maxLine = 8_192;

/** The plain-text form of a sitemap: one URL a line. */
function lineReader(add: (entry: SitemapEntry) => void, faults: SitemapFaults): EntryReader {
  let rest = '';
  let line = 0;
  let urls = 0;
  const read = (text: string): void => {
    line++;
    const url = text.replace(/^\ufeff/, '').trim();
    if (/^https?:\/\//i.test(url)) {
      urls++;
      add({ kind: 'page', url, line });
    } else if (url !== '') faults.add(line, 'bad-url', url);
  };
  return {
    get format() {
      return urls > 0 ? ('text' as const) : ('unknown' as const);
    },
    get line() {
      return line + 1;
    },
    leftOut: 0,
    write: (text) => {
      const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
      // A line that goes on and on is none: enough of it is kept to see that.
      rest = (lines.pop() ?? '').slice(0, maxLine);
      lines.forEach(read);
    },
    end: () => {
      if (rest !== '') read(rest);
      return {};
    },
  };
}
