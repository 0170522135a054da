/** Brings a database to the schema this code expects. Several starters at once wait for one another. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';

const migrations = fileURLToPath(new URL('migrations', import.meta.url));

/** As the runner announces a migration. */
const announced = /^### MIGRATION (\S+) \(UP\) ###/;

/**
 * Answers the names of the migrations that were run.
 * @param databaseUrl Postgres connection URL; @param dir of migrations, for tests
 * @throws Error that names the file of a migration that fails; nothing of that one is left behind
 */
export async function migrate(databaseUrl: string, dir: string = migrations): Promise<string[]> {
  let current: string | null = null;
  const ran = await runner({
    databaseUrl,
    dir,
    direction: 'up',
    migrationsTable: 'migration',
    advisoryLockMode: 'wait',
    checkOrder: true,
    log: (message) => {
      current = announced.exec(message)?.[1] ?? current;
    },
  }).catch((error: unknown) => {
    if (current === null) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`Migration ${path.join(dir, current)}.sql failed: ${why}`, { cause: error });
  });
  return ran.map((migration) => migration.name);
}
