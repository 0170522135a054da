import { onTestFinished, vi } from 'vitest';
import type { Pool } from '../../storage/postgres/index.ts';

/** Until the test is over, a statement reaches Postgres by this pool only once `before` is done. @param name of the statement */
export function lateStatement(pool: Pool, name: string, before: () => Promise<unknown>): void {
  const query = pool.query.bind(pool) as (...asked: readonly unknown[]) => Promise<unknown>;
  const spy = vi.spyOn(pool, 'query').mockImplementation((async (...asked: readonly { name?: string }[]) => {
    if (asked[0]?.name === name) await before();
    return query(...asked);
  }) as never);
  onTestFinished(() => {
    spy.mockRestore();
  });
}
