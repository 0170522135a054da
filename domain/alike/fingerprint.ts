/**
 * Fingerprint of a text, for near-duplicates (F21): made in one pass over the words, of a size that does not depend on the
 * text. What two fingerprints say of two texts is in likeness.ts.
 *
 * - The sketch holds, for each of 128 parts of the space of hashes, a byte of the least hash of a run of words (shingle)
 *   that falls there: the share of equal bytes is the share of common shingles (one-permutation MinHash; parts without a
 *   shingle borrow from others, as Shrivastava 2017 does, "Optimal Densification").
 * - SimHash has 64 bits, each the majority of that bit over all shingles.
 * - Numbers are kept apart: pages of one template that differ in little but numbers are different pages. Those that say
 *   when a page was read or how often are none (figures.ts), and those that name something are marked.
 * - Texts that share a band, a hash of eight parts of the sketch in a row, are worth comparing.
 */

import { figureAt } from './figures.ts';

/** Parts of the sketch. */
export const sketchBytes = 128;
const partBits = 7;

export interface FingerprintShape {
  /** Words of a shingle, five at most. */
  readonly shingleWords: number;
  readonly bands: number;
  /** Parts of the sketch that a band stands for. */
  readonly bandParts: number;
}
/** Measured: docs/content.md. */
export const fingerprintShape: FingerprintShape = { shingleWords: 2, bands: 21, bandParts: 6 };

/** Numbers of a text that are kept of each sort, those with the least hashes. */
export const mostNumbers = 16;
/** The bit of a number's hash that is set if the number names what the text is about. */
export const namingBit = 1;
/** A text with a larger share of numbers is a table: its dates, times and counts are what it says. */
const mostlyNumbers = 0.3;
/** A first line without the end of a sentence, and of so many characters at most, is a title. */
const mostOfTitle = 160;
/** Numbers that are looked at closely; further ones are plain. */
const mostFigures = 1_000;
/** A text of fewer words says too little to call another text like it. */
const fewestWords = 20;
/** Words that are read of a text. */
const mostWords = 50_000;

export interface Fingerprint {
  /** Words read. */
  readonly words: number;
  readonly simhash: bigint;
  /** `sketchBytes` long. */
  readonly sketch: Uint8Array;
  /**
   * Hashes of different words with a digit, `mostNumbers` of each sort at most: first plain ones, then those that name
   * something (`namingBit`), each ascending.
   */
  readonly numbers: readonly number[];
  /** 64-bit hashes, signed, one for each band. */
  readonly bands: readonly bigint[];
}

const offset = 0x811c9dc5;
const prime = 0x01000193;

/** The last step of MurmurHash3: each bit of the result depends on each bit of the hash. */
function scramble(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** Odd factors of the words of a shingle, from its last, so that their order counts. */
const weights = Int32Array.of(1, 0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f);

const apart = 0;
const letter = 1;
const digit = 2;
/** Han and kana are written without spaces: each is a word. */
const alone = 3;

function kindOf(code: number): number {
  if (code >= 48 && code <= 57) return digit;
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) return letter;
  if (code < 0xc0 || code === 0xd7 || code === 0xf7) return apart;
  if ((code >= 0x2000 && code <= 0x206f) || (code >= 0x3000 && code <= 0x303f)) return apart;
  if ((code >= 0x3040 && code <= 0x30ff) || (code >= 0x3400 && code <= 0x9fff)) return alone;
  return code >= 0xff00 && code <= 0xff0f ? apart : letter;
}

const kinds = Uint8Array.from({ length: 0x1_0000 }, (_, code) => kindOf(code));

const minima = new Uint32Array(sketchBytes);
const none = 0xffff_ffff;
/** How often each byte of the 64-bit hashes had each value: eight additions a shingle instead of sixty-four. */
const tallies = new Int32Array(8 * 256);

/** Hashes of the words of the text that is read. */
const hashes = new Int32Array(mostWords);
/** Of its words with a digit: the hash, and where it begins and ends. */
const numberHashes = new Uint32Array(mostWords);
const numberStarts = new Uint32Array(mostWords);
const numberEnds = new Uint32Array(mostWords);

/** Null: the text has too few words. */
export function fingerprint(text: string, shape = fingerprintShape): Fingerprint | null {
  const { words, numbers } = readWords(text);
  if (words < fewestWords) return null;
  readShingles(words, shape.shingleWords);
  borrow();
  return {
    words,
    simhash: majority(),
    sketch: Uint8Array.from(minima),
    numbers: readNumbers(text, words, numbers),
    bands: bandsOf(shape),
  };
}

/** The SimHash of `fingerprint` alone. Null: the text has too few words. */
export function simhashOf(text: string): bigint | null {
  const { words } = readWords(text);
  if (words < fewestWords) return null;
  readShingles(words, fingerprintShape.shingleWords);
  return majority();
}

