/** Brings a database to the schema this code expects. Several starters at once wait for one another. */
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';

const migrations = fileURLToPath(new URL('migrations', import.meta.url));

/** @param databaseUrl Postgres connection URL. Answers the names of the migrations that were run. */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const ran = await runner({
    databaseUrl,
    dir: migrations,
    direction: 'up',
    migrationsTable: 'migration',
    advisoryLockMode: 'wait',
    checkOrder: true,
    log: () => undefined,
  });
  return ran.map((migration) => migration.name);
}
