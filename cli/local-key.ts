/**
 * The key that verbs use on the embedded stack of a data folder: a key of an admin of the instance, in `admin-key`
 * there, which only the owner may read. A process that may read the key may also read the database password beside it.
 */
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { adoptAdminKey, makeSecret } from '../storage/tenancy/index.ts';
import type { Pool } from '../storage/postgres/index.ts';

export interface LocalKey {
  readonly key: string;
  readonly file: string;
  /** The key is new: nobody has seen it yet. */
  readonly made: boolean;
}

const fileOf = (dataDir: string): string => path.join(dataDir, 'admin-key');

/** Null: no stack was ever started on this folder. */
export function readLocalKey(dataDir: string): string | null {
  try {
    const key = readFileSync(fileOf(dataDir), 'utf8').trim();
    return key === '' ? null : key;
  } catch {
    return null;
  }
}

/** The file is written before Postgres learns the key: after a crash, the next start makes the key known. */
function writeLocalKey(dataDir: string, key: string): void {
  const file = fileOf(dataDir);
  writeFileSync(`${file}.new`, `${key}\n`, { mode: 0o600 });
  chmodSync(`${file}.new`, 0o600);
  renameSync(`${file}.new`, file);
}

/**
 * The key of the folder, or the key that is set, or a new key if that one was revoked or there is none. Postgres knows
 * the key that is returned.
 */
export async function provideLocalKey(
  pool: Pool,
  { dataDir, adminKey }: Pick<Config, 'dataDir' | 'adminKey'>,
): Promise<LocalKey> {
  const file = fileOf(dataDir);
  const kept = readLocalKey(dataDir);
  for (const key of new Set([adminKey, kept])) {
    if (key === null || !(await adoptAdminKey(pool, key, 'command line'))) continue;
    writeLocalKey(dataDir, key);
    return { key, file, made: false };
  }
  const key = makeSecret();
  writeLocalKey(dataDir, key);
  await adoptAdminKey(pool, key, 'command line');
  return { key, file, made: true };
}
