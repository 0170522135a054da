/** Text of tenants and hosts is shown in Temporal Web as text, whatever stands in it (F40). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainMarkdown } from '../../domain/plain-markdown.ts';
import { runs } from '../support/runs.ts';

/** As any reader of Markdown does last of all, when all structure is known. */
const decoded = (markdown: string): string =>
  markdown.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));

const hostile = fc.array(
  fc.oneof(
    fc.constantFrom(...Array.from('!"#$%&\'()*+,-./0123456789:;<=>?@[\\]^_`{|}~ \t\r\n\u2028\u202e\ud800')),
    fc.constantFrom('http://', 'mailto:', 'www.', '&#42;', '&lt;', '{namespace}', '```', '1. ', '---', '<b>'),
    fc.string({ unit: 'grapheme', maxLength: 3 }),
  ),
  { maxLength: 15 },
).map((parts) => parts.join('')); // prettier-ignore

describe('text of others', () => {
  it('makes nothing but text', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const shown = plainMarkdown(text);
        // No character is left that Markdown or HTML is made of: `&` begins an entity and stands nowhere else.
        expect(shown.replace(/&#\d+;/g, '')).not.toMatch(/[!#$&*+<=>@[\\\]^_`{|}~]|[\p{C}\p{Zl}\p{Zp}]/u);
        // Nothing that makes a list, a heading, a rule or a definition of a line, or an address of a word.
        expect(shown).not.toMatch(/^(?:\s|[-:.)]|\d+[.)])|[:](?! )/);
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('is read as it was written, on one line', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const line = text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
        expect(decoded(plainMarkdown(text))).toBe(line);
      }),
    );
    expect(plainMarkdown('tls: the certificate of a-b.example (x) has expired')).toBe(
      'tls: the certificate of a-b.example (x) has expired',
    );
  });

  it('is cut, and never within a character', () => {
    expect(plainMarkdown('💥'.repeat(1_000))).toBe(`${'💥'.repeat(299)}…`);
    expect(plainMarkdown('a'.repeat(300))).toBe('a'.repeat(300));
  });
});
