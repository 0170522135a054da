/** Telling the language of a text from its letter groups, with the author's own word as a second opinion. */

/** Words below which no detector can be trusted. */
const ENOUGH_WORDS = 20;
/** The detector reads some 350 bytes; more text costs without telling more. */
const SAMPLE_CHARS = 600;
/** In longer texts the first characters are menus and headings more often than sentences. */
const SKIPPED_CHARS = 200;
/** Lead over the runner-up, on the detector's scale of 0 to 1, below which close relatives are mixed up. */
const CLEAR_LEAD = 0.01;

interface LanguageInput {
  readonly text: string;
  readonly words: number;
  /** The document's `lang` attribute, or null. */
  readonly declared: string | null;
}

/** ISO 639-1 code, or null where it cannot be told. */
export type LanguageTeller = (input: LanguageInput) => string | null;

/**
 * Loads the detector (1 MB, some 200 ms; once per process). The text decides where it is long enough and clear,
 * since templates often declare a language the author never chose; else the declaration is taken.
 */
export async function loadLanguageTeller(): Promise<LanguageTeller> {
  const { eld } = await import('eld/extrasmall');
  // Addresses, domains and part numbers have letters but no language.
  eld.enableTextCleanup(true);
  return ({ text, words, declared }) => {
    if (words >= ENOUGH_WORDS) {
      const result = eld.detect(sample(text));
      if (result.isReliable() && isClear(result.getScores())) return result.language;
    }
    return declaredLanguage(declared);
  };
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

/** The two-letter code of a BCP 47 tag (`en-GB`, `eng`), or null for made-up ones. */
function declaredLanguage(tag: string | null): string | null {
  if (tag === null) return null;
  try {
    const { language } = new Intl.Locale(tag.trim().replaceAll('_', '-'));
    return /^[a-z]{2}$/.test(language) && names.of(language) !== undefined ? language : null;
  } catch {
    return null;
  }
}
