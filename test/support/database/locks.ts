/** Locks and connections: what other connections do, and what a test keeps them from doing. */
import { rankingLock } from '../../../storage/pages/index.ts';
import type { Pool, Queryable } from '../../../storage/postgres/index.ts';

/** How many connections to this database wait for a lock. */
export const waitingForLocks = (db: Queryable): Promise<number> =>
  connections(db, `wait_event_type = 'Lock'`);

/** How many other connections to this database run a statement or hold a transaction open. */
export const busyConnections = (db: Queryable): Promise<number> => connections(db, `state <> 'idle'`);
export const otherConnections = (db: Queryable): Promise<number> => connections(db, 'true');

async function connections(db: Queryable, condition: string): Promise<number> {
  // Within a transaction all looks would see what the first one saw.
  await db.query('select pg_stat_clear_snapshot()');
  const { rows } = await db.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and ${condition}`,
  );
  return rows[0]?.n ?? 0;
}

/** Rejects where the database does not answer. */
export async function askDatabase(db: Queryable): Promise<void> {
  await db.query('select 1');
}

/** Ends all other connections to this database. */
export async function dropConnections(db: Queryable): Promise<void> {
  await db.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
}

/** Until it is released nobody else reads or writes the table. */
export const holdTable = (pool: Pool, name: string): Promise<Held> =>
  hold(pool, `lock table ${name} in access exclusive mode`);

/** Until it is released nobody else changes the crawl. */
export const holdCrawl = (pool: Pool, id: number | string): Promise<Held> =>
  hold(pool, 'select from crawl where id = $1 for update', [id]);

/** Until it is released nobody else chooses among copies. */
export const holdRanking = (pool: Pool): Promise<Held> =>
  hold(pool, `select pg_advisory_xact_lock(${rankingLock})`);

/** Until it is released nobody else changes what the crawl has at the host. */
export const holdQueue = (pool: Pool, host: number, crawl: number): Promise<Held> =>
  hold(pool, 'select from host_queue where host_id = $1 and crawl_id = $2 for update', [host, crawl]);

/** An open transaction that has done nothing but ask the time. */
export const holdSnapshot = (pool: Pool): Promise<Held> => hold(pool, 'select now()');

interface Held {
  /** Connections that wait for a lock, counted over the holder's connection, the only one that is sure to be free. */
  waiting(): Promise<number>;
  /** By the database's clock. */
  readonly since: Date;
  release(): Promise<void>;
}

async function hold(pool: Pool, statement: string, values: readonly unknown[] = []): Promise<Held> {
  const client = await pool.connect();
  await client.query('begin');
  // What is held is held until `release`, though Postgres takes back what lies still elsewhere.
  await client.query('set local idle_in_transaction_session_timeout = 0');
  const { rows } = await client.query<{ since: Date }>('select now() as since');
  await client.query(statement, [...values]);
  return {
    waiting: () => waitingForLocks(client),
    since: rows[0]?.since ?? new Date(NaN),
    release: async () => {
      await client.query('rollback');
      client.release();
    },
  };
}

/** Fails where somebody holds the host's row, or changes it. */
export async function expectFree(db: Queryable, host: number): Promise<void> {
  await db.query('select from host where id = $1 for share nowait', [host]);
}

/** How often two connections to this database have waited for each other so far. */
export async function deadlocks(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    'select deadlocks as n from pg_stat_database where datname = current_database()',
  );
  return rows[0]?.n ?? 0;
}

/** Every statement that names the table fails until it is brought back. */
export async function takeTableAway(db: Queryable, name: string): Promise<void> {
  await db.query(`alter table ${name} rename to ${name}_that_is_away`);
}
/** Also if the table was never taken away. */
export async function bringTableBack(db: Queryable, name: string): Promise<void> {
  await db.query(`alter table if exists ${name}_that_is_away rename to ${name}`);
}

/** The table refuses every row until `allow`, as on a full disk. */
export async function refuseRows(db: Queryable, name: string): Promise<{ allow(): Promise<void> }> {
  await db.query(`alter table ${name} add constraint full_disk check (false) not valid`);
  return {
    allow: async () => {
      await db.query(`alter table ${name} drop constraint full_disk`);
    },
  };
}

/** The planner knows the tables as they are; what is dead is gone, whether or not the autovacuum has come by. */
export async function tidyTables(db: Queryable, ...names: readonly string[]): Promise<void> {
  await db.query(`vacuum analyze ${names.join(', ')}`);
}
