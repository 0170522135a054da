/** What two fingerprints say of two texts. */
import { mostNumbers, namingBit, sketchBytes, type Fingerprint } from './fingerprint.ts';

export interface Likeness {
  /** Estimated share of common shingles (Jaccard), 0 to 1. */
  readonly shingles: number;
  /** Bits of SimHash that differ. */
  readonly distance: number;
  /** Words of the shorter text. */
  readonly words: number;
  /** Numbers that name what a text is about. */
  readonly naming: CommonNumbers;
  /** All others. */
  readonly plain: CommonNumbers;
}

interface CommonNumbers {
  /** Estimated share of common numbers, 0 to 1; 1: there are none. */
  readonly shared: number;
  /** Estimated count of numbers that each of the texts has and the other lacks: of the one that has fewer of them. */
  readonly replaced: number;
}

export interface LikenessRule {
  /** At least. */
  readonly shingles: number;
  /** At most. */
  readonly distance: number;
  /** So far the share of common numbers may fall behind that of common shingles: plain ones, and those that name. */
  readonly numbersBehind: number;
  readonly namesBehind: number;
  /** For each word of the shorter text, so many plain numbers of each may differ, whatever their share. */
  readonly otherNumbers: number;
}
/** Measured: docs/content.md. */
export const likenessRule: LikenessRule = {
  shingles: 0.67,
  distance: 16,
  numbersBehind: 0.18,
  namesBehind: 0.05,
  otherNumbers: 0.01,
};

type Compared = Pick<Fingerprint, 'words' | 'simhash' | 'sketch' | 'numbers'>;

/** By chance, one byte in 256 is equal. */
const chance = 1 / 256;

export function likenessOf(one: Compared, other: Compared): Likeness {
  let equal = 0;
  for (let at = 0; at < sketchBytes; at++) if (one.sketch[at] === other.sketch[at]) equal++;
  const shingles = Math.max(0, (equal / sketchBytes - chance) / (1 - chance));
  return {
    shingles,
    distance: distanceOf(one.simhash, other.simhash),
    words: Math.min(one.words, other.words),
    naming: commonNumbers(one, other, namingBit),
    plain: commonNumbers(one, other, 0),
  };
}

/**
 * Are the texts near-duplicates? Shingles and SimHash must agree, since each alone is right about half of the time on
 * the web (Henzinger 2006). An edit changes numbers as often as words; texts whose numbers differ more than their words
 * are pages of one template. A few numbers that name nothing are counters and prices: copies differ in these too.
 */
export function areAlike(
  { shingles, distance, words, naming, plain }: Likeness,
  rule: LikenessRule = likenessRule,
): boolean {
  const agree = ({ shared, replaced }: CommonNumbers, behind: number): boolean =>
    replaced === 0 || shared >= shingles - behind;
  return (
    shingles >= rule.shingles &&
    distance <= rule.distance &&
    agree(naming, rule.namesBehind) &&
    (plain.replaced <= rule.otherNumbers * words || agree(plain, rule.numbersBehind))
  );
}

/** Bits in which two SimHashes differ. */
export function distanceOf(one: bigint, other: bigint): number {
  const differing = BigInt.asUintN(64, one ^ other);
  return ones(Number(differing & 0xffff_ffffn)) + ones(Number(differing >> 32n));
}

function ones(bits: number): number {
  let left = bits - ((bits >>> 1) & 0x55555555);
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333);
  return Math.imul((left + (left >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The least hashes of both together are a fair sample of all numbers of a sort. */
function commonNumbers(one: Compared, other: Compared, sort: number): CommonNumbers {
  const [mine, theirs] = [one, other].map(({ numbers }) =>
    numbers.filter((hash) => (hash & namingBit) === sort),
  );
  const sample = [...new Set([...(mine ?? []), ...(theirs ?? [])])]
    .toSorted((a, b) => a - b)
    .slice(0, mostNumbers);
  if (sample.length === 0) return { shared: 1, replaced: 0 };
  const [ours, own] = [new Set(mine), new Set(theirs)];
  const lacking = (of: ReadonlySet<number>): number => sample.filter((hash) => !of.has(hash)).length;
  const [here, there] = [lacking(ours), lacking(own)];
  // Hashes are spread evenly: the greatest of the sample tells how many numbers there are.
  const all =
    sample.length < mostNumbers ? sample.length : (sample.length / ((sample.at(-1) ?? 0) + 1)) * 2 ** 32;
  const share = (count: number): number => count / sample.length;
  return { shared: share(sample.length - here - there), replaced: share(Math.min(here, there)) * all };
}
