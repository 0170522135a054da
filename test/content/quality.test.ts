import { beforeAll, describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { type LanguageScorer, loadLanguageScorer } from '../../content/language.ts';
import { qualityOf } from '../../content/quality.ts';

const prose =
  'The mill on the river was built in 1650, and it has been at work ever since.\n' +
  'Its wheel turns for the bakers of the town; the flour is sold on Fridays.\n' +
  'Whoever wants to see the stones is led through the house by the miller himself.';

describe('the quality of a text', () => {
  it('is told of prose', () => {
    expect(qualityOf(prose, 'en')).toMatchObject({
      ...{ words: 47, lines: 3, shortLines: 0, endedLines: 1, bulletLines: 0 },
      ...{ repeatedLines: 0, repeatedCharacters: 0, repeatedTriples: 0, symbols: 0 },
    });
    expect(qualityOf(prose, 'en').functionWords).toBeGreaterThan(0.3);
    expect(qualityOf(prose, 'de').functionWords).toBeLessThan(0.1);
    expect(qualityOf(prose, 'ja').functionWords).toBeNull();
    expect(qualityOf(prose, null).functionWords).toBeNull();
  });

  it('is told of lists, of repeated lines and of code', () => {
    const list = '- flour\n- bread\n- flour\n- flour\nOpen daily';
    expect(qualityOf(list, 'en')).toMatchObject({
      ...{ lines: 5, bulletLines: 0.8, shortLines: 1, endedLines: 0, repeatedLines: 0.4 },
    });
    expect(qualityOf(`${prose}\n${prose}`, 'en')).toMatchObject({ repeatedLines: 0.5 });
    expect(qualityOf(`${prose} ${prose}`, 'en').repeatedTriples).toBeGreaterThan(0.4);
    expect(qualityOf('a = b | c ^ d & ~e; {x} <y> #z $w', 'en').symbols).toBeGreaterThan(0.2);
    expect(qualityOf('水車は1650年に建てられた。今も動いている。', 'ja')).toMatchObject({
      endedLines: 1,
      symbols: 0,
    });
  });

  it('is told of a megabyte of signs between two letters in time linear in it', () => {
    // Hours, were it quadratic.
    expect(qualityOf(`a${'-'.repeat(1_000_000)}b`, 'en').wordLength).toBe(1_000_002);
  });

  it('has shares of 0 to 1 for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { words, characters, lines, wordLength, ...shares } = qualityOf(text, 'en');
        expect([words, characters, lines, wordLength].every((value) => value >= 0)).toBe(true);
        for (const share of Object.values(shares))
          expect(share === null || (share >= 0 && share <= 1)).toBe(true);
      }),
    );
  });
});

describe('the score of a language', () => {
  let score: LanguageScorer;
  beforeAll(async () => {
    score = await loadLanguageScorer();
  });
  const german =
    'Die Mühle am Fluss wurde 1650 gebaut und ist seither in Betrieb. Ihr Rad dreht sich für die Bäcker der Stadt, und das Mehl wird freitags verkauft. ';

  it('is the share of the text that is in it', () => {
    const english = `${prose} `.repeat(8);
    expect(score(english, 'en')).toBe(1);
    expect(score(english, 'de')).toBe(0);
    const mixed = score(english + german.repeat(13), 'en');
    expect(mixed).toBeGreaterThan(0.3);
    expect(mixed).toBeLessThan(0.7);
  });

  it('is null where nothing can be told', () => {
    expect(score('XK-4482 9931 ZZ8', 'en')).toBeNull();
    expect(score('', 'en')).toBeNull();
  });
});
