/**
 * Reads what a folder of HTML files says when it is served as it is, without any code of the product: plain patterns
 * suffice for pages that one program has made.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface FilePage {
  readonly title: string;
  /** Absolute http(s) URLs without fragments; the page's own URL is left out. */
  readonly links: ReadonlySet<string>;
}

export interface FileSite {
  /** By URL: all pages to which the start leads. */
  readonly pages: ReadonlyMap<string, FilePage>;
  /** URLs of this site to which a page links although they have no file. */
  readonly broken: ReadonlySet<string>;
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const decoded = (text: string): string =>
  text.replace(/&(#x?)?(\w+);/g, (whole, numeric: string | undefined, name: string) =>
    numeric === undefined
      ? (named[name] ?? whole)
      : String.fromCodePoint(parseInt(name, numeric === '#' ? 10 : 16)),
  );

export const folded = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Targets of `<a href>`, and of `<link>` to the next and the previous page. */
function hrefsIn(html: string): string[] {
  const tags = [...html.matchAll(/<(a|link)\s([^>]*)>/g)].filter(
    ([, name, attributes = '']) => name === 'a' || /\brel="(?:next|prev)"/.test(attributes),
  );
  return tags.flatMap(([, , attributes = '']) => {
    const href = /(?:^|\s)href="([^"]*)"/.exec(attributes)?.[1];
    return href === undefined ? [] : [decoded(href)];
  });
}

function readPage(html: string, url: string): FilePage {
  const links = new Set<string>();
  for (const href of hrefsIn(html)) {
    const link = new URL(href, url);
    link.hash = '';
    if (link.protocol.startsWith('http') && link.href !== url) links.add(link.href);
  }
  return { title: folded(decoded(/<title>([^<]*)<\/title>/.exec(html)?.[1] ?? '')), links };
}

/** Walks the files from `start`, a URL below `origin`; `folder` holds the files of `origin`. */
export function walkFiles(folder: string, origin: string, start: string): FileSite {
  const pages = new Map<string, FilePage>();
  const broken = new Set<string>();
  const met = new Set([start]);
  for (const url of met) {
    const file = path.join(folder, decodeURIComponent(new URL(url).pathname));
    if (!existsSync(file)) {
      broken.add(url);
      continue;
    }
    const page = readPage(readFileSync(file, 'utf8'), url);
    pages.set(url, page);
    for (const link of page.links) if (new URL(link).origin === origin) met.add(link);
  }
  return { pages, broken };
}
