/** How a found text is held against the known one, and how tables are printed. */

export interface Matches {
  readonly both: number;
  readonly foundOnly: number;
  readonly knownOnly: number;
}

/** Words; each sign of a script that sets no spaces is one. */
const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Myanmar}\p{Script=Khmer}\p{Script=Lao}]|[\p{L}\p{M}\p{N}]+/gu;
const run = 4;

/** Counts runs of four words, as the public article-extraction benchmark does. */
export function matchesOf(found: string, known: string): Matches {
  const [ours, theirs] = [runsOf(found), runsOf(known)];
  let both = 0;
  for (const [text, count] of theirs) both += Math.min(count, ours.get(text) ?? 0);
  return { both, foundOnly: total(ours) - both, knownOnly: total(theirs) - both };
}

const total = (runs: ReadonlyMap<string, number>): number =>
  [...runs.values()].reduce((sum, n) => sum + n, 0);

function runsOf(text: string): ReadonlyMap<string, number> {
  const words = [...text.normalize('NFC').matchAll(word)].map(([found]) => found);
  const runs = new Map<string, number>();
  const last = Math.max(words.length > 0 ? 1 : 0, words.length - run + 1);
  for (let at = 0; at < last; at++) {
    const each = words.slice(at, at + run).join(' ');
    runs.set(each, (runs.get(each) ?? 0) + 1);
  }
  return runs;
}

export interface Quality {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

/** Over pages, each of the same weight whatever its length. */
export function qualityOf(pages: readonly Matches[]): Quality {
  let [both, foundOnly, knownOnly] = [0, 0, 0];
  for (const page of pages) {
    const whole = Math.max(1, page.both + page.foundOnly + page.knownOnly);
    both += page.both / whole;
    foundOnly += page.foundOnly / whole;
    knownOnly += page.knownOnly / whole;
  }
  const [precision, recall] = [
    both / Math.max(1e-9, both + foundOnly),
    both / Math.max(1e-9, both + knownOnly),
  ];
  return { precision, recall, f1: (2 * precision * recall) / Math.max(1e-9, precision + recall) };
}

export function printTable(
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  process.stdout.write(`\n### ${title}\n\n| ${head.join(' | ')} |\n|${head.map(() => ' --- |').join('')}\n`);
  for (const row of rows) process.stdout.write(`| ${row.join(' | ')} |\n`);
}

export const share = (value: number): string => value.toFixed(4);

export function matchesOfSets(found: ReadonlySet<string>, known: ReadonlySet<string>): Matches {
  const both = [...found].filter((each) => known.has(each)).length;
  return { both, foundOnly: found.size - both, knownOnly: known.size - both };
}
