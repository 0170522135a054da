/** The file of `--out`: under its own name only once it is whole. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { CommandError, exitCodes } from './ending.ts';
import { reasonOf } from './words.ts';

export interface OutFile {
  readonly name: string;
  /** Writes one JSON object a line and gives the file its name. Answers how many. */
  write(values: AsyncIterable<unknown>): Promise<number>;
  /** Removes what is not whole. */
  discard(): Promise<void>;
}

/** Makes sure that the file can be written before hours are spent. @throws CommandError */
export async function openOutFile(name: string): Promise<OutFile> {
  const draft = `${name}.${String(process.pid)}.part`;
  try {
    if ((await stat(name).catch(() => null))?.isDirectory() === true) throw new Error('it is a folder');
    await (await open(draft, 'wx')).close();
  } catch (error) {
    throw new CommandError(`The file ${name} cannot be written: ${reasonOf(error)}.`);
  }
  return {
    name,
    write: async (values) => {
      try {
        const count = await writeAll(draft, values);
        await rename(draft, name);
        return count;
      } catch (error) {
        throw new CommandError(
          `The file ${name} could not be written: ${reasonOf(error)}.`,
          exitCodes.broken,
          {
            cause: error,
          },
        );
      }
    },
    discard: () => rm(draft, { force: true }),
  };
}

async function writeAll(file: string, values: AsyncIterable<unknown>): Promise<number> {
  const stream = createWriteStream(file, { flush: true });
  const done = finished(stream);
  done.catch(() => undefined);
  let count = 0;
  for await (const value of values) {
    count++;
    if (!stream.write(`${JSON.stringify(value)}\n`)) await Promise.race([once(stream, 'drain'), done]);
  }
  stream.end();
  await done;
  return count;
}
