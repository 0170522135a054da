/** JSON Feed 1.1 (jsonfeed.org): the pages of its items. */
import type { Cut } from '../domain/limits.ts';
import type { SitemapFaults } from '../domain/sitemap-faults.ts';
import { absolute, type EntryReader, type SitemapEntry } from './sitemap-entry.ts';

/** Characters read: a feed is parsed at once, a million in some 10 ms. */
const mostCharacters = 4_000_000;

/** An entry has no line of its own. @param address of the file: references may be relative to it */
export function jsonFeedReader(
  add: (entry: SitemapEntry) => void,
  faults: SitemapFaults,
  address: string,
): EntryReader {
  let text = '';
  let length = 0;
  return {
    format: 'json',
    line: 1,
    leftOut: 0,
    write: (piece) => {
      length += piece.length;
      if (length <= mostCharacters) text += piece;
    },
    end: (): Cut => {
      if (length > mostCharacters) {
        faults.add(1, 'too-large');
        return { sitemapBytes: 1 };
      }
      const items = itemsOf(text);
      if (items === null) {
        faults.add(1, 'breaks-off');
        return { brokenSitemaps: 1 };
      }
      for (const item of items) {
        const url = textOf(item, 'url') ?? textOf(item, 'external_url');
        const lastmod = textOf(item, 'date_modified') ?? textOf(item, 'date_published');
        if (url === undefined) faults.add(1, 'no-url');
        else
          add({
            kind: 'page',
            url: absolute(url, address),
            line: 1,
            ...(lastmod !== undefined && { lastmod }),
          });
      }
      return {};
    },
  };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Null: it is no JSON, or has no list of items. */
function itemsOf(text: string): readonly unknown[] | null {
  try {
    const feed: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    return isObject(feed) && Array.isArray(feed['items']) ? feed['items'] : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function textOf(item: unknown, name: string): string | undefined {
  const value = isObject(item) ? item[name] : undefined;
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
