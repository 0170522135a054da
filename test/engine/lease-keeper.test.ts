/** The leases of a process, without a database: what they need of the process itself. */
import { pino } from 'pino';
import type { Pool } from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { countedSeries } from '../../engine/metrics/counters.ts';
import { longestVisitMs } from '../../domain/slice.ts';
import type { FetchContext } from '../../engine/visit/fetch-context.ts';
import { HostVisit, onErrand } from '../../engine/visit/host-visit.ts';
import { LeaseKeeper } from '../../engine/visit/lease-keeper.ts';
import { Slice } from '../../engine/visit/slice.ts';
import type { HeldLease } from '../../domain/lease.ts';
import type { TakenLease } from '../../storage/leases/index.ts';

const settings = { windows: null, quotaPerDay: null };
const taken = { token: 1, now_ms: Date.now(), settings, budget: null } as unknown as TakenLease;
const silent = pino({ level: 'silent' });
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it('does not keep a process alive whose work is done: nobody waits for a look that has nothing to look at', () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => {
    timers.mockRestore();
  });
  const keeper = new LeaseKeeper({} as unknown as Pool, 60_000, silent, 60_000);
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
  const keeper = new LeaseKeeper({ query } as unknown as Pool, 8_000, silent, 60_000);
  const lease = keeper.adopt('1', taken, { monotonicAt: start, wallAt: Date.now(), leaseMs: 8_000 });
  await vi.advanceTimersByTimeAsync(7_005);
  // The lease is ours from when its renewal was asked for: Postgres may have counted from then.
  expect(Math.floor(((lease.held?.monotonicAt ?? 0) - start) / 1_000)).toBe(2);
  await vi.advanceTimersByTimeAsync(4_995);
  lease.end();
  // The second begins when the first, which took five seconds, is done.
  expect(began.map((ms) => Math.floor(ms / 1_000))).toEqual([2, 7, 9, 11]);
});

it('counts a lease that is lost once, and where the time of a visit went once, however it is written', async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const lost = new Set<number>();
  const query = ({ name }: { name: string }): Promise<{ rows: unknown[] }> =>
    Promise.resolve({
      rows: name === 'renew-leases' ? [...lost].map((token) => ({ token, lost: true })) : [],
    });
  const counted = async (name: string): Promise<number> =>
    (await countedSeries(name).get()).values.reduce((sum, { value }) => sum + value, 0);
  const before = [await counted('host_time_seconds_total'), await counted('leases_lost_total')] as const;
  const keeper = new LeaseKeeper({ query } as unknown as Pool, 60_000, silent, 60_000);
  const held = (): HeldLease => ({ monotonicAt: performance.now(), wallAt: Date.now(), leaseMs: 60_000 });
  const [returned, taken2] = [keeper.adopt('1', taken, held()), { ...taken, token: 2 }];
  const other = keeper.adopt('2', taken2, held());
  returned.times.begin([{ crawl_id: 1, waited: { slot: 500 } }], false);
  // Some of it is written while the visit goes on, the rest with the return.
  await vi.advanceTimersByTimeAsync(12_000);
  returned.end();
  expect((await counted('host_time_seconds_total')) - before[0]).toBeCloseTo(12.5, 3);
  lost.add(2);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(other.held).toBeNull();
  expect((await counted('leases_lost_total')) - before[1]).toBe(1);
  other.end();
});

it('writes one note of the time of visits at a time, and lets a lease go whatever became of its notes', async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const notes: { slot?: number; retry?: number; own_work?: number }[] = [];
  let [atOnce, most] = [0, 0];
  const query = async ({ name, values }: { name: string; values: string[] }): Promise<{ rows: never[] }> => {
    if (name === 'note-times') {
      notes.push(...(JSON.parse(values[0] ?? '') as typeof notes));
      most = Math.max(most, ++atOnce);
      await sleep(700);
      atOnce--;
      if (notes.length === 2) throw new Error('Postgres is away');
    }
    return { rows: [] };
  };
  const keeper = new LeaseKeeper({ query } as unknown as Pool, 60_000, silent, 60_000);
  const held = { monotonicAt: performance.now(), wallAt: Date.now(), leaseMs: 60_000 };
  const lease = keeper.adopt('1', taken, held);
  lease.times.begin([{ crawl_id: 1, waited: { slot: 5_000 } }], false);
  lease.times.does('fault');
  await vi.advanceTimersByTimeAsync(2_000);
  // Its crawl may be about to end, twice within what a note takes; and what it waited for is told while one is written.
  keeper.noteTimesSoon();
  await vi.advanceTimersByTimeAsync(400);
  keeper.noteTimesSoon();
  lease.times.leased([{ crawl_id: 1, due_ms: 1_000, reason: 'server-error' }]);
  lease.times.does('own_work');
  await vi.advanceTimersByTimeAsync(1_500);
  expect(notes).toMatchObject([{ slot: 5, fault: 2.3 }, { own_work: expect.any(Number) as number }]);
  // The second was not written, and the lease ends in the middle of the third.
  keeper.noteTimesSoon();
  await vi.advanceTimersByTimeAsync(500);
  expect(lease.timesDue).toMatchObject([
    { fault: expect.closeTo(0.1, 3) as number, until_ms: expect.any(Number) as number },
  ]);
  lease.end();
  expect(keeper.count).toBe(0);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(most).toBe(1);
});