/** Fills `hashes`, and those of words with a digit. Answers how many there are of each. */
function readWords(text: string): { readonly words: number; readonly numbers: number } {
  let [words, numbers, hash, shown, from] = [0, 0, offset, 0, 0];
  const end = text.length;
  for (let at = 0; at <= end && words < mostWords; at++) {
    let code = at === end ? 32 : text.charCodeAt(at);
    const kind = kinds[code] ?? apart;
    if (kind === letter || kind === digit) {
      if (shown === 0) from = at;
      if (code >= 65 && code <= 90) code += 32;
      hash = Math.imul(hash ^ code, prime);
      shown |= kind;
      continue;
    }
    if (shown !== 0) {
      if ((shown & digit) !== 0) {
        numberHashes[numbers] = scramble(hash) >>> 0;
        numberStarts[numbers] = from;
        numberEnds[numbers++] = at;
      }
      hashes[words++] = hash;
      hash = offset;
      shown = 0;
    }
    if (kind === alone && words < mostWords) hashes[words++] = Math.imul(offset ^ code, prime);
  }
  return { words, numbers };
}

/** What a page of one template has as its own: `numbers` of the fingerprint. */
function readNumbers(text: string, words: number, count: number): number[] {
  const [plain, naming]: [number[], number[]] = [[], []];
  const isTable = count > words * mostlyNumbers;
  const title = /^[^\n]+(?<![.!?。:])(?=\n)/.exec(text.slice(0, mostOfTitle))?.[0].length ?? 0;
  let looked = 0;
  for (let at = 0; at < count; at++) {
    const hash = numberHashes[at] ?? 0;
    // Most numbers of a long text are not among the least, whatever they are.
    if (!isAmongLeast(plain, hash) && !isAmongLeast(naming, hash)) continue;
    const from = numberStarts[at] ?? 0;
    const figure = looked++ < mostFigures ? figureAt(text, from, numberEnds[at] ?? 0) : 'plain';
    if (figure === 'naming' || (figure === 'plain' && from < title))
      keepLeast(naming, (hash | namingBit) >>> 0);
    else if (figure === 'plain' || isTable) keepLeast(plain, (hash & ~namingBit) >>> 0);
  }
  return [...plain, ...naming];
}

function readShingles(words: number, shingleWords: number): void {
  minima.fill(none);
  tallies.fill(0);
  for (let at = shingleWords - 1; at < words; at++) {
    let run = hashes[at] ?? 0;
    for (let back = 1; back < shingleWords; back++)
      run += Math.imul(hashes[at - back] ?? 0, weights[back] ?? 0);
    const low = scramble(run);
    const high = scramble(low ^ 0x27d4eb2f);
    const part = low >>> (32 - partBits);
    const rest = high >>> partBits;
    if (rest < (minima[part] ?? 0)) minima[part] = rest;
    tally(0, low);
    tally(4, high);
  }
}

function tally(byte: number, hash: number): void {
  count((byte << 8) | (hash & 0xff));
  count(((byte + 1) << 8) | ((hash >>> 8) & 0xff));
  count(((byte + 2) << 8) | ((hash >>> 16) & 0xff));
  count(((byte + 3) << 8) | (hash >>> 24));
}

function count(slot: number): void {
  tallies[slot] = (tallies[slot] ?? 0) + 1;
}

/** Each bit: its values by halves, quarters and so on, so that 510 additions a byte do for all eight bits. */
function majority(): bigint {
  let simhash = 0n;
  for (let byte = 0; byte < 8; byte++) {
    const from = byte << 8;
    for (let bit = 7; bit >= 0; bit--) {
      const half = 1 << bit;
      let sum = 0;
      for (let value = from; value < from + half; value++) {
        const zero = tallies[value] ?? 0;
        const one = tallies[value + half] ?? 0;
        sum += one - zero;
        tallies[value] = zero + one;
      }
      if (sum > 0) simhash |= 1n << BigInt(byte * 8 + bit);
    }
  }
  return BigInt.asIntN(64, simhash);
}

const isAmongLeast = (numbers: readonly number[], hash: number): boolean =>
  numbers.length < mostNumbers || hash < (numbers.at(-1) ?? 0);

/** Keeps the list ascending, without repeats, and short. */
function keepLeast(numbers: number[], hash: number): void {
  if (!isAmongLeast(numbers, hash)) return;
  let at = numbers.length;
  while (at > 0 && (numbers[at - 1] ?? 0) > hash) at--;
  if (at > 0 && numbers[at - 1] === hash) return;
  numbers.splice(at, 0, hash);
  if (numbers.length > mostNumbers) numbers.pop();
}

/** Parts without a shingle take the value of another part, the same for equal sets. */
function borrow(): void {
  const own = Uint32Array.from(minima);
  for (let part = 0; part < sketchBytes; part++) {
    if (own[part] !== none) continue;
    for (let tries = 1; ; tries++) {
      const from = scramble(Math.imul(part + 1, 0x9e3779b1) + tries) >>> (32 - partBits);
      if (own[from] === none) continue;
      minima[part] = own[from] ?? 0;
      break;
    }
  }
}

function bandsOf({ bands, bandParts }: FingerprintShape): bigint[] {
  return Array.from({ length: bands }, (_, band) => {
    let [low, high] = [band + 1, ~band];
    for (let part = band * bandParts; part < (band + 1) * bandParts; part++) {
      low = scramble(Math.imul(low, 31) + (minima[part] ?? 0));
      high = scramble(Math.imul(high, 37) + low);
    }
    return BigInt.asIntN(64, (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0));
  });
}
