/** The file of `--out`: it gets its own name only once it is whole. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { grouped } from '../../domain/counted.ts';
import { CommandError, exitCodes } from '../ending.ts';
import { sayPlainly } from './lines.ts';
import { reasonOf } from './words.ts';

/** The file name that means standard output. */
export const standardOutput = '-';

export interface OutFile {
  readonly name: string;
  /** Writes one JSON object a line and gives the file its name. Answers how many objects were written. */
  write(values: AsyncIterable<unknown>): Promise<number>;
  /**
   * Writes bytes as they come and gives the file its name. Answers how many bytes were written. @throws the error of
   * the source
   */
  copy(chunks: AsyncIterable<Uint8Array>): Promise<number>;
  /** Removes the file unless it is whole. */
  discard(): Promise<void>;
}

/** Checks that the file can be written before hours are spent. @throws CommandError */
export async function openOutFile(name: string): Promise<OutFile> {
  const draft = `${name}.${String(process.pid)}.part`;
  try {
    const there = await stat(name).catch(() => null);
    if (there?.isDirectory() === true) throw new Error('it is a folder');
    // The new file would replace it.
    if (there?.isFile() === false) throw new Error('it exists and is not a file');
    await (await open(draft, 'wx')).close();
  } catch (error) {
    throw new CommandError(`The file ${name} cannot be written: ${reasonOf(error)}.`);
  }
  const finish = async (written: Promise<number>): Promise<number> => {
    try {
      const count = await written;
      await rename(draft, name);
      return count;
    } catch (error) {
      // An error of the source is about the source, not about the file.
      if (error instanceof CommandError) throw error;
      throw new CommandError(`The file ${name} could not be written: ${reasonOf(error)}.`, exitCodes.broken, {
        cause: error,
      });
    }
  };
  return {
    name,
    write: (values) => finish(writeAll(draft, values, (value) => [`${JSON.stringify(value)}\n`, 1])),
    copy: (chunks) => finish(writeAll(draft, chunks, (chunk) => [chunk, chunk.length])),
    discard: () => rm(draft, { force: true }),
  };
}

/** @param form the text to write for a value, and the number that the value counts for */
async function writeAll<T>(
  file: string,
  values: AsyncIterable<T>,
  form: (value: T) => readonly [string | Uint8Array, number],
): Promise<number> {
  const stream = createWriteStream(file, { flush: true });
  const done = finished(stream);
  done.catch(() => undefined);
  let count = 0;
  try {
    for await (const value of values) {
      const [chunk, weight] = form(value);
      count += weight;
      if (!stream.write(chunk)) await Promise.race([once(stream, 'drain'), done]);
    }
  } catch (error) {
    stream.destroy();
    throw error;
  }
  stream.end();
  await done;
  return count;
}

/**
 * Bytes to the file of `--out`, which is opened before `work` begins, or to standard output (no file, or `-`): there, what
 * was written stays if the stream breaks off, and the exit code says that it is not everything.
 */
export async function streamTo<T>(
  out: string | undefined,
  work: (write: (chunks: AsyncIterable<Uint8Array>) => Promise<void>) => Promise<T>,
): Promise<T> {
  const file = out === undefined || out === standardOutput ? null : await openOutFile(out);
  try {
    return await work(async (chunks) => {
      if (file !== null)
        sayPlainly(`${grouped(await file.copy(chunks))} bytes were written to ${file.name}.`);
      else
        for await (const chunk of chunks)
          if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
    });
  } finally {
    await file?.discard();
  }
}
