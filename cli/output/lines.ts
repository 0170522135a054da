/** Lines in and out, at the pace of the reader. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** The arguments, or, without any, the lines of standard input except blank ones. */
export async function* argumentsOrInput(given: readonly string[]): AsyncGenerator<string> {
  if (given.length > 0) {
    yield* given;
    return;
  }
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    if (line.trim() !== '') yield line;
  }
}

const chunkCharacters = 64 * 1024;

/** Writes one JSON object a line to standard output. */
export async function writeJsonLines(values: AsyncIterable<unknown> | Iterable<unknown>): Promise<void> {
  let chunk = '';
  const flush = async (): Promise<void> => {
    if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
    chunk = '';
  };
  for await (const value of values) {
    chunk += `${JSON.stringify(value)}\n`;
    if (chunk.length > chunkCharacters) await flush();
  }
  await flush();
}
