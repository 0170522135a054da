import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePattern, validatePattern } from '../../domain/pattern.ts';
import { runs } from '../support/runs.ts';

/** The definition, as a table: row i, column j tells whether the first i of the pattern match the first j of the text. */
function matchesByDefinition(pattern: string, text: string): boolean {
  let row = Array.from({ length: text.length + 1 }, (_, j) => j === 0);
  for (const char of pattern) {
    const next: boolean[] = [];
    for (let j = 0; j <= text.length; j++) {
      const before = j > 0 && row[j - 1] === true;
      if (char === '*') next.push(row[j] === true || next[j - 1] === true);
      else next.push(before && (char === '?' || char === text[j - 1]));
    }
    row = next;
  }
  return row[text.length] === true;
}

describe('globs', () => {
  it.each([
    ['https://example.com/docs/*', 'https://example.com/docs/a/b?c=d', true],
    ['https://example.com/docs/*', 'https://example.com/docs/', true],
    ['https://example.com/docs/*', 'https://example.com/docs', false],
    ['*.pdf', 'https://example.com/a.pdf', true],
    ['*.pdf', 'https://example.com/a.pdf?x', false],
    ['*.PDF', 'https://example.com/a.pdf', false],
    ['*/page-??.html', 'https://example.com/page-12.html', true],
    ['*/page-??.html', 'https://example.com/page-1.html', false],
    ['*?page=*', 'https://example.com/list?page=2', true],
    ['docs', 'https://example.com/docs', false],
    ['*docs*', 'https://example.com/docs', true],
    ['*', '', true],
    ['**', 'a', true],
    ['?', '', false],
    ['a*a', 'a', false],
    ['a?*', 'a', false],
    ['.+(a)[b]$^|\\', '.+(a)[b]$^|\\', true],
    ['a.c', 'abc', false],
  ])('%s over %s: %s', (pattern, text, matches) => {
    expect(compilePattern(pattern)(text)).toBe(matches);
  });

  it('agree with the definition', () => {
    const pattern = fc.stringMatching(/^[ab*?]{0,10}$/);
    const text = fc.stringMatching(/^[ab]{0,14}$/);
    fc.assert(
      fc.property(pattern, text, (glob, subject) => {
        expect(compilePattern(glob)(subject)).toBe(matchesByDefinition(glob, subject));
      }),
      { numRuns: runs(5_000) },
    );
  });

  it('agree with the definition where literals are longer than a machine word', () => {
    const pattern = fc.stringMatching(/^\*?(a|b|\?){28,70}\*?(a|\?){0,3}\*$/);
    const text = fc.stringMatching(/^a{0,5}b?a{20,100}b?a{0,5}$/);
    const own = fc.tuple(pattern, fc.stringMatching(/^[ab]{70}$/)).map(([glob, letters]) => {
      const fitting = glob
        .replaceAll('*', 'ab')
        .replaceAll('?', (_char, at: number) => letters.charAt(at % 70));
      return [glob, `${letters.slice(0, 9)}${fitting}`] as const;
    });
    fc.assert(
      fc.property(fc.oneof(fc.tuple(pattern, text), own), ([glob, subject]) => {
        for (const each of [glob, `*${glob}`])
          expect(compilePattern(each)(subject)).toBe(matchesByDefinition(each, subject));
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('take no more than pattern × text steps on hostile patterns', () => {
    const text = 'a'.repeat(2_000);
    for (const hostile of [
      '*a'.repeat(490) + '*b',
      '*a?'.repeat(320) + '*b',
      '*' + '?a'.repeat(490) + 'b*',
    ]) {
      expect(compilePattern(hostile)(text)).toBe(false);
    }
  });
});

describe('validatePattern', () => {
  it.each(['*', 'https://example.com/*', '*?id=?', '*caf%C3%A9*'])('takes %s', (pattern) => {
    expect(validatePattern(pattern)).toBeNull();
  });

  it.each([
    ['', /empty/],
    ['a'.repeat(1_001), /1001 characters; 1000 are allowed/],
    ['*/a b', /" ".*%20/],
    ['*café*', /"é".*percent-encoded/],
    ['*\n', /"\\n"/],
    ['*#top', /fragments/],
    ['re:top', /include and exclude only/],
  ])('refuses %j and says why', (pattern, reason) => {
    expect(validatePattern(pattern)).toMatch(reason);
  });
});
