/** What changed in a text: parts that make both texts again, within a budget, whatever is compared. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffTexts, type DiffPart } from '../../content/text-diff.ts';
import { processorMs } from '../support/processor-time.ts';

const told = (parts: readonly DiffPart[]): string =>
  parts
    .map(({ kind, text, lines }) =>
      kind === 'skipped'
        ? `<${String(lines)}>`
        : kind === 'same'
          ? text
          : `${kind === 'added' ? '+' : '-'}[${text}]`,
    )
    .join('');
const lined = (word: string, count: number): string =>
  Array.from({ length: count }, (_, at) => `${word} ${String(at)}\n`).join('');

/** One of the texts again; lines that were left out are those of the other text at the same place. */
function rebuilt(parts: readonly DiffPart[], without: 'added' | 'removed', original: string): string {
  const lines = original.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  let text = '';
  for (const part of parts) {
    if (part.kind === without) continue;
    if (part.kind !== 'skipped') text += part.text;
    else {
      const at = (text.match(/\n/g) ?? []).length;
      text += lines.slice(at, at + part.lines).join('');
    }
  }
  return text;
}

describe('a difference of texts', () => {
  it('is told by words where a line took the place of another, and leaves out what did not change', () => {
    const before = `${lined('head', 20)}the bridge is closed\n${lined('tail', 2)}`;
    const after = `${lined('head', 20)}the bridge is open again\n${lined('tail', 2)}`;
    const { parts, exact, leftOut } = diffTexts(before, after);
    expect([exact, leftOut]).toEqual([true, 0]);
    expect(told(parts)).toBe('<18>head 18\nhead 19\nthe bridge is -[closed]+[open again]\ntail 0\ntail 1\n');
  });

  it('leaves out all that did not change before the first change and after the last, but for a few lines', () => {
    const { parts } = diffTexts(`old\n${lined('tail', 9)}`, `new\n${lined('tail', 9)}`);
    expect(told(parts)).toBe('-[old]+[new]\ntail 0\ntail 1\n<7>');
    expect(told(diffTexts(lined('same', 9), lined('same', 9)).parts)).toBe('<9>');
  });

  it('makes both texts again', () => {
    const text = fc
      .array(fc.array(fc.constantFrom('a', 'b', 'c', 'd e', ''), { maxLength: 4 }), { maxLength: 30 })
      .map((lines) => lines.map((words) => words.join(' ')).join('\n'));
    const texts = fc.tuple(text, text, text, text).map(([head, one, other, tail]) => ({
      before: `${head}\n${one}\n${tail}`,
      after: `${head}\n${other}\n${tail}`,
    }));
    fc.assert(
      fc.property(texts, fc.constantFrom(0, 3, 2_000), ({ before, after }, edits) => {
        const { parts } = diffTexts(before, after, { ms: 500, edits });
        expect(rebuilt(parts, 'added', before)).toBe(before);
        expect(rebuilt(parts, 'removed', after)).toBe(after);
        if (before === after)
          expect(parts.every(({ kind }) => kind === 'same' || kind === 'skipped')).toBe(true);
      }),
    );
  });

  it('ends within its budget on texts that have nothing in common, and says that it is not exact', () => {
    const [before, after] = [lined('one', 20_000), lined('other', 20_000)];
    let found = diffTexts('', '');
    expect(processorMs(() => (found = diffTexts(before, after, { ms: 200, edits: 1e9 })))).toBeLessThan(
      3_000,
    );
    const { parts, exact } = found;
    expect(exact).toBe(false);
    expect(parts.map(({ kind }) => kind)).toEqual(['removed', 'added']);
  });

  it('counts what it did not compare', () => {
    expect(diffTexts('x'.repeat(400_010), 'x'.repeat(400_003)).leftOut).toBe(13);
  });
});
