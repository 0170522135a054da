/** `--focus`: words, or @FILE for a page that is an example. */
import { readFile } from 'node:fs/promises';
import { CommandError } from '../ending.ts';
import { reasonOf } from '../output/words.ts';

/** As the API takes it. @throws CommandError if a file cannot be read */
export async function readFocus(
  given: readonly string[],
): Promise<{ readonly words: readonly string[]; readonly examples: readonly string[] }> {
  const files = given.filter((text) => text.startsWith('@')).map((text) => text.slice(1));
  const words = given.filter((text) => !text.startsWith('@')).flatMap((text) => text.split(','));
  const examples: string[] = [];
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      throw new CommandError(`The example ${file} cannot be read: ${reasonOf(error)}.`);
    });
    examples.push(text);
  }
  return { words: words.map((word) => word.trim()), examples };
}
