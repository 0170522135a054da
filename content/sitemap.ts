/**
 * Sitemaps (sitemaps.org protocol 0.9): a urlset's pages and an index's further sitemaps; also the plain-text form, one
 * URL a line. A `.gz` file is unpacked. Read by a SAX parser in XML mode: no entity or nesting can blow it up.
 */
import { gunzipSync } from 'node:zlib';
import { Parser } from 'htmlparser2';

export interface Sitemap {
  /** As written, white space trimmed; not checked to be URLs. At most 50,000 together, as the protocol allows. */
  readonly pages: readonly string[];
  readonly sitemaps: readonly string[];
}

const maxEntries = 50_000;
/** The protocol's limit on an unpacked sitemap. */
const maxBytes = 50 * 1024 * 1024;
const chunk = 64 * 1024;

/** Never throws for what a body holds; what cannot be read has no entries. */
export function readSitemap(body: Uint8Array): Sitemap {
  const text = unpacked(body);
  if (text === null) return { pages: [], sitemaps: [] };
  return /^\s*(?:\ufeff)?\s*</.test(text.slice(0, 1_000)) ? readXml(text) : readLines(text);
}

function unpacked(body: Uint8Array): string | null {
  const packed = body[0] === 0x1f && body[1] === 0x8b;
  if (!packed) return new TextDecoder().decode(body);
  try {
    return new TextDecoder().decode(gunzipSync(body, { maxOutputLength: maxBytes }));
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

function readXml(text: string): Sitemap {
  const pages: string[] = [];
  const sitemaps: string[] = [];
  let within: string[] | null = null;
  let loc: string | null = null;
  const parser = new Parser(
    {
      onopentagname(name) {
        const local = name.slice(name.indexOf(':') + 1).toLowerCase();
        if (local === 'url') within = pages;
        else if (local === 'sitemap') within = sitemaps;
        // `image:loc` and the like name pictures, not pages.
        else if (name.toLowerCase() === 'loc' && within !== null) loc = '';
      },
      ontext(data) {
        if (loc !== null && loc.length < 4_096) loc += data;
      },
      onclosetag(name) {
        if (loc === null || name.toLowerCase() !== 'loc') return;
        if (pages.length + sitemaps.length < maxEntries) within?.push(loc.trim());
        loc = null;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  for (let at = 0; at < text.length && pages.length + sitemaps.length < maxEntries; at += chunk) {
    parser.write(text.slice(at, at + chunk));
  }
  parser.end();
  return { pages, sitemaps };
}

function readLines(text: string): Sitemap {
  const lines = text.split(/\r?\n/, maxEntries).map((line) => line.trim());
  return { pages: lines.filter((line) => /^https?:\/\//i.test(line)), sitemaps: [] };
}
