/**
 * What of a page's text tells whether the page is new: two prints of its set of words, and a sample of the words. One
 * pass over the text: some ten microseconds for a page of a thousand words.
 */
import { endsInToken, slugWords } from './shape.ts';

/** A text of fewer words says too little by itself to call two pages the same. */
export const wordsThatTell = 20;
/** Characters that are read of a text. */
const mostCharacters = 64 * 1024;
/** One word in so many is in the sample, chosen by its hash: the same word on every page. */
const sampled = 8;
/** Most words of a page in the sample. */
const mostTerms = 64;
/** Slots of the table of words; a text with more different words is read up to there. */
const slots = 16_384;

export interface TextPrint {
  /** Different words. */
  readonly words: number;
  /** Print of the set of words; pages whose words stand in another order share it. */
  readonly exact: number;
  /** Print of the set of words without any digits: pages that differ in numbers alone share it. */
  readonly masked: number;
  /** Hashes of the words in the sample. */
  readonly terms: readonly number[];
  /** The last segment of the URL names something that the text does not mention: a token, or words of its own. */
  readonly alien: boolean;
}

const table = new Uint32Array(slots);
const scramble = (hash: number): number => {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};

const offset = 0x811c9dc5;
const prime = 0x01000193;

const hashWord = (word: string): number => {
  let hash = offset;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), prime);
  return scramble(hash) || 1;
};

/** Puts a hash into the table. False: it is there already, or the table is full. */
function isNew(hash: number): boolean {
  for (let at = hash % slots, tries = 0; tries < 64; at = (at + 1) % slots, tries++) {
    const there = table[at];
    if (there === hash) return false;
    if (there === 0) {
      table[at] = hash;
      return true;
    }
  }
  return false;
}

/**
 * @param text visible text of a page
 * @param pathAndQuery of its URL
 */
export function printText(text: string, pathAndQuery: string): TextPrint {
  table.fill(0);
  const terms: number[] = [];
  let [words, exact, letters, hash, bare, digits] = [0, 0, 0, offset, offset, false];
  let open = false;
  const end = Math.min(text.length, mostCharacters);
  for (let at = 0; at <= end; at++) {
    let code = at === end ? 32 : text.charCodeAt(at);
    if (code >= 65 && code <= 90) code += 32;
    const isDigit = code >= 48 && code <= 57;
    if (isDigit || (code >= 97 && code <= 122) || code > 127) {
      open = true;
      hash = Math.imul(hash ^ code, prime);
      if (isDigit) digits = true;
      else bare = Math.imul(bare ^ code, prime);
      continue;
    }
    if (!open) continue;
    const word = scramble(hash) || 1;
    if (isNew(word)) {
      words++;
      exact = (exact + scramble(word ^ 0x9e3779b9)) >>> 0;
      if (!digits) letters = (letters + scramble(word ^ 0x7f4a7c15)) >>> 0;
      else if (bare !== offset) {
        const rest = scramble(bare ^ 0x3c6ef372) || 1;
        if (isNew(rest)) letters = (letters + scramble(rest ^ 0x7f4a7c15)) >>> 0;
      }
      if (word % sampled === 0 && terms.length < mostTerms) terms.push(word);
    }
    [hash, bare, digits, open] = [offset, offset, false, false];
  }
  const slug = slugWords(pathAndQuery);
  // Looking a word up puts it into the table, which nobody reads afterwards.
  const named = slug.some((word) => !isNew(hashWord(word)));
  const alien = endsInToken(pathAndQuery) || (slug.length > 0 && !named);
  return { words, exact, masked: letters, terms, alien };
}
