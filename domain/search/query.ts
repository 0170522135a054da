/**
 * What people type into a search: words, "phrases in quotes", and -words or -"phrases" that must not be there. All words
 * and phrases must be there. Nothing else has a meaning, so that no text is refused for its syntax.
 */

export interface Term {
  /** A word, or the words of a phrase with a space between. */
  readonly text: string;
  readonly isPhrase: boolean;
  readonly isUnwanted: boolean;
}

/** Most terms of a query; further ones are left out. */
export const mostTerms = 32;

/** @returns no term that is wanted: there is nothing to search for */
export function readQuery(text: string): Term[] {
  const terms: Term[] = [];
  for (const [, minus, phrase, word] of text
    .replace(/[\0\\]/g, ' ')
    .matchAll(/((?<!\S)-)?(?:"([^"]*)"|"?([^\s"]+))/g)) {
    const words = (phrase ?? word?.replace(/^-+/, '') ?? '').trim().replace(/\s+/g, ' ');
    // A sign alone is no word.
    if (!/[\p{L}\p{N}]/u.test(words)) continue;
    terms.push({ text: words, isPhrase: phrase !== undefined, isUnwanted: minus === '-' });
    if (terms.length === mostTerms) break;
  }
  return terms;
}

/** The terms as they might have been typed, without anything else. */
export const writtenQuery = (terms: readonly Term[]): string =>
  terms
    .map(({ text, isPhrase, isUnwanted }) => `${isUnwanted ? '-' : ''}${isPhrase ? `"${text}"` : text}`)
    .join(' ');
