/** Near-duplicates (F21): what fingerprints of texts say, and how often they are right on a seeded set. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measureQuality } from '../../bench/content/near-duplicates.ts';
import { fingerprint, sketchBytes, type Fingerprint } from '../../domain/alike/fingerprint.ts';
import { areAlike, distanceOf, likenessOf } from '../../domain/alike/likeness.ts';

const word = fc.stringMatching(/^[a-z0-9äö漢]{1,9}$/);
const words = fc.array(word, { minLength: 20, maxLength: 300 });
const printed = (text: readonly string[] | string): Fingerprint => {
  const print = fingerprint(typeof text === 'string' ? text : text.join(' '));
  if (print === null) throw new Error('the text is too short');
  return print;
};
const numbered = (text: string, numbers: readonly (number | string)[]): string =>
  numbers.reduce<string>((whole, number) => whole.replace('#', String(number)), text);

describe('a fingerprint', () => {
  it('does not depend on case, punctuation or white space, and has a bounded size', () => {
    fc.assert(
      fc.property(words, (text) => {
        const print = printed(text);
        expect(
          printed(
            `  ${text
              .join(',\n ')
              .toUpperCase()
              .replace(/[ÄÖ]/g, (c) => c.toLowerCase())}.`,
          ),
        ).toEqual(print);
        expect(print.sketch).toHaveLength(sketchBytes);
        expect(print.bands).toHaveLength(16);
        expect(print.numbers.length).toBeLessThanOrEqual(16);
        expect(print.numbers).toEqual([...new Set(print.numbers)].toSorted((a, b) => a - b));
      }),
    );
  });

  it('is that of no text that is too short to tell', () => {
    expect(fingerprint('a few words')).toBeNull();
    expect(fingerprint('')).toBeNull();
    expect(printed('漢字'.repeat(20)).words).toBe(40);
  });

  it('says that a text is like itself, and says the same in both directions', () => {
    fc.assert(
      fc.property(words, words, (one, other) => {
        const [a, b] = [printed(one), printed(other)];
        expect(likenessOf(a, a)).toEqual({ shingles: 1, distance: 0, numbers: 1, otherNumbers: 0 });
        expect(likenessOf(a, b)).toEqual(likenessOf(b, a));
        expect(distanceOf(a.simhash, b.simhash)).toBeLessThanOrEqual(64);
      }),
    );
  });

  it('estimates the share of common pairs of words', () => {
    const text = Array.from(
      { length: 400 },
      (_, at) => `word${'abcdefghij'[at % 10] ?? ''}${String(at * 7919)}`,
    );
    const half = [...text.slice(0, 267), ...text.slice(267).map((each) => `${each}x`)];
    // 266 of 532 pairs are common.
    expect(likenessOf(printed(text), printed(half)).shingles).toBeGreaterThan(0.37);
    expect(likenessOf(printed(text), printed(half)).shingles).toBeLessThan(0.63);
  });
});

describe('near-duplicates', () => {
  const article =
    'in the year # the council of the town decided with # votes that the old bridge over the river is to be closed for ' +
    'heavy traffic and that a new one shall be built further down where the road to the station meets the water; the ' +
    'work will take # months and cost # million, of which the state pays the larger part';
  it('are texts with a few other words, and not pages of one template with other numbers', () => {
    const original = printed(numbered(article, [1998, 27, 14, '3.5']));
    const edited = printed(numbered(article.replace('larger', 'smaller'), [1998, 27, 14, '3.5']));
    const template = printed(numbered(article, [2004, 31, 8, '12.9']));
    expect(areAlike(likenessOf(original, edited))).toBe(true);
    expect(likenessOf(original, template).shingles).toBeGreaterThan(0.67);
    expect(areAlike(likenessOf(original, template))).toBe(false);
  });

  it.each([1, 4])('are found on the seeded set %i with the promised precision and recall', (seed) => {
    const { precision, recall, found } = measureQuality(seed);
    expect(precision).toBeGreaterThanOrEqual(0.95);
    expect(recall).toBeGreaterThanOrEqual(0.9);
    expect(Math.min(found.get('edited by 1 %') ?? 0, found.get('edited by 3 %') ?? 0)).toBeGreaterThan(0.95);
  });
});
