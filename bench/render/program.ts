/** All that are measured use the same browser. */
import { findBrowser } from '../../browser/find.ts';

export function browserProgram(): string {
  const search = findBrowser(null, process.env);
  if ('none' in search) throw new Error(search.none);
  return search.program;
}
