/** Requests are checked as the API does, before the API is asked or anything is started. */
import type { z } from 'zod';
import { inWords } from '../contracts/http/wording.ts';
import { CommandError } from './ending.ts';

/**
 * @param typed what people typed for the field at a path, such as `--since`; undefined: the message alone says it
 * @throws CommandError with one sentence on the first thing that is wrong
 */
export function judged<T>(
  schema: z.ZodType<T>,
  wanted: unknown,
  typed: (path: readonly string[]) => string | undefined,
): T {
  const { data, error } = schema.safeParse(wanted, { error: inWords });
  if (error === undefined) return data;
  const [issue] = error.issues;
  const place = typed(issue?.path.map(String) ?? []);
  const message = (issue?.message ?? 'it is not valid').replace(/\.$/, '');
  throw new CommandError(place === undefined ? `${message}.` : `${place} cannot be used: ${message}.`);
}
