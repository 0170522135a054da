/** Connections to the Postgres of a data folder. */
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
    } finally {
      // Whatever the session holds ends with it.
      client.release(true);
    }
  } finally {
    await pool.end();
  }
}
