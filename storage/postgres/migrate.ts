/**
 * Brings a database to the schema that this code expects. If several processes start at once, one migrates and the
 * others wait.
 */
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import { Client } from 'pg';
import path from 'node:path';

const migrations = fileURLToPath(new URL('../migrations', import.meta.url));

/** The line by which the runner announces a migration. */
const announced = /^### MIGRATION (\S+) \(UP\) ###/;

/**
 * Answers the names of the migrations that were run.
 * @param databaseUrl Postgres connection URL
 * @param dir of the migrations; tests name another
 * @throws Error that names the file of a migration that fails; nothing of that migration is left behind. Also throws if
 * the database has had migrations that are not in `dir`: another version wrote its rows, and this code would not
 * understand them
 */
export async function migrate(databaseUrl: string, dir: string = migrations): Promise<string[]> {
  await refuseNewer(databaseUrl, dir);
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

/** The number that a migration's name begins with. */
const numberOf = (name: string): number => Number.parseInt(name, 10);

async function refuseNewer(databaseUrl: string, dir: string): Promise<void> {
  const known = (await readdir(dir)).map((file) => path.parse(file).name);
  const db = new Client({ connectionString: databaseUrl });
  await db.connect();
  try {
    const { rows: tables } = await db.query(`select from pg_tables where tablename = 'migration'`);
    if (tables.length === 0) return;
    const { rows } = await db.query<{ name: string }>(
      'select name from migration where name <> all ($1) order by id limit 1',
      [known],
    );
    if (rows[0] === undefined) return;
    const { name } = rows[0];
    // Released migrations stay as they are: another one in the place of ours was never released.
    throw new Error(
      numberOf(name) <= Math.max(...known.map(numberOf))
        ? `The database was written by an unreleased build of Orbweaver, with the migration ${name}. This version cannot use it: give it an empty database.`
        : `The database was written by a newer version of Orbweaver: this version does not know the migration ${name}. Start that newer version, or a later one.`,
    );
  } finally {
    await db.end();
  }
}
