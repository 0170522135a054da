/**
 * What changed in a text: by lines, and by words where lines took the place of others. Comparing texts takes time with
 * the product of their lengths and their differences, so each comparison has a budget of time and steps. Beyond it the
 * differing part is told as a whole: what was there, then what is there now.
 */
import { diffArrays, diffWordsWithSpace } from 'diff';

export interface DiffPart {
  /** `skipped`: lines that did not change, left out. */
  readonly kind: 'same' | 'added' | 'removed' | 'skipped';
  /** With its line ends; empty where it was left out. */
  readonly text: string;
  /** Lines that were left out; 0 for all other kinds. */
  readonly lines: number;
}

export interface TextDiff {
  /** In the order of the text. The parts that are not `removed` make the later text, those not `added` the earlier. */
  readonly parts: readonly DiffPart[];
  /** False: the budget was spent, so that more is told as changed than did change. */
  readonly exact: boolean;
  /** Characters at the ends of the texts that were not compared. */
  readonly leftOut: number;
}

export interface DiffBudget {
  /** Milliseconds in all. */
  readonly ms: number;
  /** Lines, or words of one place, that may differ. */
  readonly edits: number;
}
const usual: DiffBudget = { ms: 500, edits: 2_000 };

/** Characters of each text. */
const mostCharacters = 400_000;
/** Characters of a place that is compared by words. */
const mostOfPlace = 20_000;
/** Unchanged lines shown before and after a change. */
const context = 3;

type Part = Pick<DiffPart, 'kind' | 'text'>;

export function diffTexts(before: string, after: string, budget = usual): TextDiff {
  const until = performance.now() + budget.ms;
  const one = linesOf(before.slice(0, mostCharacters));
  const other = linesOf(after.slice(0, mostCharacters));
  let [head, tail] = [0, 0];
  const shortest = Math.min(one.length, other.length);
  while (head < shortest && one[head] === other[head]) head++;
  while (tail < shortest - head && one.at(-1 - tail) === other.at(-1 - tail)) tail++;
  const [oldLines, newLines] = [one.slice(head, one.length - tail), other.slice(head, other.length - tail)];
  const limits = { timeout: budget.ms, maxEditLength: budget.edits };
  const found = diffArrays(oldLines, newLines, limits) as
    | readonly { readonly value: string[]; readonly added: boolean; readonly removed: boolean }[]
    | undefined;
  let exact = found !== undefined;
  const middle: Part[] =
    found === undefined
      ? [partOf('removed', oldLines), partOf('added', newLines)]
      : found.map(({ value, added, removed }) =>
          partOf(added ? 'added' : removed ? 'removed' : 'same', value),
        );
  const parts: Part[] = [];
  for (let at = 0; at < middle.length; at++) {
    const [part, next] = [middle[at], middle[at + 1]];
    if (part === undefined) break;
    if (part.kind !== 'removed' || next?.kind !== 'added') {
      parts.push(part);
      continue;
    }
    at++;
    const words = exact ? byWords(part.text, next.text, until - performance.now(), budget.edits) : null;
    if (words === null) exact = false;
    parts.push(...(words ?? [part, next]));
  }
  const whole = [partOf('same', one.slice(0, head)), ...parts, partOf('same', one.slice(one.length - tail))];
  const leftOut = Math.max(0, before.length - mostCharacters) + Math.max(0, after.length - mostCharacters);
  return { parts: withContext(joined(whole)), exact, leftOut };
}

/** With their line ends, so that lines make the text again. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
const partOf = (kind: Part['kind'], lines: readonly string[]): Part => ({ kind, text: lines.join('') });

/** Null: the budget does not do for it. */
function byWords(before: string, after: string, ms: number, edits: number): Part[] | null {
  if (ms <= 0 || before.length > mostOfPlace || after.length > mostOfPlace) return null;
  const found = diffWordsWithSpace(before, after, { timeout: ms, maxEditLength: edits }) as
    | readonly { readonly value: string; readonly added: boolean; readonly removed: boolean }[]
    | undefined;
  if (found === undefined) return null;
  const parts: Part[] = [];
  let [oldWords, newWords] = ['', ''];
  const endPlace = (): void => {
    parts.push({ kind: 'removed', text: oldWords }, { kind: 'added', text: newWords });
    [oldWords, newWords] = ['', ''];
  };
  for (const [at, { value, added, removed }] of found.entries()) {
    const next = found[at + 1];
    // White space between words that differ belongs to both: otherwise each word would be a place of its own.
    const isBetween = oldWords + newWords !== '' && (next?.added === true || next?.removed === true);
    if (removed) oldWords += value;
    else if (added) newWords += value;
    else if (isBetween && value.trim() === '') [oldWords, newWords] = [oldWords + value, newWords + value];
    else {
      endPlace();
      parts.push({ kind: 'same', text: value });
    }
  }
  endPlace();
  return parts;
}

/** Parts of one kind that follow each other as one, and none that is empty. */
function joined(parts: readonly Part[]): Part[] {
  const whole: Part[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (part.text === '') continue;
    if (last?.kind === part.kind) whole[whole.length - 1] = { ...last, text: last.text + part.text };
    else whole.push(part);
  }
  return whole;
}

/** Leaves out what did not change, but for a few lines around each change. */
function withContext(parts: readonly Part[]): DiffPart[] {
  return parts.flatMap((part, at): DiffPart[] => {
    const lines = part.kind === 'same' ? linesOf(part.text) : [];
    const [before, after] = [at === 0 ? 0 : context, at === parts.length - 1 ? 0 : context];
    const skipped = lines.length - before - after;
    if (skipped <= 1) return [{ ...part, lines: 0 }];
    const shown = [lines.slice(0, before), lines.slice(lines.length - after)].map((some) => some.join(''));
    return [
      { kind: 'same' as const, text: shown[0] ?? '', lines: 0 },
      { kind: 'skipped' as const, text: '', lines: skipped },
      { kind: 'same' as const, text: shown[1] ?? '', lines: 0 },
    ].filter(({ kind, text }) => kind === 'skipped' || text !== '');
  });
}
