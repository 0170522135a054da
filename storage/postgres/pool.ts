/**
 * The connections to Postgres: one pool for each process. 8-byte integers and lists of them come back as numbers (all of
 * ours stay below 2^53).
 */
import pg from 'pg';
import { ModestPool, type TakeTurn } from './modest-pool.ts';
import { isStorageOutage, retrying } from './retry.ts';

export type Pool = pg.Pool;
export type { TakeTurn };
/** Anything that runs a statement: the pool, or a client inside a transaction. */
export type Queryable = Pick<pg.ClientBase, 'query'>;

const numbersForInt8 = new pg.TypeOverrides();
numbersForInt8.setTypeParser(pg.types.builtins.INT8, Number);
/** bigint[], which the driver would make a list of texts. */
const int8Array = 1016;
numbersForInt8.setTypeParser(int8Array, (text) => JSON.parse(`[${text.slice(1, -1)}]`) as number[]);

/**
 * Milliseconds for a statement. Our statements take milliseconds; one that takes this long is stuck, and to try it
 * again is better.
 */
const statementMs = 30_000;

/**
 * Milliseconds for which a transaction may lie between two statements. A process that is frozen within one holds its
 * rows; after this Postgres takes the transaction back, and who waits for the rows goes on. In time for what a dead
 * worker leaves to be taken up within 15 s.
 */
const idleMs = 10_000;

interface PoolOptions {
  readonly planned?: 'freely' | 'by-key';
  readonly silentMs?: number;
  readonly onScarce?: (words: string) => void;
  readonly turn?: TakeTurn;
}

/** Milliseconds for a statement that goes over all pages of a crawl, some ten million. */
export const walkMs = 30 * 60_000;

/** Lets statements of this transaction take `walkMs`. */
export async function allowWalk(db: Queryable): Promise<void> {
  await db.query(`set local statement_timeout = ${String(walkMs)}`);
}

/** Milliseconds for which a transaction may wait for an object store, whose calls have half of it. */
const storeMs = 60_000;

/** Lets this transaction wait for an object store between two statements. */
export async function allowStoreCalls(db: Queryable): Promise<void> {
  await db.query(`set local idle_in_transaction_session_timeout = ${String(storeMs)}`);
}

/**
 * For connections whose statements name rows by key, a few at a time. Postgres keeps a statement's plan until the table
 * is analysed next, a minute later or more. A plan that was made while a table was small reads all of it, or all its
 * leased URLs, for each commit, long after the table has grown (measured: half of what Postgres takes for a page).
 * Bitmaps of rows are off too: a bitmap takes all that an index has for the condition, past any limit, and reads dead
 * versions of rows each time until they are vacuumed. A plain index scan stops at the limit and marks dead versions.
 * A GIN index answers by bitmap alone, so a statement that needs one must go by other connections.
 */
const plansOverAll = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'enable_bitmapscan'];
const byKey = plansOverAll.map((name) => `-c ${name}=off`).join(' ');

/** Has statements of this transaction planned as `by-key`, whatever the connection is for. */
export async function planByKey(db: Queryable): Promise<void> {
  await db.query(plansOverAll.map((name) => `set local ${name} = off`).join('; '));
}

/**
 * @param url Postgres connection URL; a secret, never logged.
 * @param size connections at most.
 * @param onError is called on errors of idle connections (the server went away); the pool heals by itself.
 * @param planned `by-key`: rows are looked up by index, one by one, whatever Postgres thinks of the table's size
 * @param silentMs milliseconds after which a server that says nothing is given up: longer than it lets a statement run.
 * @param onScarce is told in words that the server gives fewer connections than `size`: the pool makes do with those.
 * @param turn is waited for before each use of a connection
 */
export function createPool(
  url: string,
  size: number,
  onError: (error: Error) => void,
  { planned = 'freely', silentMs = statementMs + 5_000, onScarce = () => undefined, turn }: PoolOptions = {},
): Pool {
  const config = {
    connectionString: url,
    max: size,
    application_name: 'orbweaver',
    connectionTimeoutMillis: 5_000,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: idleMs,
    query_timeout: silentMs,
    keepAlive: true,
    types: numbersForInt8,
    ...(planned === 'by-key' && { options: byKey }),
  };
  const pool = new ModestPool(config, onScarce, turn);
  pool.on('error', onError);
  // The pool listens to idle connections only. One that breaks in a transaction fails the next statement; nobody else
  // needs to be told, but an error event without a listener would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/**
 * Runs `work` in one transaction; rolls back on any error, and drops a connection that cannot even roll back. After a
 * deadlock, and whatever else passes by itself, it is tried again as a whole: `work` may run more than once, and its last
 * run counts.
 */
export const inTransaction = <T>(pool: Pool, work: (db: Queryable) => Promise<T>): Promise<T> =>
  retrying(() => transactOnce(pool, work));

/** As `inTransaction`, for what is not to be tried again. */
export async function transactOnce<T>(pool: Pool, work: (db: Queryable) => Promise<T>): Promise<T> {
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

/** The row of a statement that always answers one. */
export async function one<R>(rows: Promise<readonly R[]>): Promise<R> {
  const [row] = await rows;
  if (row === undefined) throw new Error('Postgres answered no row');
  return row;
}
