/** Near-duplicates (F21): what fingerprints of texts say, and how often they are right on a seeded set. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measureCopies, measureQuality } from '../../bench/content/near-duplicates.ts';
import { fingerprint, namingBit, sketchBytes, type Fingerprint } from '../../domain/alike/fingerprint.ts';
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
  it('does not depend on case, punctuation or white space, numbers aside, and has a bounded size', () => {
    fc.assert(
      fc.property(words, (text) => {
        const print = printed(text);
        const shouted = text
          .join(',\n ')
          .toUpperCase()
          .replace(/[ÄÖ]/g, (c) => c.toLowerCase());
        expect({ ...printed(`  ${shouted}.`), numbers: [] }).toEqual({ ...print, numbers: [] });
        expect(print.sketch).toHaveLength(sketchBytes);
        expect(print.bands).toHaveLength(21);
        for (const sort of [0, namingBit]) {
          const numbers = print.numbers.filter((hash) => (hash & namingBit) === sort);
          expect(numbers.length).toBeLessThanOrEqual(16);
          expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
        }
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
        expect(likenessOf(a, a)).toEqual({
          ...{ shingles: 1, distance: 0, words: a.words },
          ...{ naming: { shared: 1, replaced: 0 }, plain: { shared: 1, replaced: 0 } },
        });
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

  const again = (line: string): string => `${article}\n${line}`.replaceAll('#', '7');
  it.each([
    ['May 3, 2031, 12:30 PM', 'December 21, 2030, 9:05 AM'],
    ['Aktualisiert am 3. Mai 2031 um 12:30 Uhr', 'Aktualisiert am 17. Juni 2032 um 9:05 Uhr'],
    [
      'Published 2031-05-03T12:30:45Z · 1,204 views · 37 comments',
      '2029-11-30T01:02:03Z · 88,311 views · 2 comments',
    ],
    ['vor 3 Stunden | 411 Aufrufe | Kommentare: 12', 'vor 17 Stunden | 9.120 Aufrufe | Kommentare: 340'],
    ['2031年5月3日 12:30 阅读 1204 次', '2032年11月30日 9:05 阅读 88311 次'],
    ['3 мая 2031 г., 1204 просмотра', '30 ноября 2032 г., 88311 просмотров'],
    [
      '© 2031, printed from https://a.example/print?id=4711',
      '© 2029, printed from https://a.example/print?id=90210',
    ],
  ])('are texts read at other times: %s', (line, later) => {
    expect(areAlike(likenessOf(printed(again(line)), printed(again(later))))).toBe(true);
  });
  it.each([
    ['Diameter 12 mm', 'Diameter 16 mm'],
    ['Order code AB-1204', 'Order code AB-7311'],
    ['Continue with chapter 4', 'Continue with chapter 9'],
    ['Aktenzeichen: 12/204', 'Aktenzeichen: 17/311'],
    ['第3章', '第9章'],
  ])('are not texts about something else: %s', (line, other) => {
    expect(areAlike(likenessOf(printed(again(line)), printed(again(other))))).toBe(false);
  });
  it('are texts of which one lacks a number or has another title, and not of which the titles have other numbers', () => {
    const titled = (title: string): Fingerprint => printed(`${title}\n${again('')}`);
    expect(areAlike(likenessOf(titled('Bridge 12'), titled('A bridge')))).toBe(true);
    expect(areAlike(likenessOf(titled('Bridge 12'), titled('Bridge 14')))).toBe(false);
  });
  it('are not timetables with other times', () => {
    const table = (from: number): Fingerprint =>
      printed(
        Array.from(
          { length: 30 },
          (_, at) =>
            `stop ${'abcdefghij'[at % 10] ?? ''}x ${String(from + (at % 9))}:${String(10 + at + from)}`,
        ).join('\n'),
      );
    expect(areAlike(likenessOf(table(6), table(12)))).toBe(false);
  });
  it.each([1, 2])(
    'are found among pages of many hands with the promised precision and recall, seed %i',
    (seed) => {
      const { precision, recall } = measureCopies(seed);
      expect(precision).toBeGreaterThanOrEqual(0.95);
      expect(recall).toBeGreaterThanOrEqual(0.88);
    },
  );

  it.each([1, 4])('are found on the seeded set %i with the promised precision and recall', (seed) => {
    const { precision, recall, found } = measureQuality(seed);
    expect(precision).toBeGreaterThanOrEqual(0.95);
    expect(recall).toBeGreaterThanOrEqual(0.9);
    expect(Math.min(found.get('edited by 1 %') ?? 0, found.get('edited by 3 %') ?? 0)).toBeGreaterThan(0.95);
  });
});
