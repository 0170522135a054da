/** Wall clocks of worker processes that a test sets, each by a file with its offset in seconds. */
import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const names = { folder: 'CHAOS_CLOCKS', library: 'CHAOS_LIBFAKETIME' } as const;

/** What `clockEnvironment` handed to this process. */
export const clockVariables = (): { readonly folder: string | null; readonly library: string | null } => ({
  folder: process.env[names.folder] ?? null,
  library: process.env[names.library] ?? null,
});

/** Of Debian's package libfaketime; null where it is not installed. */
export function findLibfaketime(): string | null {
  const folder = '/usr/lib';
  if (!existsSync(folder)) return null;
  const found = readdirSync(folder)
    .map((name) => path.join(folder, name, 'faketime', 'libfaketime.so.1'))
    .find((file) => existsSync(file));
  return found ?? null;
}

/** The offset of one process, or the one that processes start with. */
export const clockFile = (folder: string, of: number | 'start'): string =>
  path.join(folder, `clock-${String(of)}`);

/** A reader sees the old offset or the new one, never half of it. */
export function setClock(folder: string, of: number | 'start', seconds: number): void {
  const file = clockFile(folder, of);
  writeFileSync(`${file}.new`, `${seconds < 0 ? '' : '+'}${String(seconds)}\n`);
  renameSync(`${file}.new`, file);
}

export const clockEnvironment = (folder: string, library: string): Record<string, string> => ({
  [names.folder]: folder,
  [names.library]: library,
});
