/**
 * The key that verbs use on the embedded stack of a data folder: an admin's key of the instance, in the file
 * `admin-key` of that folder, which only the owner may read. A process that may read the key may also read the database
 * password beside it. prepare-database.ts makes the key.
 */
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface LocalKey {
  readonly key: string;
  readonly file: string;
  /** The key is new: nobody has seen it yet. */
  readonly made: boolean;
}

export const localKeyFile = (dataDir: string): string => path.join(dataDir, 'admin-key');

/** Null: no stack has been started on this folder yet. */
export function readLocalKey(dataDir: string): string | null {
  try {
    const key = readFileSync(localKeyFile(dataDir), 'utf8').trim();
    return key === '' ? null : key;
  } catch {
    return null;
  }
}

export function writeLocalKey(dataDir: string, key: string): void {
  const file = localKeyFile(dataDir);
  writeFileSync(`${file}.new`, `${key}\n`, { mode: 0o600 });
  chmodSync(`${file}.new`, 0o600);
  renameSync(`${file}.new`, file);
}
