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

/** What a database says of its schema. Looking changes nothing. */
export interface DatabaseLook {
  /** The last migration that it has had; null: none. */
  readonly last: string | null;
  /** Those that `migrate` would run. */
  readonly pending: readonly string[];
  /** Why this code must not use it, and what to do; null: it may. */
  readonly refusal: { readonly says: string; readonly cure: string } | null;
  /** Milliseconds by which its clock is ahead of ours. */
  readonly aheadMs: number;
  /** Names of migrations that are folded by now. */
  readonly gone: readonly string[];
}

/** Looks at a database before it is migrated. @param dir of the migrations; tests name another */
export const lookAtDatabase = (databaseUrl: string, dir: string = migrations): Promise<DatabaseLook> =>
  withDatabase(databaseUrl, (db) => look(db, dir));

/** A schema that this code does not understand: no trying again helps. */
export class WrongSchema extends Error {
  override readonly name = 'WrongSchema';
}

async function refuseNewer(databaseUrl: string, dir: string): Promise<void> {
  await withDatabase(databaseUrl, async (db) => {
    const { refusal, gone } = await look(db, dir);
    if (refusal !== null) throw new WrongSchema(`${refusal.says} ${refusal.cure}`);
    if (gone.length > 0) await db.query('delete from migration where name = any ($1)', [gone]);
  });
}

const connectMs = 10_000;

async function withDatabase<T>(databaseUrl: string, use: (db: Client) => Promise<T>): Promise<T> {
  // One that says nothing is given up.
  const db = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: connectMs });
  await db.connect();
  try {
    return await use(db);
  } finally {
    await db.end();
  }
}

async function look(db: Client, dir: string): Promise<DatabaseLook> {
  const known = (await readdir(dir)).map((file) => path.parse(file).name).sort();
  const askedAt = Date.now();
  const { rows: tables } = await db.query<{ now: Date; there: boolean }>(
    `select clock_timestamp() as now, exists (select from pg_tables where tablename = 'migration') as there`,
  );
  const aheadMs = Number(tables[0]?.now ?? askedAt) - askedAt;
  const had =
    tables[0]?.there === true
      ? (await db.query<{ name: string }>('select name from migration order by id')).rows.map(
          ({ name }) => name,
        )
      : [];
  const unknown = had.filter((name) => !known.includes(name));
  const isFolded = had.includes(folded);
  const gone = unknown.filter((name) => isFolded && numberOf(name) < numberOf(folded));
  return {
    last: had.at(-1) ?? null,
    pending: known.filter((name) => !had.includes(name)),
    refusal: refusalOf(
      unknown.find((name) => !gone.includes(name)),
      // Released migrations stay as they are: another one in the place of ours was never released.
      known.includes(folded) && !isFolded ? had.at(-1) : undefined,
      Math.max(...known.map(numberOf)),
    ),
    aheadMs,
    gone,
  };
}

function refusalOf(
  unknown: string | undefined,
  stopped: string | undefined,
  ours: number,
): DatabaseLook['refusal'] {
  if (unknown !== undefined && numberOf(unknown) > ours)
    return {
      says: `The database was written by a newer version of Orbweaver: this version does not know the migration ${unknown}.`,
      cure: 'Start that newer version, or a later one; or restore a backup from before the upgrade for this one (docs/operations.md, "Upgrade").',
    };
  const last = unknown ?? stopped;
  if (last === undefined) return null;
  return {
    says: `The database was written by an unreleased build of Orbweaver, with the migration ${last}.`,
    cure: `This version cannot use it: start the build whose last migration is ${folded} on it first, or give this version an empty database.`,
  };
}