it('forgets a lease that ends, whatever the account of its time says', () => {
  const keeper = new LeaseKeeper({} as unknown as Pool, 60_000, silent, 60_000);
  const lease = keeper.adopt('1', taken, {
    monotonicAt: performance.now(),
    wallAt: Date.now(),
    leaseMs: 60_000,
  });
  lease.times.due = () => [{ crawlId: 1, from: 0, until: 1, spent: { slot: -5 }, sure: true }];
  lease.end();
  expect([keeper.count, lease.isOver]).toEqual([0, true]);
  const other = keeper.adopt('2', taken, {
    monotonicAt: performance.now(),
    wallAt: Date.now(),
    leaseMs: 60_000,
  });
  other.times.due = () => {
    throw new Error('it cannot be told');
  };
  expect(() => {
    other.end();
  }).toThrow('told');
  expect([keeper.count, other.isOver]).toEqual([0, true]);
});

it('renews the lease of a visit that does not end for as long as the visit may need, and then leaves the host to others', async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const renewed: string[][] = [];
  const query = ({ name, values }: { name: string; values: string[] }): Promise<{ rows: never[] }> => {
    if (name === 'renew-leases')
      renewed.push((JSON.parse(values[0] ?? '') as { id: string }[]).map(({ id }) => id));
    return Promise.resolve({ rows: [] });
  };
  const keeper = new LeaseKeeper({ query } as unknown as Pool, 8_000, silent, 60_000);
  const held = { monotonicAt: performance.now(), wallAt: Date.now(), leaseMs: 8_000 };
  // Nobody visits under the first: whoever took it has forgotten it.
  const forgotten = keeper.adopt('1', taken, held);
  const long = keeper.adopt('2', { ...taken, token: 2 }, held);
  const endsBy = performance.now() + 30_000;
  long.endsBy = () => endsBy;
  await vi.advanceTimersByTimeAsync(59_000);
  expect([forgotten.isHeld, long.isHeld]).toEqual([true, true]);
  await vi.advanceTimersByTimeAsync(6_000);
  expect([forgotten.isOver, long.isHeld]).toEqual([true, true]);
  expect(renewed.at(-1)).toEqual(['2']);
  await vi.advanceTimersByTimeAsync(30_000);
  expect([long.isOver, keeper.count]).toEqual([true, 0]);
});

it('gives no visit up that has waited while Postgres was away, until its time is over once more', async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  let isAway = true;
  const query = (): Promise<{ rows: never[] }> =>
    isAway ? Promise.reject(new Error('Postgres is away')) : Promise.resolve({ rows: [] });
  const keeper = new LeaseKeeper({ query } as unknown as Pool, 8_000, silent, 60_000);
  const held = { monotonicAt: performance.now(), wallAt: Date.now(), leaseMs: 8_000 };
  const lease = keeper.adopt('1', taken, held);
  await vi.advanceTimersByTimeAsync(600_000);
  isAway = false;
  await vi.advanceTimersByTimeAsync(50_000);
  expect([lease.isHeld, keeper.count]).toEqual([true, 1]);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(keeper.count).toBe(0);
});

it('lets a visit last as long as its slice, and an errand anew from each of its steps', () => {
  const keeper = new LeaseKeeper({} as unknown as Pool, 60_000, silent, 60_000);
  const held = { monotonicAt: performance.now(), wallAt: Date.now(), leaseMs: 60_000 };
  const lease = keeper.adopt('1', taken, held);
  const services = { books: { optOuts: {} } } as unknown as ConstructorParameters<typeof HostVisit>[0];
  const { signal } = new AbortController();
  const visit = new HostVisit(services, lease, 'https://a.example', signal);
  const begun = lease.endsBy();
  expect(begun).toBeGreaterThanOrEqual(held.monotonicAt);
  const clock = vi.spyOn(performance, 'now').mockReturnValue(begun + 50_000);
  visit.goesOn();
  clock.mockRestore();
  expect(lease.endsBy()).toBe(begun + 50_000);
  new Slice({} as FetchContext, visit, longestVisitMs, signal);
  expect(lease.endsBy()).toBeGreaterThanOrEqual(begun + longestVisitMs);
  visit.pacer.pace = { delayMs: 90_000, factor: null };
  expect(lease.endsBy()).toBeGreaterThanOrEqual(begun + longestVisitMs + 90_000);
  lease.end();
});

it('lets the lease of an errand run out if it cannot be returned, whatever the errand came to', async () => {
  const end = vi.fn();
  const visit = {
    lease: { end },
    pacer: { sent: 0, last: null, tookMs: null },
    turns: { noted: () => [] },
    gather: () => Promise.resolve(),
    leave: () => Promise.reject(new Error('Postgres is away')),
  } as unknown as HostVisit;
  const rows = () => Promise.resolve([]);
  await expect(onErrand(visit, rows, () => Promise.resolve('done'))).rejects.toThrow('away');
  await expect(onErrand(visit, rows, () => Promise.reject(new Error('failed')))).rejects.toThrow();
  expect(end).toHaveBeenCalledTimes(2);
});
