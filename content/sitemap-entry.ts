/** What the readers of sitemaps in their forms have in common. */
import type { Cut } from '../domain/limits.ts';
import type { SitemapFormat } from '../domain/sitemap-choice.ts';

export interface SitemapEntry {
  readonly kind: 'page' | 'sitemap';
  /** As written, white space trimmed; not checked to be a URL. */
  readonly url: string;
  /** Where the entry begins in the unpacked file, from 1. */
  readonly line: number;
  /** As written, if the entry has them. */
  readonly lastmod?: string;
  readonly changefreq?: string;
  /** The page of another entry in another language, or for another device. */
  readonly isAlternate?: true;
}

export interface EntryReader {
  readonly format: SitemapFormat;
  /** Of what has been read so far. */
  readonly line: number;
  /** Entries that were left out as too many. */
  readonly leftOut: number;
  write(text: string): void;
  /** @param whole false: the file goes on beyond what was read. @returns what of it could not be read */
  end(whole: boolean): Cut;
}

/** A reference of a feed, made absolute where it is none; what cannot be is left as it is. */
export const absolute = (reference: string, base: string): string =>
  URL.canParse(reference) ? reference : (URL.parse(reference, base)?.href ?? reference);
