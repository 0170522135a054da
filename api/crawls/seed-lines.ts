/**
 * Reads seeds from a stream of lines and judges each line. No more of the stream is held than one line and one chunk.
 */
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

/** Empty lines and comments are left out, but count as lines. @throws HttpProblem 413 past the limits of one body */
export async function* readSeedLines(
  chunks: AsyncIterable<Buffer>,
  read: LineReader,
): AsyncGenerator<ReadLine> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 0;
  for await (const bytes of splitLines(chunks, bounds)) {
    line += 1;
    if (bytes === null) {
      yield refused(line, '', 'too-long', `is a line of more than ${String(maxSeedLineBytes)} bytes`);
      continue;
    }
    let text: string;
    try {
      text = decoder.decode(bytes);
    } catch {
      yield refused(line, bytes.toString('latin1'), 'not-a-url', 'is not UTF-8');
      continue;
    }
    const url = read(text);
    if (url === null) {
      yield refused(line, text, 'not-a-url', 'is neither a JSON string nor an object with a `url`');
      continue;
    }
    const [seed] = readSeeds([url]);
    if (seed === undefined) continue;
    if (seed.rejected === null) yield { seed: { ...seed, line }, rejected: null };
    else yield refused(line, seed.url, seed.rejected, rejectionSentence(seed.rejected));
  }
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
