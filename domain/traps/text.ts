/**
 * What of a page's text tells whether the page is new: two prints of its set of words, and a sample of the words. One
 * pass over the first words of the text: some 50 microseconds for a thousand.
 */
import { endsInToken, slugWords } from './shape.ts';

/** A text of fewer words says too little by itself to call two pages the same. */
export const wordsThatTell = 20;
/**
 * Words and characters that are read of a text. Words end it first: an end after so many characters would fall elsewhere
 * in each of two texts whose numbers differ in length, and tell them apart.
 */
const mostWords = 1_500;
const mostCharacters = 64 * 1024;
/** One word in so many (a power of two) is in the sample, chosen by its hash: the same word on every page. */
const sampled = 8;
/** Most words of a page in the sample. */
const mostTerms = 64;
/** Slots of the table of words, a power of two; a text with more different words is read up to there. */
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

/** FNV-1a's beginning, as the signed number that `Math.imul` gives. */
const offset = 0x811c9dc5 | 0;
const prime = 0x01000193;

const hashWord = (word: string): number => {
  let hash = offset;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), prime);
  return scramble(hash) || 1;
};

/** Puts a hash into the table. False: it is there already, or the table is full. */
function isNew(hash: number): boolean {
  for (let at = hash & (slots - 1), tries = 0; tries < 64; at = (at + 1) & (slots - 1), tries++) {
    const there = table[at];
    if (there === hash) return false;
    if (there === 0) {
      table[at] = hash;
      return true;
    }
  }
  return false;
}

/** What an ASCII character adds to a word, letters as lower-case; 0: it ends the word. */
const inWord = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code).toLowerCase();
  return /[a-z\d]/.test(char) ? char.charCodeAt(0) : 0;
});
const [zero, nine] = [48, 57];

/**
 * @param text visible text of a page
 * @param pathAndQuery of its URL
 */
export function printText(text: string, pathAndQuery: string): TextPrint {
  table.fill(0);
  const terms: number[] = [];
  let [words, exact, masked, hash] = [0, 0, 0, offset];
  /** Hash of the word's letters alone; 0: it has no digit yet, and `hash` is that of its letters. */
  let letters = 0;
  const end = Math.min(text.length, mostCharacters);
  for (let at = 0, left = mostWords; at <= end && left > 0; at++) {
    const unit = at === end ? 0 : text.charCodeAt(at);
    const code = unit < 128 ? (inWord[unit] ?? 0) : unit;
    if (code !== 0) {
      if (code >= zero && code <= nine) {
        if (letters === 0) letters = hash;
      } else if (letters !== 0) letters = Math.imul(letters ^ code, prime);
      hash = Math.imul(hash ^ code, prime);
      continue;
    }
    if (hash === offset) continue;
    left--;
    const word = scramble(hash) || 1;
    if (isNew(word)) {
      words++;
      exact = (exact + word) | 0;
      if (letters === 0) masked = (masked + word) | 0;
      else if (letters !== offset) {
        const rest = scramble(letters ^ 0x3c6ef372) || 1;
        if (isNew(rest)) masked = (masked + rest) | 0;
      }
      if ((word & (sampled - 1)) === 0 && terms.length < mostTerms) terms.push(word);
    }
    hash = offset;
    letters = 0;
  }
  const slug = slugWords(pathAndQuery);
  // Looking a word up puts it into the table, which nobody reads afterwards.
  const named = slug.some((word) => !isNew(hashWord(word)));
  const alien = endsInToken(pathAndQuery) || (slug.length > 0 && !named);
  return { words, exact: exact >>> 0, masked: masked >>> 0, terms, alien };
}
