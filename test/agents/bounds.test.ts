/** Results for agents are bounded, say what is left, and can be asked for to their end. */
import { describe, expect, it } from 'vitest';
import {
  fittingOf,
  linesOf,
  mostCharacters,
  partThatFits,
  pieceOf,
  shortened,
  webCharacters,
} from '../../agents/bounds.ts';
import { resultOf } from '../../agents/server.ts';
import { markLength } from '../../agents/untrusted.ts';

describe('a text in pieces', () => {
  it('is whole when its pieces are put together, and no character is split', () => {
    const whole = 'a🕷b🕸️c'.repeat(5);
    for (const most of [2, 3, 7]) {
      let read = '';
      for (let at = 0; at < whole.length;) {
        const piece = pieceOf(whole, at, most);
        expect(piece.from).toBe(at);
        expect(piece.text.isWellFormed()).toBe(true);
        expect(piece.text.length).toBeLessThanOrEqual(most);
        read += piece.text;
        at = piece.to;
      }
      expect(read).toBe(whole);
    }
  });

  it('is empty behind its end', () => {
    expect(pieceOf('abc', 10)).toEqual({ text: '', from: 3, to: 3, of: 3 });
  });
});

it('long texts and lists within an item are cut, and say how much is missing', () => {
  const value = { a: 'x'.repeat(510), b: [1, { c: 'y' }], d: Array.from({ length: 53 }, () => null) };
  expect(shortened(value)).toEqual({
    a: `${'x'.repeat(500)}… (10 more characters)`,
    b: [1, { c: 'y' }],
    d: [...Array.from({ length: 50 }, () => null), '… (3 more)'],
  });
});

describe('a part of a list', () => {
  /** Cursors are places. */
  const listOf =
    (all: readonly string[], asked: number[] = []) =>
    (from: number) =>
    (limit: number) => {
      asked.push(limit);
      const to = Math.min(all.length, from + limit);
      return Promise.resolve({
        items: all.slice(from, to),
        next: to < all.length ? String(to) : null,
      });
    };

  it('has as many items as fit, and its cursor is behind the last of them', async () => {
    const all = Array.from({ length: 200 }, (_, at) => `${String(at)} ${'x'.repeat(480)}`);
    const asked: number[] = [];
    const ask = listOf(all, asked);
    const read: string[] = [];
    for (let at = 0; ;) {
      const { items, answer } = await partThatFits(100, ask(at), (text) => ({ text }));
      expect(linesOf(items).length).toBeLessThanOrEqual(webCharacters);
      read.push(...items.map((item) => (item as { text: string }).text));
      if (answer.next === null) break;
      at = Number(answer.next);
    }
    expect(read).toEqual(all);
    expect(Math.max(...asked)).toBe(100);
  });

  it('has one item at least, however large', async () => {
    const fields = Object.fromEntries(
      Array.from({ length: 90 }, (_, at) => [`f${String(at)}`, 'x'.repeat(500)]),
    );
    expect(fittingOf([fields])).toBe(0);
    const { items } = await partThatFits(5, listOf(['one', 'two'])(0), () => fields);
    expect(items).toHaveLength(1);
    expect(linesOf(items).length).toBeLessThanOrEqual(webCharacters);
  });
});

it('a result of a whole piece stays within the bound of a result', () => {
  const says = ['Characters 0 to 30,000 of 90,000.', '60,000 characters are left: read_page reads on.'];
  const { content } = resultOf({ says, web: 'x'.repeat(webCharacters) });
  const [text] = content;
  expect(text?.type === 'text' ? text.text.length : 0).toBe(
    says.join('\n').length + 2 + markLength + webCharacters,
  );
  expect(markLength + webCharacters).toBeLessThan(mostCharacters);
});

it('a result that is too long is cut and says so', () => {
  const [text] = resultOf({ says: ['x'.repeat(mostCharacters + 7)] }).content;
  expect(text).toMatchObject({ text: expect.stringContaining('… 7 characters were cut off.') as string });
});
