/** The text of a page and its main text: of its markup, of data for scripts if that is a shell, or of what rules keep. */
import type { KeptParts, Repeated, RuledPage } from '../contracts/extraction.ts';
import { composed } from './folded-text.ts';
import { splitText, withoutBlocks } from './main-text.ts';
import { type PageReader, readVisible } from './page-reader.ts';
import { findRepeated, type LeftOut } from './repeated.ts';
import type { SchemaItem } from './schema-items.ts';
import { shellWords, textOfState, asMarkup } from './state-text.ts';
import { countWords } from './words.ts';

export interface Texts {
  readonly text: string;
  /** The text without what is repeated. */
  readonly shown: string;
  readonly main: string;
  readonly words: number;
  readonly mainWords: number;
  /** The text, or some of it, comes from data for scripts. */
  readonly fromState: boolean;
  /** All of it does: there is nothing of the page in it. */
  readonly isShell: boolean;
  readonly leftOut: number;
  /** Null: nothing of the page is repeated. */
  readonly repeated: LeftOut | null;
  /** Does a place in the text, as it was read, belong to the main text? */
  readonly isMain: (at: number) => boolean;
}

export const noneRepeated: Repeated = new Set();

/** The texts of what the rules keep, and what they were read from; null: they keep the whole page. */
export function keptTexts(
  ruled: RuledPage | null,
  whole: Texts,
  items: readonly SchemaItem[],
  repeated: Repeated,
): { readonly texts: Texts; readonly page: PageReader } | null {
  const parts: KeptParts | null = ruled?.parts ?? null;
  // The text of a shell is found in data for scripts, of which no selector could choose a part.
  if (parts === null || (whole.isShell && !parts.chosen)) return null;
  const page = readVisible(parts.markup, parts.xhtml);
  const read = splitTexts(page, [], repeated);
  if (!parts.chosen) return { texts: withToldBody(read, items), page };
  const mainWords = read.words - (read.repeated?.words ?? 0);
  return { texts: { ...read, main: read.shown, mainWords, isMain: () => true }, page };
}

export function textsOfPage(page: PageReader, items: readonly SchemaItem[], repeated: Repeated): Texts {
  const read = splitTexts(page, items, repeated);
  const { words } = read;
  if (words < shellWords) {
    const state = textOfState(items, page.marks.states);
    if (state !== null) {
      const inner = readVisible(state, false);
      const found = inner.text.finish();
      const foundWords = countWords(found);
      if (foundWords > words) {
        const { leftOut } = inner.text;
        return {
          text: found,
          shown: found,
          main: found,
          words: foundWords,
          mainWords: foundWords,
          fromState: true,
          isShell: true,
          leftOut,
          repeated: null,
          isMain: () => false,
        };
      }
    }
  }
  return withToldBody(read, items);
}

/** What the data tell beyond what is shown becomes the main text, and stands behind the rest of the text. */
function withToldBody(read: Texts, items: readonly SchemaItem[]): Texts {
  const told = read.words < shellWords ? null : toldBody(items, read.text, read.mainWords);
  if (told === null) return read;
  const [text, shown] = [read.text, read.shown].map((part) => `${part}\n${told.text}`) as [string, string];
  return {
    ...read,
    text,
    shown,
    main: told.text,
    words: read.words + told.words,
    mainWords: told.words,
    fromState: true,
    leftOut: read.leftOut + told.leftOut,
  };
}

function splitTexts(page: PageReader, items: readonly SchemaItem[], repeated: Repeated): Texts {
  const raw = page.text.raw;
  const text = page.text.finish();
  const words = countWords(text);
  const { all } = page.blocks;
  const found = findRepeated(raw, all, repeated);
  const { main: chosen, rest, isMain } = splitText(raw, page.blocks, found?.is, page.evidence(items));
  // Parts of a text that is well-formed and NFC are so too.
  const even = (part: string): string => (raw === text ? part : composed(part));
  const main = even(chosen);
  const shown = found === null ? text : even(withoutBlocks(raw, all, found.is));
  // No word spans two blocks, so the shorter part is counted.
  const mainWords = rest.length < main.length ? words - countWords(rest) : countWords(main);
  const { leftOut } = page.text;
  return {
    text,
    shown,
    main,
    words,
    mainWords,
    fromState: false,
    isShell: false,
    leftOut,
    isMain,
    repeated: found?.leftOut ?? null,
  };
}

/** So many times the words of the main text a told text must have, and what is more must be nowhere in the shown one. */
const leastRatio = 1.5;
/** Places of a told text that are looked for in the shown one, and letters of each. */
const places = 20;
const placeLength = 40;

interface ToldBody {
  readonly text: string;
  readonly words: number;
  readonly leftOut: number;
}

/**
 * The text of an article that a page shows in part, as before a payment or until a script shows the rest, and tells whole
 * in its structured data. Null: the page tells no more than it shows, or nearly so, and its paragraphs and headings count.
 * Several articles are those of a list.
 * @param text all that the page shows
 * @param mainWords words of the main text among it
 */
function toldBody(items: readonly SchemaItem[], text: string, mainWords: number): ToldBody | null {
  const bodies = new Set(
    items.flatMap(({ articleBody }) => (typeof articleBody === 'string' ? [articleBody] : [])),
  );
  const [body] = bodies;
  // Each word has a letter, and one of the spaces before it.
  if (bodies.size !== 1 || body === undefined || body.length < mainWords * leastRatio) return null;
  const { text: folded } = readVisible(asMarkup(body), false);
  const told = folded.finish();
  const words = countWords(told);
  const isMore = words >= Math.max(shellWords, mainWords * leastRatio);
  if (!isMore || words * unseenShare(told, text) < mainWords * (leastRatio - 1)) return null;
  return { text: told, words, leftOut: folded.leftOut };
}

/** Told by letters and digits alone, since data and pages differ in quotes, spaces and signs of notes. */
function unseenShare(told: string, text: string): number {
  const [wanted, shown] = [lettersOf(told), lettersOf(text)];
  const step = Math.max(1, Math.floor((wanted.length - placeLength) / places));
  let [looked, unseen] = [0, 0];
  for (let at = 0; looked < places && at + placeLength <= wanted.length; at += step) {
    looked++;
    if (!shown.includes(wanted.slice(at, at + placeLength))) unseen++;
  }
  return looked === 0 ? 0 : unseen / looked;
}

const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '');
