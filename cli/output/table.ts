/** Lists for people as tables, and for programs as JSON lines. */
import { writeJsonLines } from './lines.ts';

/** Words of others are shown, but must not control the terminal. */
export const printable = (text: string): string => text.replace(/[\0-\x1f\x7f-\x9f]/g, '\ufffd');

/** Columns as wide as their widest cell, two spaces between; the first row is the heading. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), 0),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

export interface Shown<T> {
  readonly heads: readonly string[];
  readonly row: (item: T) => readonly string[];
  /** Printed for an empty list. */
  readonly none: string;
}

/** JSON lines as they come, or one table at the end. */
export async function writeList<T>(
  items: AsyncIterable<T> | Iterable<T>,
  json: boolean,
  { heads, row, none }: Shown<T>,
): Promise<void> {
  if (json) {
    await writeJsonLines(items);
    return;
  }
  const rows: string[][] = [];
  for await (const item of items) rows.push(row(item).map(printable));
  writeLines(rows.length === 0 ? [none] : table([heads, ...rows]));
}

export function writeLines(lines: readonly string[], to: NodeJS.WritableStream = process.stdout): void {
  to.write(`${lines.join('\n')}\n`);
}

/** One item: JSON on one line, or lines for people. */
export function writeOne(
  item: unknown,
  json: boolean,
  lines: () => readonly string[],
  to: NodeJS.WritableStream = process.stdout,
): void {
  writeLines(json ? [JSON.stringify(item)] : lines().map(printable), to);
}

/** A created item: only its id for scripts, JSON on one line, or lines for people. */
export function writeMade(
  made: { readonly id: string },
  { id = false, json = false }: { readonly id?: boolean; readonly json?: boolean },
  lines: () => readonly string[],
): void {
  if (id) writeLines([made.id]);
  else writeOne(made, json, lines);
}

/** To the second, as people read it; the zone is UTC. */
export const moment = (instant: string | null, none = ''): string =>
  instant === null ? none : instant.replace('T', ' ').replace(/\.\d+Z$/, 'Z');
