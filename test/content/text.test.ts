import * as fc from 'fast-check';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { foldLine, FoldedText } from '../../content/folded-text.ts';
import { textHash } from '../../content/text-hash.ts';
import { countWords } from '../../content/words.ts';

describe('countWords', () => {
  it.each([
    ['', 0],
    [' \n.,;—', 0],
    ['one', 1],
    ['One, two; three-four', 4],
    ['3.14 is π', 4],
    ['naïve café', 2],
    ['nai\u0308ve', 1],
    ['Привет мир', 2],
    ['안녕하세요 세계', 2],
    ['你好世界', 4],
    ['ひらがなとABC漢字', 8],
    ['𠀀𠀁', 2],
    ['𝐛𝐨𝐥𝐝 text', 2],
    ['😀 smile 😀', 1],
    ['हिन्दी भाषा', 2],
    ['\ud800lone\udc00', 1],
  ])('%j has %i', (text, words) => {
    expect(countWords(text)).toBe(words);
  });

  it('agrees with the rule written as a regular expression', () => {
    const rule =
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}])(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}\p{M}])*/gu;
    const some = fc.constantFrom(
      'a',
      'Z',
      '7',
      ' ',
      '-',
      '\n',
      'é',
      '\u0308',
      '漢',
      'カ',
      '한',
      '𠀀',
      '𝐛',
      '😀',
      'ก',
    );
    const text = fc.oneof(fc.string({ unit: some }), fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(text, (sample) => {
        expect(countWords(sample)).toBe([...sample.matchAll(rule)].length);
      }),
    );
  });
});

describe('countWords, of texts in Latin-1 and longer than its room for bytes', () => {
  it('counts what it counts beside a character of another script', () => {
    const latin = fc.string({
      unit: fc.integer({ min: 0, max: 0xff }).map((code) => String.fromCharCode(code)),
    });
    fc.assert(
      fc.property(latin, (text) => {
        expect(countWords(text)).toBe(countWords(`${text} 語`) - 1);
      }),
    );
  });

  it('counts all of a long text', () => {
    expect(countWords('word '.repeat(400_000))).toBe(400_000);
  });
});

describe('textHash', () => {
  const hashOf = (text: string) => Buffer.from(textHash(text)).toString('hex');

  it('is SHA-256 of the lower-cased text', () => {
    expect(hashOf('Hello World')).toBe(createHash('sha256').update('hello world').digest('hex'));
    expect(textHash('')).toHaveLength(32);
  });

  it('does not depend on case or on where blocks end, but on every word', () => {
    expect(hashOf('Hello\nWorld')).toBe(hashOf('hello world'));
    expect(hashOf('hello worlds')).not.toBe(hashOf('hello world'));
  });
});

describe('FoldedText', () => {
  const fold = (...pieces: string[]) => {
    const text = new FoldedText(1_000);
    for (const piece of pieces) text.add(piece);
    return text.finish();
  };

  it.each([
    [['  a \t\r\n b\u00a0\u2003c  '], 'a b c'],
    [['a', 'b'], 'ab'],
    [['a ', ' b'], 'a b'],
    [['a', ' ', '\n', 'b'], 'a b'],
    [['a', '', 'b'], 'ab'],
    [['\u0001a\u0007b\u007f'], 'a b'],
    [['e', '\u0301'], 'é'],
    [[' ', '\n'], ''],
  ])('%j becomes %j', (pieces, text) => {
    expect(fold(...pieces)).toBe(text);
  });

  it('parts blocks by one line break, never at the ends', () => {
    const text = new FoldedText(100);
    text.breakBlock();
    text.add(' a ');
    text.breakBlock();
    text.add('  ');
    text.breakBlock();
    text.add('b');
    text.breakBlock();
    expect(text.finish()).toBe('a\nb');
    expect(text.leftOut).toBe(0);
  });

  it('does not depend on how the text was cut into pieces', () => {
    const unit = fc.constantFrom('a', 'b', ' ', '\n', '\u00a0', 'e', '\u0301', '\u0002');
    fc.assert(
      fc.property(fc.array(fc.string({ unit })), (pieces) => {
        expect(fold(...pieces)).toBe(fold(pieces.join('')));
      }),
    );
  });

  // https://unicode.org/reports/tr15/#Detecting_Normalization_Forms: no quick check below U+0300 says No or Maybe.
  it('is in NFC and well-formed, whatever its characters are', () => {
    const below = fc.string({
      unit: fc.integer({ min: 0x21, max: 0x2ff }).map((code) => String.fromCharCode(code)),
    });
    const any = fc.string({
      unit: fc.integer({ min: 0x21, max: 0xffff }).map((code) => String.fromCharCode(code)),
    });
    fc.assert(
      fc.property(fc.oneof(below, any), (given) => {
        const text = new FoldedText(1_000);
        text.add(given);
        expect(text.finish()).toBe(text.raw.toWellFormed().normalize('NFC'));
      }),
    );
    for (const given of ['e\u0301', '\u212b', '\ud800', '\u0344'])
      expect(foldLine(given, 9)?.text).toBe(given.toWellFormed().normalize('NFC'));
    for (let code = 0x21; code < 0x300; code++)
      for (const char of ['', 'a'])
        expect((char + String.fromCharCode(code)).normalize('NFC')).toBe(char + String.fromCharCode(code));
  });

  it('cuts at the limit, between characters, and says by how much', () => {
    expect(foldLine('abcdef', 4)).toEqual({ text: 'abcd', leftOut: 2 });
    expect(foldLine('abc😀', 4)?.text).toBe('abc');
    expect(foldLine('ab  cd', 3)?.text).toBe('ab');
    expect(foldLine(' \n ', 3)).toBeNull();
    const exact = new FoldedText(2);
    exact.add('ab');
    exact.add(' \n');
    expect([exact.finish(), exact.leftOut]).toEqual(['ab', 0]);
    exact.add('c');
    expect([exact.finish(), exact.leftOut]).toEqual(['ab', 1]);
  });
});
