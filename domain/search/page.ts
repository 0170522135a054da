/** A page as it is searched. */

export const searchLimits = {
  /** Characters of a text that are searched; words behind them are not found. */
  searched: 100_000,
  /** Characters that are kept for snippets. */
  shown: 8_000,
  title: 500,
  description: 1_000,
} as const;

/** The part of a text up to so many characters, without half of a surrogate pair. */
export const upTo = (text: string, characters: number): string =>
  text.length <= characters ? text : text.slice(0, characters).toWellFormed();

/** A piece of a snippet; `hit`: it is what was searched for. */
export interface SnippetPart {
  readonly text: string;
  readonly hit: boolean;
}

const [hitStart, hitEnd] = ['\u0002', '\u0003'];
/** The marks that an index puts around what it found. */
export const hitMarks = { start: hitStart, end: hitEnd } as const;

/** A text with marks around hits, in parts. Marks that do not come in pairs are left out. */
export function snippetOf(marked: string): SnippetPart[] {
  const parts: SnippetPart[] = [];
  const add = (text: string, hit: boolean): void => {
    if (text !== '') parts.push({ text, hit });
  };
  for (const [at, piece] of marked.split(hitStart).entries()) {
    const [hit = '', ...after] = at === 0 ? ['', piece] : piece.split(hitEnd);
    if (at > 0 && after.length === 0) add(hit, false);
    else add(hit, true);
    add(after.join('').replaceAll(hitEnd, ''), false);
  }
  return parts;
}
