/**
 * Sorts the lines of a part of a draft, however many there are: runs that fit into memory are sorted and written, and
 * then merged. What the merge holds of all runs is about one run.
 */
import type { Draft } from '../../storage/exports/index.ts';

/** Characters of a run, about. */
const usualRun = 16 * 1024 * 1024;
/** Bytes read at once of each run while they are merged: no more, and no fewer. */
const [largestPiece, leastPiece] = [1024 * 1024, 4096];
const runs = 'runs';

/** Lines, without their ends, in the order of their characters. Each line of the part must have an end. */
export async function* sortedLines(draft: Draft, part: string, runLength = usualRun): AsyncGenerator<string> {
  const ends: number[] = [];
  let run: string[] = [];
  let length = 0;
  const write = async (): Promise<void> => {
    run.sort();
    for (const line of run) await draft.append(runs, `${line}\n`);
    ends.push(draft.length(runs));
    run = [];
    length = 0;
  };
  for await (const line of linesOf(draft, part, 0, draft.length(part), largestPiece)) {
    run.push(line);
    length += line.length;
    if (length >= runLength) await write();
  }
  if (run.length > 0) await write();
  const piece = Math.min(largestPiece, Math.max(leastPiece, Math.floor(runLength / ends.length)));
  yield* merged(ends.map((end, at) => linesOf(draft, runs, ends[at - 1] ?? 0, end, piece)));
}

async function* linesOf(
  draft: Draft,
  part: string,
  from: number,
  to: number,
  piece: number,
): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of draft.read(part, from, to, piece)) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(10) + 1;
    if (end > 0) yield* bytes.toString('utf8', 0, end - 1).split('\n');
    rest = bytes.subarray(end);
  }
}

interface Source {
  line: string;
  readonly rest: AsyncGenerator<string>;
}

/** A heap of the first lines of all runs: each step costs as much as the logarithm of their number. */
async function* merged(sources: readonly AsyncGenerator<string>[]): AsyncGenerator<string> {
  const heap: Source[] = [];
  for (const rest of sources) {
    const next = await rest.next();
    if (next.done !== true) heap.push({ line: next.value, rest });
  }
  heap.sort((a, b) => (a.line < b.line ? -1 : 1));
  for (let top = heap[0]; top !== undefined; top = heap[0]) {
    yield top.line;
    const next = await top.rest.next();
    const last = next.done === true ? heap.pop() : undefined;
    if (next.done !== true) top.line = next.value;
    else if (last !== undefined && heap.length > 0) heap[0] = last;
    sink(heap);
  }
}

/** Brings the first element to its place. */
function sink(heap: Source[]): void {
  const lineAt = (at: number): string | undefined => heap[at]?.line;
  for (let at = 0; ;) {
    const [left, right] = [2 * at + 1, 2 * at + 2];
    const [ofLeft, ofRight] = [lineAt(left), lineAt(right)];
    const least = ofRight !== undefined && ofLeft !== undefined && ofRight < ofLeft ? right : left;
    const [upper, lower] = [heap[at], heap[least]];
    if (upper === undefined || lower === undefined || upper.line <= lower.line) return;
    heap[at] = lower;
    heap[least] = upper;
    at = least;
  }
}
