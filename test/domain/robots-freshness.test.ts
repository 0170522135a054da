/** For how long a copy of robots.txt is used (RFC 9309 §2.4; RFC 9111 §5.2.2, §5.1). */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { robotsFreshMs, robotsKeptMs } from '../../domain/robots-freshness.ts';

const minute = 60_000;
const day = 1_440 * minute;

it.each<[Readonly<Record<string, string>>, number | null]>([
  [{}, null],
  [{ 'cache-control': '' }, null],
  [{ 'cache-control': 'public' }, null],
  [{ 'cache-control': 'max-age=soon' }, null],
  [{ 'cache-control': 'max-age=3600' }, 60 * minute],
  [{ 'cache-control': 'public, MAX-AGE=3600, immutable' }, 60 * minute],
  [{ 'cache-control': 'max-age="3600"' }, 60 * minute],
  [{ 'cache-control': 'max-age=3600', age: '600' }, 50 * minute],
  // Never more often than once in ten minutes, and once a day at least.
  [{ 'cache-control': 'max-age=60' }, 10 * minute],
  [{ 'cache-control': 'max-age=3600', age: '99999' }, 10 * minute],
  [{ 'cache-control': 'max-age=0, must-revalidate' }, 10 * minute],
  [{ 'cache-control': 'no-store' }, 10 * minute],
  [{ 'cache-control': 'private,no-cache,max-age=3600' }, 10 * minute],
  [{ 'cache-control': 'max-age=31536000' }, day],
  [{ 'cache-control': `max-age=${'9'.repeat(400)}` }, day],
  // For caches that many share.
  [{ 'cache-control': 's-maxage=60' }, null],
])('%j', (headers, keptMs) => {
  expect(robotsKeptMs(headers)).toBe(keptMs);
});

it('is from ten minutes to a day, however long the numbers are', () => {
  const digits = fc.tuple(fc.nat(9), fc.integer({ min: 1, max: 500 }));
  const seconds = digits.map(([digit, times]) => String(digit).repeat(times));
  fc.assert(
    fc.property(seconds, seconds, (age, maxAge) => {
      const keptMs = robotsKeptMs({ 'cache-control': `max-age=${maxAge}`, age });
      expect(keptMs).toBeGreaterThanOrEqual(10 * minute);
      expect(keptMs).toBeLessThanOrEqual(day);
    }),
    { examples: [['9'.repeat(400), '9'.repeat(400)]] },
  );
});

it('is a day where the answer says nothing, and the delay of the host on top', () => {
  expect(robotsFreshMs(0)).toBe(day);
  expect(robotsFreshMs(7 * minute, null)).toBe(day + 7 * minute);
  expect(robotsFreshMs(7 * minute, 20 * minute)).toBe(27 * minute);
});
