/** A pool whose database tells whoever takes a host's lease another time than it is; nothing else is changed. */
import type { QueryConfig } from 'pg';
import type { Pool } from '../../../storage/postgres/index.ts';

/** @param instant ISO 8601: the time at the call; it goes on from there */
export function poolAt(pool: Pool, instant: string): Pool {
  const ahead = Date.parse(instant) - Date.now();
  const query = async (asked: QueryConfig, ...rest: unknown[]): Promise<unknown> => {
    const result = await pool.query<{ now_ms?: number }>(asked, ...(rest as []));
    if (asked.name?.startsWith('take-') === true) {
      for (const row of result.rows) row.now_ms = (row.now_ms ?? NaN) + ahead;
    }
    return result;
  };
  return new Proxy(pool, {
    get: (target, key) => {
      const value: unknown = key === 'query' ? query : Reflect.get(target, key, target);
      return typeof value === 'function' && key !== 'query' ? (value.bind(target) as unknown) : value;
    },
  });
}
