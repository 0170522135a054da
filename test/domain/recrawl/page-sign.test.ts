/** Which edits of a page count as a change (F31): the shares that docs/frontier.md promises. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shareChanged } from '../../../bench/content/small-edits.ts';
import { fingerprint, simhashOf } from '../../../domain/alike/fingerprint.ts';
import { differsByAHair, mostHairBits, signOfText } from '../../../domain/recrawl/page-sign.ts';

const wordy = (word: string, count: number): string =>
  Array.from({ length: count }, (_, at) => `${word}${String(at)}`).join(' ');

describe('the sign of a text', () => {
  it('is the SimHash of its fingerprint', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z0-9äö漢]{1,9}$/), { maxLength: 200 }), (words) => {
        const text = words.join(' ');
        expect(simhashOf(text)).toBe(fingerprint(text)?.simhash ?? null);
      }),
    );
  });

  it('is that of the main text, unless that is a small part of the page', () => {
    const [main, around] = [wordy('main', 60), wordy('around', 90)];
    expect(signOfText({ text: `${main} ${around}`, main })).toBe(simhashOf(main));
    const list = `${main} ${wordy('item', 400)}`;
    expect(signOfText({ text: list, main })).toBe(simhashOf(list));
    expect(signOfText({ text: 'a few words', main: 'a few' })).toBeNull();
  });

  it('differs by a hair in both directions, and never from itself', () => {
    const bits = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n);
    fc.assert(
      fc.property(bits, bits, (one, other) => {
        expect(differsByAHair(one, one, 0)).toBe(true);
        expect(differsByAHair(one, other)).toBe(differsByAHair(other, one));
      }),
    );
  });

  it('tells counters and dates from sentences and paragraphs as often as promised', () => {
    const share = (edit: string, words: number): number => shareChanged(edit, words, mostHairBits, 1, 80);
    expect(share('an advertisement around it', 200)).toBe(0);
    for (const hair of ['a counter', 'a word']) expect(share(hair, 600)).toBeLessThan(0.15);
    expect(share('a date of three words', 600)).toBeLessThan(0.25);
    expect(share('a sentence of 15 words', 200)).toBeGreaterThan(0.9);
    expect(share('a paragraph of 60 words more', 600)).toBeGreaterThan(0.8);
    expect(share('a tenth of the words', 2_000)).toBeGreaterThan(0.98);
  });
});
