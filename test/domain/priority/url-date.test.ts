import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateInPath, freshnessOf } from '../../../domain/priority/url-date.ts';

const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);

describe('the date in an address', () => {
  it.each<[string, string | null]>([
    ['/2026/11/22/a-story.html', '2026-11-22'],
    ['/news/2026-11-02-story', '2026-11-02'],
    ['/blog/2026/11/', '2026-11-01'],
    ['/2026/1/5', '2026-01-05'],
    ['/a_2026_11_22.html', '2026-11-22'],
    ['/2026/13/1/', null],
    ['/2026/02/30/', null],
    ['/1066/10/14/', null],
    ['/item/20261122', null],
    ['/2026', null],
    ['/', null],
  ])('%s', (path, date) => {
    expect(dateInPath(path)).toBe(date === null ? null : day(date));
  });

  it('is worth less with each day, and nothing in days to come', () => {
    const now = day('2026-11-22');
    expect(freshnessOf(now, now)).toBe(1);
    expect(freshnessOf(day('2026-10-23'), now)).toBeCloseTo(0.5);
    expect(freshnessOf(day('2026-12-24'), now)).toBe(0);
    expect(freshnessOf(null, now)).toBe(0);
    fc.assert(
      fc.property(fc.nat(5_000), fc.nat(5_000), (one, other) => {
        const of = (days: number): number => freshnessOf(now - days * 86_400_000, now);
        expect(of(one) >= of(other)).toBe(one <= other || of(one) === of(other));
      }),
    );
  });
});
