/** The leases of a process, without a database: what they need of the process itself. */
import { pino } from 'pino';
import type { Pool } from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { LeaseKeeper } from '../../engine/visit/lease-keeper.ts';
import type { TakenLease } from '../../storage/leases/index.ts';

const settings = { windows: null, quotaPerDay: null };
const taken = { token: 1, now_ms: Date.now(), settings, budget: null } as unknown as TakenLease;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it('does not keep a process alive whose work is done: nobody waits for a look that has nothing to look at', () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => {
    timers.mockRestore();
  });
  const keeper = new LeaseKeeper({} as unknown as Pool, 60_000, pino({ level: 'silent' }));
  const held = { monotonicAt: performance.now(), wallAt: Date.now(), leaseMs: 60_000 };
  const lease = keeper.adopt('1', taken, held);
  keeper.noteTimesSoon();
  lease.end();

  const started = timers.mock.results.map(({ value }) => value as NodeJS.Timeout);
  expect(started.length).toBeGreaterThan(2);
  expect(started.filter((timer) => timer.hasRef())).toEqual([]);
});

it('begins a renewal every quarter of a lease, though the one before it took longer', async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const began: number[] = [];
  const start = performance.now();
  const query = async ({ name }: { name: string }): Promise<{ rows: never[] }> => {
    if (name === 'renew-leases') {
      began.push(performance.now() - start);
      await sleep(began.length === 1 ? 5_000 : 10);
    }
    return { rows: [] };
  };
  const keeper = new LeaseKeeper({ query } as unknown as Pool, 8_000, pino({ level: 'silent' }));
  const lease = keeper.adopt('1', taken, { monotonicAt: start, wallAt: Date.now(), leaseMs: 8_000 });
  await vi.advanceTimersByTimeAsync(7_005);
  // The lease is ours from when its renewal was asked for: Postgres may have counted from then.
  expect(Math.floor(((lease.held?.monotonicAt ?? 0) - start) / 1_000)).toBe(2);
  await vi.advanceTimersByTimeAsync(4_995);
  lease.end();
  // The second begins when the first, which took five seconds, is done.
  expect(began.map((ms) => Math.floor(ms / 1_000))).toEqual([2, 7, 9, 11]);
});
