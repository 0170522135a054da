/**
 * The seeds file of a new crawl, of any length. The part that fits into a request goes with the crawl; the rest is
 * streamed to the crawl afterwards, so that only the beginning of the file is held in memory.
 */
import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { addedSeeds } from '../../contracts/http/seeds.ts';
import type { Api } from '../api/api.ts';
import { rejectionLine } from '../api/request.ts';
import { CommandError } from '../ending.ts';
import { grouped } from '../../domain/counted.ts';
import { reasonOf } from '../output/words.ts';

/** Bytes that go with the crawl; written as JSON they stay below the limit of a request. */
const headBytes = 4 * 1024 * 1024;
const newline = 0x0a;

/** The part of the file that is not read yet. */
export interface SeedsRest {
  readonly file: string;
  /** Byte at which the next line begins, and the number of lines before that line. */
  readonly start: number;
  readonly linesBefore: number;
}

/**
 * Reads the first part of the file. Comments and blank lines become empty seeds, so that the other seeds keep their
 * line numbers. @throws CommandError
 */
export async function readSeedsFile(
  file: string,
): Promise<{ readonly lines: string[]; readonly rest: SeedsRest | null }> {
  try {
    // A pipe has no size, and is read whole.
    const { size } = await stat(file);
    if (size <= headBytes) return { lines: linesOf(await readFile(file)), rest: null };
    const head = await readHead(file);
    const start = head.lastIndexOf(newline) + 1;
    if (start === 0)
      throw new CommandError(`The seeds file ${file} begins with a line that is too long to read.`);
    const lines = linesOf(head.subarray(0, start - 1));
    return { lines, rest: { file, start, linesBefore: lines.length } };
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`The seeds file ${file} cannot be read: ${reasonOf(error)}.`);
  }
}

/** Sends the part that is not read yet. Answers the sentences to print about that part. */
export async function sendRest(
  api: Api,
  crawlId: string,
  { file, start, linesBefore }: SeedsRest,
): Promise<string[]> {
  const body = (): AsyncIterable<Uint8Array> => createReadStream(file, { start });
  const added = await api.send(`/v1/crawls/${crawlId}/seeds`, addedSeeds, 'text/uri-list', body);
  const { accepted, rejectedCount, rejected } = added;
  const more = rejectedCount - rejected.length;
  return [
    ...rejected.map((seed) => `${file}, line ${String(seed.line + linesBefore)}: ${rejectionLine(seed)}`),
    ...(more > 0 ? [`and ${grouped(more)} more lines cannot be crawled`] : []),
    `${grouped(accepted)} more seeds of ${file} are added.`,
  ];
}

async function readHead(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

const linesOf = (bytes: Buffer): string[] =>
  bytes
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .split(/\r\n|\n|\r/)
    .map((line) => (line.trimStart().startsWith('#') ? '' : line.trim()));
