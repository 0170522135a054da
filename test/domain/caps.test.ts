/** Caps on hosts together (F05): permits, who has them, and what leaves by them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  currentBooks,
  emptyBooks,
  fairShares,
  lendPermit,
  maxCapRate,
  permitsOf,
  returnPermit,
  settleShare,
  sharedPermits,
  freeSeats,
  hasFreePermit,
  type GroupBooks,
} from '../../domain/caps.ts';

const rate = fc.oneof(
  fc.integer({ min: 1, max: maxCapRate }),
  fc.integer({ min: 1, max: 999 }).map((part) => part / 1_000),
);
const inFlight = fc.option(fc.integer({ min: 1, max: maxCapRate }));

describe('permits', () => {
  it('never let more leave within a second, nor more be in flight, than the cap says', () => {
    fc.assert(
      fc.property(rate, inFlight, (each, most) => {
        const { count, restMs } = permitsOf({ rate: each, inFlight: most });
        expect(count).toBeGreaterThanOrEqual(1);
        expect(count).toBeLessThanOrEqual(most ?? Infinity);
        // Each permit starts at 0 and as often as it may: the most that fits into [0, 1 s), and into [0, 1/rate).
        const span = Math.max(1_000, 1_000 / each);
        expect(count * Math.ceil(span / restMs - 1e-9)).toBeLessThanOrEqual(Math.max(1, Math.floor(each)));
      }),
    );
  });

  it('make the whole of the cap usable where nothing is in flight for long', () => {
    expect(permitsOf({ rate: 20, inFlight: null })).toEqual({ count: 20, restMs: 1_000 });
    expect(permitsOf({ rate: 20, inFlight: 4 })).toEqual({ count: 4, restMs: 200 });
    expect(permitsOf({ rate: 0.1, inFlight: null })).toEqual({ count: 1, restMs: 10_000 });
  });

  it('that are free are kept out of what is shared', () => {
    fc.assert(
      fc.property(rate, inFlight, (each, most) => {
        const permits = permitsOf({ rate: each, inFlight: most });
        const free = hasFreePermit(permits) ? freeSeats : 0;
        expect(sharedPermits(permits) + free).toBe(permits.count);
        expect(sharedPermits(permits)).toBeGreaterThanOrEqual(permits.count / 2);
      }),
    );
  });
});

const holders = ['a', 'b', 'c', 'd'] as const;
const sharesOf = fc.uniqueArray(
  fc.record({
    holder: fc.constantFrom(...holders),
    wanted: fc.integer({ min: 0, max: 50 }),
    servedAt: fc.integer({ min: 0, max: 100 }),
  }),
  { selector: ({ holder }) => holder },
);

describe('fair shares', () => {
  it('use every permit that anybody wants, and give nobody more than is wanted', () => {
    fc.assert(
      fc.property(sharesOf, fc.integer({ min: 0, max: 60 }), (shares, permits) => {
        const given = fairShares(shares, permits);
        const wanted = shares.reduce((all, one) => all + one.wanted, 0);
        expect(given.reduce((all, one) => all + one, 0)).toBe(Math.min(permits, wanted));
        for (const [at, one] of shares.entries()) expect(given[at]).toBeLessThanOrEqual(one.wanted);
        const waiting = shares.filter((one) => one.wanted > 0);
        if (permits >= waiting.length)
          for (const [at, one] of shares.entries()) if (one.wanted > 0) expect(given[at]).toBeGreaterThan(0);
      }),
    );
  });

  it('follow what is wanted, to within a permit', () => {
    const given = fairShares(
      [
        { holder: 'a', wanted: 300, servedAt: 9 },
        { holder: 'b', wanted: 100, servedAt: 1 },
      ],
      16,
    );
    expect(given).toEqual([12, 4]);
  });
});

/** What a process of the model does next. */
const step = fc.record({
  holder: fc.constantFrom(...holders),
  keeps: fc.integer({ min: 0, max: 12 }),
  wanted: fc.integer({ min: 0, max: 30 }),
  afterMs: fc.integer({ min: 0, max: 800 }),
  kind: fc.constantFrom('call', 'call', 'call', 'die', 'lend', 'return'),
});

describe('the books of a group', () => {
  it('never give out more permits than there are, whoever dies, borrows and asks', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (steps, permits) => {
        const restMs = 1_000;
        let books: GroupBooks = emptyBooks;
        let now = 1;
        const alive = new Set<string>(holders);
        /** What may be under way: permits of each process, and until when those of dead ones and lent ones count. */
        const has = new Map<string, number>();
        let barred: { permits: number; until: number }[] = [];
        for (const { holder, keeps, wanted, afterMs, kind } of steps) {
          now += afterMs;
          if (kind === 'die' && alive.has(holder)) {
            alive.delete(holder);
            barred.push({ permits: has.get(holder) ?? 0, until: now + restMs });
            has.delete(holder);
          }
          books = currentBooks(books, alive, now, restMs);
          barred = barred.filter(({ until }) => until > now);
          if (kind === 'call') {
            alive.add(holder);
            const kept = Math.min(keeps, has.get(holder) ?? 0);
            const settled = settleShare(books, { holder, keeps: kept, wanted }, permits, now);
            ({ books } = settled);
            expect(settled.permits).toBeGreaterThanOrEqual(kept);
            expect(settled.permits).toBeLessThanOrEqual(Math.max(kept, wanted));
            has.set(holder, settled.permits);
          }
          if (kind === 'lend') {
            const lent = lendPermit(books, `host ${String(now)}`, permits, now + 5_000);
            if (lent !== null) {
              books = lent;
              barred.push({ permits: 1, until: now + 5_000 });
            }
          }
          const taken = [...has.values(), ...barred.map((one) => one.permits)].reduce((a, b) => a + b, 0);
          expect(taken).toBeLessThanOrEqual(permits);
        }
      }),
    );
  });

  it('let a single permit go round among those who want it', () => {
    let books: GroupBooks = emptyBooks;
    const served = new Map<string, number>();
    for (let now = 1; now <= 200; now++) {
      const holder = holders[now % holders.length] ?? 'a';
      // Each gives back what it has, used, at its turn.
      const settled = settleShare(books, { holder, keeps: 0, wanted: 5 }, 1, now);
      ({ books } = settled);
      if (settled.permits > 0) served.set(holder, (served.get(holder) ?? 0) + 1);
    }
    expect([...served.keys()].toSorted()).toEqual([...holders]);
    expect(Math.min(...served.values())).toBeGreaterThanOrEqual(5);
  });

  it('have a permit that was lent back when it was returned, and rested', () => {
    const lent = lendPermit(emptyBooks, 'host 7', 1, 300_000);
    if (lent === null) throw new Error('none was free');
    expect(lendPermit(lent, 'host 8', 1, 300_000)).toBeNull();
    const returned = currentBooks(returnPermit(lent, 'host 7', 2_000), new Set(), 2_000, 1_000);
    expect(lendPermit(returned, 'host 8', 1, 300_000)).not.toBeNull();
  });
});
