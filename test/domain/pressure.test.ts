/** Backpressure (F07). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leastPace, paceLeft, slowedBecause, slowedMs } from '../../domain/pressure.ts';

const capacity = fc.integer({ min: 1, max: 1_000_000 });
const share = fc.double({ min: 0, max: 3, noNaN: true });

describe('the pace that is left', () => {
  it('is whole up to four fifths, nothing at the capacity, and falls evenly between', () => {
    const left = (used: number): number => paceLeft({ used, capacity: 100 });
    expect([0, 80].map(left)).toEqual([1, 1]);
    expect([85, 90, 95].map((used) => Math.round(left(used) * 100))).toEqual([75, 50, 25]);
    expect([100, 101, 1_000].map(left)).toEqual([0, 0, 0]);
  });

  it('never rises with what waits, and has no steps', () => {
    fc.assert(
      fc.property(capacity, share, share, (most, one, other) => {
        const [less, more] = one < other ? [one, other] : [other, one];
        const [a, b] = [less, more].map((part) => paceLeft({ used: part * most, capacity: most }));
        expect(b ?? 0).toBeLessThanOrEqual(a ?? 0);
        expect((a ?? 0) - (b ?? 0)).toBeLessThanOrEqual((more - less) * 5 + 1e-9);
      }),
    );
  });

  it('is that of the fullest stage', () => {
    const loads = [
      { stage: 'unread', used: 90, capacity: 100 },
      { stage: 'commit', used: 95, capacity: 100 },
    ] as const;
    expect(leastPace(loads)).toBeCloseTo(0.25);
    expect(leastPace([])).toBe(1);
  });
});

it('says in words why fetching is slower, by the stage that leaves the least pace', () => {
  const load = (stage: 'unread' | 'upload' | 'commit', used: number, capacity: number) => ({
    stage,
    used,
    capacity,
  });
  expect(slowedBecause([load('unread', 80, 100)])).toBeNull();
  expect(slowedBecause([load('unread', 81, 100), load('upload', 950 * 1024 ** 2, 1_000 * 1024 ** 2)])).toBe(
    'Fetching is slowed to 25 % of its pace because uploads to S3 are behind: 950.0 MiB of segments wait for their upload, of 1000.0 MiB at most.',
  );
  expect(slowedBecause([load('commit', 3_500.4, 3_000)])).toBe(
    'Fetching stands still because the database is slow: 3,500 ms is what a commit takes, of 3,000 ms at most.',
  );
});

describe('a queue', () => {
  it('settles below its capacity, at the pace of the stage behind it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 50, max: 5_000 }),
        fc.double({ min: 0.05, max: 0.95, noNaN: true }),
        (most, slower) => {
          // In steps of 10 ms: `most / 50` come in a step at the usual pace, and the stage takes a part of that away.
          const [usual, away] = [most / 50, (most / 50) * slower];
          let [waiting, longest, taken] = [0, 0, 0];
          for (let step = 0; step < 4_000; step++) {
            waiting += usual * paceLeft({ used: waiting, capacity: most });
            longest = Math.max(longest, waiting);
            const takes = Math.min(waiting, away);
            waiting -= takes;
            if (step >= 2_000) taken += takes;
          }
          expect(longest).toBeLessThanOrEqual(most);
          expect(taken / 2_000).toBeCloseTo(away, 6);
        },
      ),
    );
  });
});

it('half the pace is twice the time, and no pace is no end of it', () => {
  expect(slowedMs(1_000, 0.5)).toBe(2_000);
  expect(slowedMs(1_000, 1)).toBe(1_000);
  expect(slowedMs(1_000, 0)).toBe(Infinity);
});
