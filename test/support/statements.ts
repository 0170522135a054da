/** Every prepared statement of storage/, exported or not, as its family makes it. */
import { readdirSync } from 'node:fs';
import { vi } from 'vitest';
import type { statement } from '../../storage/postgres/index.ts';

const folder = new URL('../../storage/', import.meta.url);

export interface MadeStatement {
  /** As it is exported; if it is not, the name by which Postgres knows it. */
  readonly name: string;
  readonly text: string;
  /** The name by which Postgres knows it. */
  readonly preparedAs: string;
  /** Of its values, if they come as a record. */
  readonly values: readonly string[];
}

/** Loads the families anew, with a maker that notes what it makes, for the caller alone. */
export async function allStatements(): Promise<readonly MadeStatement[]> {
  const made: Omit<MadeStatement, 'preparedAs'>[] = [];
  vi.resetModules();
  vi.doMock('../../storage/postgres/statement.ts', async (original) => {
    const makers = Object.entries(await original<Readonly<Record<string, typeof statement>>>());
    return Object.fromEntries(
      makers.map(([kind, make]) => [
        kind,
        (name: string, longestMs?: number) => {
          const tag = make<[], object>(name, longestMs);
          return (...template: Parameters<typeof tag>) => {
            const one = tag(...template);
            made.push({ name, text: one.text, values: one.names });
            return one;
          };
        },
      ]),
    );
  });
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.sql.ts'),
  );
  const exported = new Map<string, string>();
  for (const file of files) {
    const family = (await import(new URL(file, folder).href)) as object;
    for (const [name, value] of Object.entries(family) as [string, unknown][]) {
      if (typeof value === 'function' && 'text' in value) exported.set(String(value.text), name);
    }
  }
  vi.doUnmock('../../storage/postgres/statement.ts');
  vi.resetModules();
  return made.map(({ name, text, values }) => ({
    name: exported.get(text) ?? name,
    text,
    preparedAs: name,
    values,
  }));
}
