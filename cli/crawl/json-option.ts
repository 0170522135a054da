/** Options with a JSON value, or with the name of a file that holds JSON. */
import { readFile } from 'node:fs/promises';
import { CommandError } from '../ending.ts';
import { reasonOf } from '../output/words.ts';

/** @param name of the option, without its dashes. @throws CommandError */
export async function readJsonOption(name: string, text: string): Promise<unknown> {
  const inline = text.trimStart().startsWith('{');
  const json = inline
    ? text
    : await readFile(text, 'utf8').catch((error: unknown) => {
        throw new CommandError(`The ${name} file ${text} cannot be read: ${reasonOf(error)}.`);
      });
  try {
    return JSON.parse(json) as unknown;
  } catch {
    throw new CommandError(`${inline ? `--${name}` : `The ${name} file ${text}`} is not valid JSON.`);
  }
}

/** `--keep-fresh`: nothing, a number of requests a day, or JSON. @throws CommandError */
export async function readKeepFresh(given: unknown): Promise<unknown> {
  if (given === true) return {};
  const text = String(given);
  return /^\d+$/.test(text) ? { requestsPerDay: Number(text) } : readJsonOption('keep-fresh', text);
}
