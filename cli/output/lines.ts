/** Lines in and out, at the pace of the reader. */
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { CommandError } from '../ending.ts';
import { reasonOf } from './words.ts';

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

/** @throws CommandError if the file cannot be read, before anything is sent */
export async function readable(what: string, file: string): Promise<void> {
  try {
    const handle = await open(file);
    try {
      await handle.read(Buffer.alloc(1), 0, 1, 0);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw new CommandError(`The ${what} file ${file} cannot be read: ${reasonOf(error)}.`);
  }
}

/** Sentences to the people who run a verb. */
export type Say = (sentence: string) => void;

export const sayPlainly: Say = (sentence) => {
  process.stderr.write(`${sentence}\n`);
};
