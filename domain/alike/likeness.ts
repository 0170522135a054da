/** What two fingerprints say of two texts. */
import { mostNumbers, sketchBytes, type Fingerprint } from './fingerprint.ts';

export interface Likeness {
  /** Estimated share of common shingles (Jaccard), 0 to 1. */
  readonly shingles: number;
  /** Bits of SimHash that differ. */
  readonly distance: number;
  /** Estimated share of common numbers, 0 to 1; 1: there are none. */
  readonly numbers: number;
  /** Numbers of one text that the other lacks, of those kept. */
  readonly otherNumbers: number;
}

export interface LikenessRule {
  /** At least. */
  readonly shingles: number;
  /** At most. */
  readonly distance: number;
  /** So far the share of common numbers may fall behind that of common shingles. */
  readonly numbersBehind: number;
}
/** Measured: docs/content.md. */
export const likenessRule: LikenessRule = { shingles: 0.67, distance: 16, numbersBehind: 0.18 };

type Compared = Pick<Fingerprint, 'simhash' | 'sketch' | 'numbers'>;

/** By chance, one byte in 256 is equal. */
const chance = 1 / 256;

export function likenessOf(one: Compared, other: Compared): Likeness {
  let equal = 0;
  for (let at = 0; at < sketchBytes; at++) if (one.sketch[at] === other.sketch[at]) equal++;
  const shingles = Math.max(0, (equal / sketchBytes - chance) / (1 - chance));
  return { shingles, distance: distanceOf(one.simhash, other.simhash), ...numbersOf(one, other) };
}

/**
 * Are the texts near-duplicates? Shingles and SimHash must agree, since each alone is right about half of the time on
 * the web (Henzinger 2006). An edit changes numbers as often as words; texts whose numbers differ more than their words
 * are pages of one template.
 */
export const areAlike = (
  { shingles, distance, numbers, otherNumbers }: Likeness,
  rule: LikenessRule = likenessRule,
): boolean =>
  shingles >= rule.shingles &&
  distance <= rule.distance &&
  (otherNumbers < 2 || numbers >= shingles - rule.numbersBehind);

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

/** The least hashes of both together are a fair sample of all numbers. */
function numbersOf(
  { numbers: one }: Compared,
  { numbers: other }: Compared,
): Pick<Likeness, 'numbers' | 'otherNumbers'> {
  let [mine, theirs, looked, shared] = [0, 0, 0, 0];
  while (looked < mostNumbers && (mine < one.length || theirs < other.length)) {
    const [a = Infinity, b = Infinity] = [one[mine], other[theirs]];
    if (a <= b) mine++;
    if (b <= a) theirs++;
    if (a === b) shared++;
    looked++;
  }
  return { numbers: looked === 0 ? 1 : shared / looked, otherNumbers: looked - shared };
}
