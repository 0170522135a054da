/**
 * The connections to Postgres: one pool for each process. 8-byte integers come back as numbers (all of ours stay below
 * 2^53).
 */
import pg from 'pg';
import { isStorageOutage } from './retry.ts';

export type Pool = pg.Pool;
/** Anything that runs a statement: the pool, or a client inside a transaction. */
export type Queryable = Pick<pg.ClientBase, 'query'>;

const numbersForInt8 = new pg.TypeOverrides();
numbersForInt8.setTypeParser(pg.types.builtins.INT8, Number);

/**
 * Milliseconds for a statement. Our statements take milliseconds; one that takes this long is stuck, and to try it
 * again is better.
 */
const statementMs = 30_000;

/** Milliseconds for a statement that goes over all pages of a crawl, some ten million. */
export const walkMs = 30 * 60_000;

/** Lets statements of this transaction take `walkMs`. */
export async function allowWalk(db: Queryable): Promise<void> {
  await db.query(`set local statement_timeout = ${String(walkMs)}`);
}

/**
 * @param url Postgres connection URL; a secret, never logged.
 * @param size connections at most.
 * @param onError is called on errors of idle connections (the server went away); the pool heals by itself.
 * @param silentMs milliseconds after which a server that says nothing is given up: longer than it lets a statement run.
 */
export function createPool(
  url: string,
  size: number,
  onError: (error: Error) => void,
  silentMs = statementMs + 5_000,
): Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    application_name: 'orbweaver',
    connectionTimeoutMillis: 5_000,
    statement_timeout: statementMs,
    query_timeout: silentMs,
    keepAlive: true,
    types: numbersForInt8,
  });
  pool.on('error', onError);
  return pool;
}

/** Runs `work` in one transaction; rolls back on any error, and drops a connection that cannot even roll back. */
export async function inTransaction<T>(pool: Pool, work: (db: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    // A server that is away rolls back by itself; nobody should wait for it.
    if (error instanceof Error && isStorageOutage(error)) {
      client.release(error);
      throw error;
    }
    try {
      await client.query('rollback');
      client.release();
    } catch (rollbackError) {
      client.release(rollbackError instanceof Error ? rollbackError : true);
    }
    throw error;
  }
}
