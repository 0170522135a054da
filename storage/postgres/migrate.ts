/**
 * Brings a database to the schema that this code expects. If several processes start at once, one migrates and the
 * others wait.
 */
import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PG_MIGRATE_LOCK_ID, runner } from 'node-pg-migrate';
import { Client, DatabaseError } from 'pg';
import path from 'node:path';

const migrations = fileURLToPath(new URL('../migrations', import.meta.url));

/** The line by which the runner announces a migration. */
const announced = /^### MIGRATION (\S+) \(UP\) ###/;

/**
 * Milliseconds for which a migration waits for a lock, for which it then leaves others alone, and how often it tries.
 * Whoever uses its table stands in line behind it meanwhile: behind a long read, all workers would until that ends.
 */
const usualPatience = { lockMs: 1_000, restMs: 4_000, tries: 12 };

/**
 * Answers the names of the migrations that were run.
 * @param databaseUrl Postgres connection URL
 * @param dir of the migrations; tests name another, and their patience
 * @throws Error that names the file of a migration that fails; nothing of that migration is left behind. Also throws if
 * the database has had migrations that are not in `dir`: another version wrote its rows, and this code would not
 * understand them
 */
export const migrate = (
  databaseUrl: string,
  dir: string = migrations,
  patience: typeof usualPatience = usualPatience,
): Promise<string[]> =>
  withDatabase(databaseUrl, async (db) => {
    // The runner's own lock, which other versions take too; held between two tries, so that only one waits in the way.
    await db.query('select pg_advisory_lock($1)', [PG_MIGRATE_LOCK_ID]);
    const { refusal, gone, pending } = await look(db, dir);
    if (refusal !== null) throw new WrongSchema(`${refusal.says} ${refusal.cure}`);
    if (gone.length > 0) await db.query('delete from migration where name = any ($1)', [gone]);
    await db.query(`set lock_timeout = ${String(patience.lockMs)}`);
    for (let tries = 1; ; tries++) {
      try {
        await run(db, dir);
        return [...pending];
      } catch (error) {
        if (tries === patience.tries || !isLockedOut(error)) throw error;
        await db.query('rollback');
        await sleep(patience.restMs);
      }
    }
  });

async function run(db: Client, dir: string): Promise<void> {
  const begun: string[] = [];
  try {
    await runner({
      dbClient: db,
      dir,
      direction: 'up',
      migrationsTable: 'migration',
      noLock: true,
      // Numbers are given before the work is done: a migration may come after one with a higher number.
      checkOrder: false,
      log: (message) => {
        begun.push(...(announced.exec(message)?.slice(1) ?? []));
      },
    });
  } catch (error) {
    const current = begun.at(-1);
    if (current === undefined) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`Migration ${path.join(dir, current)}.sql failed: ${why}`, { cause: error });
  }
}

/** Another session holds a lock (SQLSTATE `lock_not_available`). */
const isLockedOut = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof DatabaseError && error.cause.code === '55P03';

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

const connectMs = 10_000;

async function withDatabase<T>(databaseUrl: string, use: (db: Client) => Promise<T>): Promise<T> {
  // One that says nothing is given up.
  const db = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: connectMs });
  // One that is lost between two statements: the next one fails and tells.
  db.on('error', () => undefined);
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
