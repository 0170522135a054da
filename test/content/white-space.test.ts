import { expect, it } from 'vitest';
import { foldWhiteSpace } from '../../content/white-space.ts';

it('is folded for every character of white space, and for every control character', () => {
  for (let code = 0; code <= 0xffff; code++) {
    const sign = String.fromCharCode(code);
    const expected = /[\s\p{Cc}]/u.test(sign) ? 'a b' : `a${sign}b`;
    expect(foldWhiteSpace(`a${sign}b`), code.toString(16)).toBe(expected);
  }
});

it('leaves single spaces, and makes one of several', () => {
  expect(foldWhiteSpace(' a b ')).toBe(' a b ');
  expect(foldWhiteSpace('  a \n\t b\u00a0 ')).toBe(' a b ');
});
