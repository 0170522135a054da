/** The permits of one group that a process has (F05). */
import { describe, expect, it } from 'vitest';
import { permitsOf } from '../../domain/caps.ts';
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
