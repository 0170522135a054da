/** The statements that docs/operations.md gives operators, as they stand there. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** @param words that one of them has */
export function operationsSql(words: string): string {
  const page = readFileSync(path.join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
  const found = [...page.matchAll(/^```sql\n(.*?)^```/gms)].flatMap(([, sql = '']) =>
    sql.includes(words) ? [sql] : [],
  );
  const [only] = found;
  if (only === undefined || found.length > 1)
    throw new Error(`${String(found.length)} statements have ${words}`);
  return only;
}
