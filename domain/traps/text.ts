/**
 * What a page says, as a few numbers: all words as often as they come, in any order, with numbers and pictures. Two
 * pages with the same print say the same. Two things are left out, since they differ between pages that say nothing as
 * well: whole numbers that stand in the URL, in the title or in the URLs of similar pages, or follow from them
 * (own-numbers.ts), and the time at which the page was made. All other numbers are content.
 *
 * One pass over the first words of the text: some 60 microseconds for a thousand.
 */
import { ownNumbers } from './own-numbers.ts';
import { isToken } from './shape.ts';

/** Words and characters that are read of a text. */
const mostWords = 4_000;
const mostCharacters = 64 * 1024;
/** One word in so many (a power of two) is in the sample, chosen by its hash: the same word on every page. */
const sampled = 4;
/** Most words and pictures of a page in the sample. */
const mostTerms = 96;
/** Whole numbers with more digits than this are words. */
const mostDigits = 15;

export interface PagePrint {
  readonly said: number;
  /** The print without any word of the page's URL: of pages that say nothing but where they are. */
  readonly echo: number;
  /** Hashes of words, numbers and pictures in the sample. */
  readonly terms: readonly number[];
}

interface ShownPage {
  /** Of its host; absent: an address, which no text names. */
  readonly name?: string;
  readonly title: string | null;
  readonly text: string;
  /** Addresses of pictures, films and files, as the page has them. */
  readonly pictures: readonly string[];
}

const scramble = (hash: number): number => {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};

/** FNV-1a's beginning, as the signed number that `Math.imul` gives. */
const offset = 0x811c9dc5 | 0;
const prime = 0x01000193;

/** A hash of a text, in 32 bits. */
export const hashOf = (text: string): number => {
  let hash = offset;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), prime);
  return scramble(hash);
};

/** What an ASCII character adds to a word, letters as lower-case; 0: it ends the word. */
const inWord = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code).toLowerCase();
  return /[a-z\d]/.test(char) ? char.charCodeAt(0) : 0;
});
const isDigit = (code: number): boolean => code >= 48 && code <= 57;
/** Between digits: of decimals and times of day. */
const colon = 58;
const isPoint = (code: number): boolean => code === 46 || code === 44 || code === colon;

/**
 * @param pathAndQuery of the page's URL
 * @param alike paths and queries of links to pages of the narrowest shape that the page has
 */
export function printPage(
  { title, text, pictures, name = '' }: ShownPage,
  pathAndQuery: string,
  alike: readonly string[],
): PagePrint {
  const own = ownNumbers(pathAndQuery, title ?? '', alike);
  const urlWords = `${name} ${pathAndQuery}`.toLowerCase().match(/[a-z\d]+/g) ?? [];
  const tokens = urlWords.filter(isToken);
  const inUrl = new Set(urlWords.map(hashOf));
  const silent = new Set(tokens.map(hashOf));
  const terms: number[] = [];
  /** Times of day: the only one on a page is that of the page. */
  const times: number[] = [];
  let [said, echo] = [0, 0];
  const hear = (word: number): void => {
    if (silent.has(word)) return;
    said = (said + word) | 0;
    if (!inUrl.has(word)) echo = (echo + word) | 0;
    if ((word & (sampled - 1)) === 0 && terms.length < mostTerms) terms.push(word);
  };
  readWords(title ?? '', (hash, kind) => {
    if (kind === 'word') hear(hash);
    else silent.add(hash);
  });
  readWords(text, (hash, kind, value) => {
    if (kind === 'whole' ? !own.has(value) : kind !== 'time') hear(hash);
    else if (kind === 'time') times.push(hash);
  });
  if (new Set(times).size > 1) for (const time of times) hear(time);
  for (const picture of pictures) {
    const shown = tokens.reduce((address, token) => address.replaceAll(token, ''), picture.toLowerCase());
    const word = hashOf(shown);
    said = (said + word) | 0;
    echo = (echo + word) | 0;
    if (terms.length < mostTerms) terms.push(word);
  }
  return { said: said >>> 0, echo: echo >>> 0, terms };
}

/** A word is one with a letter; a number is whole, or has one point or comma, or is a time of day. */
type WordKind = 'word' | 'whole' | 'decimal' | 'time';

/** Times to the second, and how long something took: of the page, or beside what a page says. */
const clock = /\d{1,2}:\d\d:\d\d|\d+[.,]\d+\s?(?:ms|s|sec|secs|seconds?|Sekunden?)(?![a-z])/y;

/** Calls back for each word with its hash, and with its value if it is a whole number. */
function readWords(text: string, word: (hash: number, kind: WordKind, value: number) => void): void {
  const end = Math.min(text.length, mostCharacters);
  for (let at = 0, words = 0; at < end && words < mostWords; at++) {
    let code = unitAt(text, at);
    if (code === 0) continue;
    words++;
    if (isDigit(code)) {
      clock.lastIndex = at;
      const length = clock.exec(text)?.[0].length ?? 0;
      at += length;
      if (length > 0) continue;
    }
    let [hash, value, digits] = [offset, 0, 0];
    let kind: WordKind = 'whole';
    // One point between digits belongs to the number; more of them, as in 17.05.2031, part three numbers.
    const mayPoint = !(isPoint(text.charCodeAt(at - 1)) && isDigit(text.charCodeAt(at - 2)));
    for (; at < end; code = unitAt(text, ++at)) {
      if (code === 0) {
        code = text.charCodeAt(at);
        if (!mayPoint || kind !== 'whole' || !isPoint(code) || !isDecimal(text, at + 1)) break;
        kind = code === colon ? 'time' : 'decimal';
      } else if (isDigit(code)) {
        value = value * 10 + code - 48;
        digits++;
      } else kind = 'word';
      hash = Math.imul(hash ^ code, prime);
    }
    word(
      kind === 'whole' && digits <= mostDigits ? hashOfNumber(value) : scramble(hash),
      digits > mostDigits ? 'word' : kind,
      value,
    );
  }
}

/** `07` and `7` are the same number. */
const hashOfNumber = (value: number): number => hashOf(`#${String(value)}`);

const unitAt = (text: string, at: number): number => {
  const unit = text.charCodeAt(at);
  return unit < 128 ? (inWord[unit] ?? 0) : unit;
};

/** Do digits begin here after which no further point and digit come? */
function isDecimal(text: string, from: number): boolean {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at++;
  return at > from && !(isPoint(text.charCodeAt(at)) && isDigit(text.charCodeAt(at + 1)));
}
