/** Reads seeds from a stream of lines, and judges them some at a time. */
import { setImmediate as othersTurn } from 'node:timers/promises';
import { maxSeedBytes, maxSeedLineBytes, maxSeedLines, type AddedSeeds } from '../../contracts/http/seeds.ts';
import { rejectionSentence } from '../../domain/seeds.ts';
import { readSeeds, type SeedLine } from '../../storage/seeds/index.ts';
import { splitLines } from '../way-in/body-lines.ts';

export interface ReadLine {
  readonly seed: SeedLine;
  /** Null: the seed is good. */
  readonly rejected: AddedSeeds['rejected'][number] | null;
}

type LineReader = (text: string) => string | null;

/** RFC 2483, section 5: a line that starts with # is a comment. */
export const uriListLine: LineReader = (text) => (text.startsWith('#') ? '' : text);

/** A JSON string, or an object with the member `url`; null: neither. */
export const ndjsonLine: LineReader = (text) => {
  if (text.trim() === '') return '';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const url = typeof value === 'object' && value !== null && 'url' in value ? value.url : value;
  return typeof url === 'string' ? url : null;
};

const bounds = { bytes: maxSeedBytes, lines: maxSeedLines, lineBytes: maxSeedLineBytes };

/** A line of a body, from 1; null: it is too long to be held. */
export interface NumberedLine {
  readonly line: number;
  readonly bytes: Buffer | null;
}

/** @throws HttpProblem 413 past the limits of one body */
export async function* numberedLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<NumberedLine> {
  let line = 0;
  for await (const bytes of splitLines(chunks, bounds)) yield { line: ++line, bytes };
}

/** Lines that are judged before other requests have their turn: some milliseconds of work. */
const atATime = 100;

/** Empty lines and comments are left out. */
export async function judgeLines(lines: readonly NumberedLine[], read: LineReader): Promise<ReadLine[]> {
  const judged: ReadLine[] = [];
  for (const [at, line] of lines.entries()) {
    if (at % atATime === atATime - 1) await othersTurn();
    const one = judgeLine(line, read);
    if (one !== null) judged.push(one);
  }
  return judged;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function judgeLine({ line, bytes }: NumberedLine, read: LineReader): ReadLine | null {
  if (bytes === null)
    return refused(line, '', 'too-long', `is a line of more than ${String(maxSeedLineBytes)} bytes`);
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return refused(line, bytes.toString('latin1'), 'not-a-url', 'is not UTF-8');
  }
  const url = read(text);
  if (url === null)
    return refused(line, text, 'not-a-url', 'is neither a JSON string nor an object with a `url`');
  const [seed] = readSeeds([url]);
  if (seed === undefined) return null;
  if (seed.rejected === null) return { seed: { ...seed, line }, rejected: null };
  return refused(line, seed.url, seed.rejected, rejectionSentence(seed.rejected));
}

/** Characters kept of a line that is no URL. */
const keptOfBadLine = 2_048;

function refused(
  line: number,
  text: string,
  rejected: NonNullable<SeedLine['rejected']>,
  sentence: string,
): ReadLine {
  // Postgres text holds no NUL.
  const url = text.slice(0, keptOfBadLine).replaceAll('\0', '\ufffd').toWellFormed();
  return {
    seed: { line, url, rejected, place: null },
    rejected: { line, url, reason: `${rejected}: it ${sentence}` },
  };
}
