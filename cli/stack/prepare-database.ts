/**
 * Prepares the database of a stack that this command starts, before the API of that stack can start: the schema, and a
 * key for the verbs. No API can do that, so this is the one file of the command line that reaches Postgres by itself
 * (.dependency-cruiser.cjs); everything else goes through the API.
 */
import type { Config } from '../../config/config.ts';
import { adoptAdminKey, makeSecret } from '../../storage/tenancy/index.ts';
import { lastBackup } from '../../storage/backups/index.ts';
import { createPool, migrate, type Pool } from '../../storage/postgres/index.ts';
import { localKeyFile, readLocalKey, writeLocalKey, type LocalKey } from '../api/local-key.ts';

/** What a database would be migrated by, without doing so. */
export { lookAtDatabase, type DatabaseLook } from '../../storage/postgres/index.ts';

/** Seconds since the latest backup that is whole began; null: there is none. The schema must be there. */
export async function backupAge(databaseUrl: string): Promise<number | null> {
  const pool = createPool(databaseUrl, 1, () => undefined);
  try {
    return (await lastBackup(pool))[0]?.age_seconds ?? null;
  } finally {
    await pool.end();
  }
}

type KeyConfig = Pick<Config, 'dataDir' | 'adminKey'>;

export async function prepareDatabase(databaseUrl: string, config: KeyConfig): Promise<LocalKey> {
  await migrate(databaseUrl);
  const pool = createPool(databaseUrl, 1, () => undefined);
  try {
    return await provideLocalKey(pool, config);
  } finally {
    await pool.end();
  }
}

/**
 * The first of these keys that Postgres accepts: the key of the settings, the key of the folder, a new key. Postgres
 * knows the key that is returned.
 */
export async function provideLocalKey(pool: Pool, { dataDir, adminKey }: KeyConfig): Promise<LocalKey> {
  const file = localKeyFile(dataDir);
  const kept = readLocalKey(dataDir);
  for (const key of new Set([adminKey, kept])) {
    if (key === null || !(await adoptAdminKey(pool, key, 'command line'))) continue;
    writeLocalKey(dataDir, key);
    return { key, file, made: false };
  }
  // The file is written before Postgres learns the key: after a crash, the next start makes the key known.
  const key = makeSecret();
  writeLocalKey(dataDir, key);
  await adoptAdminKey(pool, key, 'command line');
  return { key, file, made: true };
}
