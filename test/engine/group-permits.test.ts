/** The permits of one group that a process has (F05). */
import { describe, expect, it } from 'vitest';
import { emptyBooks, permitsOf } from '../../domain/caps.ts';
import { stillClock } from '../support/still-clock.ts';
import { GroupPermits } from '../../engine/caps/group-permits.ts';

const wide = permitsOf({ rate: 20, inFlight: null });
const group = (): GroupPermits => new GroupPermits('192.0.2.1', wide, () => true);
/** Was a permit granted at once? */
const granted = (from: GroupPermits): Promise<boolean> =>
  Promise.race([
    from.join('1').granted.then(() => true),
    new Promise<boolean>((resolve) => setImmediate(resolve, false)),
  ]);

describe('a free permit', () => {
  it('goes to one request at a time, and only while the process has a seat', async () => {
    const seated = group();
    seated.set(wide, true);
    expect(await granted(seated)).toBe(true);
    expect(await granted(seated)).toBe(false);
    const unseated = group();
    unseated.set(wide, false);
    expect(await granted(unseated)).toBe(false);
  });

  it.each([
    ['the seat is lost', (one: GroupPermits) => one.set(wide, false)],
    ['the lease is lost', (one: GroupPermits) => one.lose()],
    [
      'the cap has no room for it',
      (one: GroupPermits) => one.set(permitsOf({ rate: 2, inFlight: null }), true),
    ],
  ])('that is in use when %s is not given again', async (_, happens) => {
    const one = group();
    one.set(wide, true);
    const permit = await one.join('1').granted;
    happens(one);
    const next = granted(one);
    one.give(permit, null);
    expect(await next).toBe(false);
    expect(await granted(one)).toBe(false);
  });

  it('rests once more where the seat came and went, and is not forgotten before that', async () => {
    const one = group();
    one.set(wide, true);
    const permit = await one.join('1').granted;
    one.give(permit, performance.now() + 60_000);
    one.set(wide, false);
    one.set(wide, true);
    expect(await granted(one)).toBe(false);
    expect(one.isOver).toBe(false);
  });
});

describe('a request that is turned away', () => {
  /** Milliseconds between the times that two requests in a row are told. */
  const apart = (one: GroupPermits): number => {
    stillClock();
    const first = one.book();
    return one.book() - first;
  };

  it.each([
    [16, 1_000 / 16],
    [4, 250],
    [0, 1_000],
  ])('is told to come back by the pace of the %i permits that the process could have', (reach, pace) => {
    const one = group();
    one.set(wide, false);
    one.settled({ books: emptyBooks, permits: Math.min(1, reach), fair: 1, reach }, 1);
    expect(apart(one)).toBeCloseTo(pace);
  });

  it('is told so before the process has asked for any', () => {
    const one = group();
    one.set(wide, false);
    expect(apart(one)).toBeCloseTo(1_000 / 16);
  });
});
