/** What work costs Postgres. */
import { readFileSync } from 'node:fs';
import type { Queryable } from '../../../storage/postgres/index.ts';

/** Clock ticks a second, as Linux tells them to programs (proc(5)). */
const ticks = 100;

/**
 * Processor time in milliseconds that the server's process behind this one connection has had so far: a clock would also
 * count the time that others took meanwhile. Where there is no /proc: the time by the clock.
 */
export async function serverMs(connection: Queryable): Promise<number> {
  const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
  if (process.platform !== 'linux') return performance.now();
  const stat = readFileSync(`/proc/${String(rows[0]?.pid)}/stat`, 'utf8');
  // Behind the name, which may hold anything, come the third field and those after it; the 14th and 15th are wanted.
  const [user = NaN, system = NaN] = stat.slice(stat.lastIndexOf(')') + 2).split(' ').slice(11, 13).map(Number); // prettier-ignore
  return ((user + system) * 1_000) / ticks;
}
