/**
 * Where the pages of a crawl are written (`--out`), remembered in the data folder until the file is whole, so that
 * `resume` writes it too. The file always has each page once: it is written anew from the stored pages, and takes its
 * name only once it is complete.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const noteOf = (dataDir: string, crawlId: string): string => path.join(dataDir, 'out-files', crawlId);

/** @param file as it was given, relative to the present folder or absolute */
export function rememberOut(dataDir: string, crawlId: string, file: string): void {
  const note = noteOf(dataDir, crawlId);
  mkdirSync(path.dirname(note), { recursive: true });
  writeFileSync(note, path.resolve(file));
}

/** Null: nothing is remembered. */
export function recallOut(dataDir: string, crawlId: string): string | null {
  try {
    return readFileSync(noteOf(dataDir, crawlId), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

export function forgetOut(dataDir: string, crawlId: string): void {
  rmSync(noteOf(dataDir, crawlId), { force: true });
}
