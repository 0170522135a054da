/** Secrets that the API shows once: on the screen, or in a file that only its owner may read. */
import { open, rm } from 'node:fs/promises';
import type { z } from 'zod';
import { anyApi, type ApiOptions } from '../api/target.ts';
import { CommandError } from '../ending.ts';
import { writeMade } from '../output/table.ts';
import { reasonOf } from '../output/words.ts';

/** Options of a verb that makes something with a secret. */
export const secretOptions = {
  '--save <file>':
    'write the key to this new file, which only its owner can read, instead of showing the key',
  '--id': 'write only the id, for scripts',
  '--json': 'as JSON',
} as const;

interface Making<T> {
  readonly path: string;
  /** @throws CommandError if the API would refuse it */
  readonly wanted: () => unknown;
  readonly answer: z.ZodType<T>;
  /** What was made, in one sentence. */
  readonly line: (made: T) => string;
  /** The field that is the secret, and how the sentence goes on. */
  readonly secret: keyof T & string;
  readonly called: string;
}

/** Makes it, and shows or saves its secret. @throws CommandError */
export async function makeWithSecret<T extends { readonly id: string }>(
  given: ApiOptions & { readonly save: string | undefined; readonly id: boolean; readonly json: boolean },
  { path, wanted, answer, line, secret, called }: Making<T>,
): Promise<void> {
  const { save, id } = given;
  if (id && save === undefined)
    throw new CommandError('--id would hide the key, which is shown only once. Give --save as well.');
  const body = wanted();
  const api = await anyApi(given);
  const make = (): Promise<T> => api.create(path, answer, body);
  if (save === undefined) {
    const made = await make();
    writeMade(made, given, () => [`${line(made)} ${called} is shown only once:`, String(made[secret])]);
    return;
  }
  const made = await saved(save, make, secret);
  writeMade({ ...made, [secret]: undefined }, given, () => [`${line(made)} ${called} is in ${save}.`]);
}

/** Makes the file before the secret: a secret that could not be saved would be lost. @throws CommandError */
async function saved<T>(file: string, make: () => Promise<T>, secret: keyof T): Promise<T> {
  const handle = await open(file, 'wx', 0o600).catch((error: unknown) => {
    const there = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw new CommandError(
      `The file ${file} cannot be written: ${there ? 'it exists already' : reasonOf(error)}.`,
    );
  });
  try {
    const made = await make();
    await handle.writeFile(`${String(made[secret])}\n`);
    await handle.sync();
    return made;
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}
