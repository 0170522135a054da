/** Writes secrets that are shown once to a file that only its owner may read. */
import { open, rm } from 'node:fs/promises';
import { CommandError } from '../ending.ts';
import { reasonOf } from '../output/words.ts';

/** Makes the file before the secret: a secret that could not be saved would be lost. @throws CommandError */
export async function writeSecretFile<T>(
  file: string,
  make: () => Promise<T>,
  secretOf: (made: T) => string,
): Promise<T> {
  const handle = await open(file, 'wx', 0o600).catch((error: unknown) => {
    const there = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw new CommandError(
      `The file ${file} cannot be written: ${there ? 'it exists already' : reasonOf(error)}.`,
    );
  });
  try {
    const made = await make();
    await handle.writeFile(`${secretOf(made)}\n`);
    await handle.sync();
    return made;
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}
