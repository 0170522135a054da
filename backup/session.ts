/** Connections to the Postgres of a data folder. */
import { errorCode, StackError } from '../stack/errors.ts';
import { takeTime } from '../storage/backups/index.ts';
import { createPool, walkMs, type Pool, type Queryable } from '../storage/postgres/index.ts';

export async function withPool<T>(databaseUrl: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  // An idle connection that breaks is replaced by the pool.
  const pool = createPool(databaseUrl, 2, () => undefined);
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** By which Postgres tells the session of a backup that the log it holds has become too long, too. */
const ended = '57P01';
const endedWords =
  'Postgres ended the session of the backup: it was stopped; or the backup was frozen, and another has taken its place; or more than 16 GB of its log were written before its folder was copied.';

/** Uses one session that may take its time. It may be lost: then what it held is given back, and the work fails. */
export async function withSession<T>(databaseUrl: string, work: (db: Queryable) => Promise<T>): Promise<T> {
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => undefined);
  const pool = createPool(databaseUrl, 1, lost.reject, { silentMs: walkMs });
  try {
    const client = await pool.connect();
    client.on('error', lost.reject);
    try {
      await takeTime(client);
      return await Promise.race([work(client), lost.promise]);
    } catch (error) {
      throw errorCode(error) === ended ? new StackError(endedWords, { cause: error }) : error;
    } finally {
      // Whatever the session holds ends with it.
      client.release(true);
    }
  } finally {
    await pool.end();
  }
}
