/**
 * The text of an article that a page shows in part, as before a payment or until a script shows the rest, and tells whole
 * in its structured data. Of what the page shows anyway, or nearly so, the data say nothing new: then the page counts, with
 * its paragraphs and headings.
 */
import { readVisible } from './page-reader.ts';
import type { SchemaItem } from './schema-items.ts';
import { asMarkup, shellWords } from './state-text.ts';
import { countWords } from './words.ts';

/** So many times the words of the main text a told text must have, and what is more must be nowhere in the shown one. */
const leastRatio = 1.5;
/** Places of a told text that are looked for in the shown one, and letters of each. */
const places = 20;
const placeLength = 40;

export interface ToldBody {
  readonly text: string;
  readonly words: number;
  readonly leftOut: number;
}

/**
 * Null: the page tells no more than it shows. Several articles are those of a list.
 * @param text all that the page shows
 * @param mainWords words of the main text among it
 */
export function toldBody(items: readonly SchemaItem[], text: string, mainWords: number): ToldBody | null {
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
