/** The plain-text form of a sitemap: one URL a line. */
import type { SitemapFaults } from '../domain/sitemap-faults.ts';
import type { EntryReader, SitemapEntry } from './sitemap-entry.ts';

/** Characters of a line kept; no URL that is crawled is as long. */
const maxLine = 8_192;

export function lineReader(add: (entry: SitemapEntry) => void, faults: SitemapFaults): EntryReader {
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
