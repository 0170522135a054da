/** The request headers of `--header`, each given as `Name: value`. */
import { CommandError } from '../ending.ts';

/** @throws CommandError, which never holds a part of a value */
export function readHeaders(given: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (const header of given) {
    const [, name, value] = /^([^\s:]+):[ \t]*(.*)$/s.exec(header) ?? [];
    if (name === undefined || value === undefined)
      throw new CommandError('--header cannot be used: write it as "Name: value".');
    if (headers.has(name)) throw new CommandError(`--header cannot be used: ${name} is given twice.`);
    headers.set(name, value);
  }
  return Object.fromEntries(headers);
}
