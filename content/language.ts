/** Tells the language of a text from groups of letters, with the author's declaration as a second opinion. */
import { LRUCache } from 'lru-cache';
import { ownCopy } from './own-copy.ts';

/** With fewer words no detector can be trusted. */
const ENOUGH_WORDS = 20;
/** The detector reads some 350 bytes; more text costs time and tells no more. */
const SAMPLE_CHARS = 600;
/** The first characters of a longer text are more often menus and headings than sentences. */
const SKIPPED_CHARS = 200;
/**
 * How far the best language must lead the second, on the detector's scale of 0 to 1; with a smaller lead the detector
 * mixes up close relatives.
 */
const CLEAR_LEAD = 0.01;

/**
 * If the detector has confirmed a site's declaration on so many pages in a row, the declaration is believed on most
 * pages, since detection is a fifth of the cost of reading a page.
 */
const PROVED_RIGHT = 8;
/** Then one page in eight is checked at first, half as many each time the pages double, and at least one in so many. */
const SELDOM_CHECKED = 64;

interface LanguageInput {
  readonly text: string;
  readonly words: number;
  /** The document's `lang` attribute; null: it has none. */
  readonly declared: string | null;
  /** The origin to which the page belongs. */
  readonly site: string;
}

/** ISO 639-1 code; null: the language cannot be told. */
export type LanguageTeller = (input: LanguageInput) => string | null;

/**
 * Loads the detector (1 MB, some 200 ms; once per process). The detector decides if the text is long enough and clear,
 * since templates often declare a language that the author never chose; otherwise the declaration is taken.
 */
export async function loadLanguageTeller(): Promise<LanguageTeller> {
  const { eld } = await import('eld/extrasmall');
  // Addresses, domains and part numbers have letters but no language.
  eld.enableTextCleanup(true);
  const detect = (text: string): string | null => {
    const result = eld.detect(sample(text));
    return result.isReliable() && isClear(result.getScores()) ? result.language : null;
  };
  const trust = new LRUCache<string, number>({ max: 10_000 });
  return ({ text, words, declared, site }) => {
    const said = declaredLanguage(declared);
    if (words < ENOUGH_WORDS) return said;
    const key = `${site} ${said ?? ''}`;
    const turn = trust.get(key) ?? 0;
    if (said !== null && !isChecked(turn)) {
      trust.set(key, turn + 1);
      return said;
    }
    const detected = detect(text);
    trust.set(key, detected === said ? turn + 1 : 0);
    return detected ?? said;
  };
}

/** @param turn pages of the site whose declaration was confirmed or believed, in a row */
function isChecked(turn: number): boolean {
  if (turn < PROVED_RIGHT) return true;
  const doubled = 2 ** Math.floor(Math.log2(turn));
  return turn % Math.min(doubled, SELDOM_CHECKED) === 0;
}

function sample(text: string): string {
  if (text.length <= SAMPLE_CHARS + SKIPPED_CHARS) return text.slice(0, SAMPLE_CHARS);
  return text.slice(SKIPPED_CHARS, SKIPPED_CHARS + SAMPLE_CHARS);
}

function isClear(scores: Readonly<Record<string, number>>): boolean {
  const [best = 0, second = 0] = Object.values(scores).sort((a, b) => b - a);
  return best - second >= CLEAR_LEAD;
}

const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** The two-letter code of a BCP 47 tag (`en-GB`, `eng`); null: the tag is made up, or has no such code. */
function declaredLanguage(tag: string | null): string | null {
  if (tag === null) return null;
  const known = codes.get(tag);
  if (known !== undefined) return known === '' ? null : known;
  const code = codeOf(tag);
  if (tag.length <= LONGEST_TAG) codes.set(ownCopy(tag), code ?? '');
  return code;
}

/** Characters; longer tags are told anew each time. */
const LONGEST_TAG = 100;
/** Codes by tag; '' stands for none. The web uses a few hundred tags, a hostile site any number. */
const codes = new LRUCache<string, string>({ max: 1_000 });

function codeOf(tag: string): string | null {
  try {
    const { language } = new Intl.Locale(tag.trim().replaceAll('_', '-'));
    return /^[a-z]{2}$/.test(language) && names.of(language) !== undefined ? language : null;
  } catch {
    return null;
  }
}
