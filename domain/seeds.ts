/** Seeds as they were asked for, judged line by line: a bad one is kept with its reason and stops no other (F01). */
import { canonicalize, type CanonicalUrl, type UrlRejection } from './url.ts';

export interface JudgedSeed {
  /** Place in the list, from 1. */
  readonly line: number;
  /** As given, without surrounding white space. */
  readonly url: string;
  /** Why it is no URL a crawl can have; null: it is one. */
  readonly rejected: UrlRejection | null;
  /** Null: it is no URL. */
  readonly canonical: CanonicalUrl | null;
}

/** Characters kept of a line that is no URL. */
const keptOfBadLine = 2_048;

/** A list as it is; of a text the URLs between its commas. */
export const seedEntries = (seeds: string | readonly string[]): readonly string[] =>
  typeof seeds === 'string' ? splitAtCommas(seeds) : seeds;

/**
 * @param seeds a list, or URLs with commas between them. Empty entries are left out, but count as lines
 * @param before lines that came before them
 */
export function judgeSeeds(seeds: string | readonly string[], before = 0): readonly JudgedSeed[] {
  return seedEntries(seeds).flatMap((entry, index): JudgedSeed[] => {
    const url = entry.trim();
    if (url === '') return [];
    const line = before + index + 1;
    const read = canonicalize(url);
    // Postgres text holds no NUL.
    const bad = url.slice(0, keptOfBadLine).replaceAll('\0', '\ufffd').toWellFormed();
    return read.ok
      ? [{ line, url: read.value.url, rejected: null, canonical: read.value }]
      : [{ line, url: bad, rejected: read.rejected, canonical: null }];
  });
}

/** URLs may hold commas: only a comma that is followed by a new absolute URL, or by nothing, separates. */
function splitAtCommas(text: string): readonly string[] {
  return text.split(/,(?=\s*(?:[a-z][a-z0-9+.-]*:\/\/|,|$))/i);
}

const sentences: Readonly<Record<UrlRejection, string>> = {
  'not-a-url': 'is not an absolute URL such as https://example.com/',
  scheme: 'is neither an http nor an https URL',
  'no-host': 'names no host',
  credentials: 'holds a user name or password, which are not stored',
  'too-long': 'is longer than 2,048 characters',
};

/** The predicate of a sentence whose subject is the URL. */
export const rejectionSentence = (rejected: UrlRejection): string => sentences[rejected];
