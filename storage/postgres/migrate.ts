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
    // Numbers are given before the work is done: a migration may come after one with a higher number.
    checkOrder: false,
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

/**
 * Those up to this one are told anew: what later ones had changed of a table stands where the table is made. A database
 * that has had it has the same schema, and forgets the names that are gone.
 */
const folded = '0067_turns_in_order';

async function refuseNewer(databaseUrl: string, dir: string): Promise<void> {
  const known = (await readdir(dir)).map((file) => path.parse(file).name);
  const db = new Client({ connectionString: databaseUrl });
  await db.connect();
  try {
    const { rows: tables } = await db.query(`select from pg_tables where tablename = 'migration'`);
    if (tables.length === 0) return;
    const { rows } = await db.query<{ name: string }>('select name from migration order by id');
    const unknown = rows.map(({ name }) => name).filter((name) => !known.includes(name));
    const isFolded = rows.some(({ name }) => name === folded);
    const gone = unknown.filter((name) => isFolded && numberOf(name) < numberOf(folded));
    await db.query('delete from migration where name = any ($1)', [gone]);
    const name = unknown.find((each) => !gone.includes(each));
    if (name !== undefined && numberOf(name) > Math.max(...known.map(numberOf)))
      throw new Error(
        `The database was written by a newer version of Orbweaver: this version does not know the migration ${name}. Start that newer version, or a later one.`,
      );
    // Released migrations stay as they are: another one in the place of ours was never released.
    const last = name ?? (known.includes(folded) && !isFolded ? rows.at(-1)?.name : undefined);
    if (last === undefined) return;
    throw new Error(
      `The database was written by an unreleased build of Orbweaver, with the migration ${last}. This version cannot use it: start the build whose last migration is ${folded} on it first, or give this version an empty database.`,
    );
  } finally {
    await db.end();
  }
}
