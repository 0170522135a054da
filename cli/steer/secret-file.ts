/** Files that hold a secret. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { CommandError } from '../ending.ts';
import { reasonOf } from '../output/words.ts';

/** @param file - for standard input @throws CommandError */
export async function readSecret(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandError(`The file ${file} cannot be read: ${reasonOf(error)}.`);
  }
}
