/** Queries as they are typed, and snippets. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withBreaks, withoutBreaks } from '../../content/word-breaks.ts';
import { hitMarks, snippetOf } from '../../domain/search/page.ts';
import { mostTerms, readQuery, writtenQuery } from '../../domain/search/query.ts';

const told = (text: string): string[] =>
  readQuery(text).map(
    ({ text, isPhrase, isUnwanted }) => `${isUnwanted ? 'no ' : ''}${isPhrase ? 'phrase ' : ''}${text}`,
  );

describe('a query', () => {
  it.each([
    ['durable crawler', ['durable', 'crawler']],
    ['"polite  crawler" -browser -"a b"', ['phrase polite crawler', 'no browser', 'no phrase a b']],
    ['well-known - "" "unclosed phrase', ['well-known', 'unclosed', 'phrase']],
    ["it's <b> \\ & | ! : * ()", ["it's", '<b>']],
    ['  ', []],
  ])('%j has the terms %j', (text, terms) => {
    expect(told(text)).toEqual(terms);
  });

  it('is read again as it was read, whatever is typed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        const terms = readQuery(text);
        expect(terms.length).toBeLessThanOrEqual(mostTerms);
        expect(readQuery(writtenQuery(terms))).toEqual(terms);
      }),
    );
  });
});

describe('a snippet', () => {
  const { start, end } = hitMarks;

  it('is in parts, those that were searched for marked', () => {
    expect(snippetOf(`a ${start}b${end} c ${start}d${end}`)).toEqual([
      { text: 'a ', hit: false },
      { text: 'b', hit: true },
      { text: ' c ', hit: false },
      { text: 'd', hit: true },
    ]);
  });

  it('loses no text, whatever marks a page has of its own', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(start, end, 'a', 'bc', ' '), { maxLength: 30 }), (pieces) => {
        const marked = pieces.join('');
        const parts = snippetOf(marked);
        expect(parts.map(({ text }) => text).join('')).toBe(marked.replaceAll(start, '').replaceAll(end, ''));
        expect(parts.every(({ text }) => text !== '')).toBe(true);
      }),
    );
  });
});

describe('word breaks', () => {
  it('are set where a script has none, and taken out again', () => {
    expect(withBreaks('Tokyo 東京都に住む').split('\u001f').length).toBeGreaterThan(3);
    expect(withBreaks('plain words')).toBe('plain words');
    expect(withBreaks('a <b> < c')).toBe('a <\u001fb> < c');
    expect(withBreaks('<!--'.repeat(1_000)).match(/<[^\u001f]/)).toBeNull();
    const longest = Math.max(...withBreaks('a_'.repeat(50_000)).split('\u001f').map(({ length }) => length)); // prettier-ignore
    expect(longest).toBe(256);
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('<', '東', '京', 'ก', 'า', 'a', ' ', '。') }), (text) => {
        expect(withoutBreaks(withBreaks(text))).toBe(text);
      }),
    );
  });
});
