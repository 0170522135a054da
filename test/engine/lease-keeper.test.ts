/** The leases of a process, without a database: what they need of the process itself. */
import { pino } from 'pino';
import type { Pool } from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { LeaseKeeper } from '../../engine/visit/lease-keeper.ts';
import type { TakenLease } from '../../storage/leases/index.ts';

it('does not keep a process alive whose work is done: nobody waits for a look that has nothing to look at', () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => {
    timers.mockRestore();
  });
  const keeper = new LeaseKeeper({} as unknown as Pool, 60_000, pino({ level: 'silent' }));
  const held = { monotonicAt: performance.now(), wallAt: Date.now(), leaseMs: 60_000 };
  const settings = { windows: null, quotaPerDay: null };
  const taken = { token: 1, now_ms: Date.now(), settings, budget: null } as unknown as TakenLease;
  const lease = keeper.adopt('1', taken, held);
  keeper.noteTimesSoon();
  keeper.abandon(lease);

  const started = timers.mock.results.map(({ value }) => value as NodeJS.Timeout);
  expect(started.length).toBeGreaterThan(2);
  expect(started.filter((timer) => timer.hasRef())).toEqual([]);
});
