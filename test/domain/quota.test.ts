import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reserveFor, robotsReserve, sliceReserve, usedOn } from '../../domain/quota.ts';
import { localDay } from '../../domain/zone.ts';

describe('the day of a quota (F05)', () => {
  const day = (timeZone: string, at: string): [string, string] => {
    const { day: name, endsAt } = localDay(timeZone, Date.parse(at));
    return [name, new Date(endsAt).toISOString()];
  };

  it.each<[string, string, string, string, string]>([
    ['UTC', 'UTC', '2026-02-28T23:59:59.999Z', '2026-02-28', '2026-03-01T00:00:00.000Z'],
    ['a zone ahead', 'Asia/Tokyo', '2026-02-28T15:00:00Z', '2026-03-01', '2026-03-01T15:00:00.000Z'],
    ['a zone behind', 'America/New_York', '2026-03-01T04:59:00Z', '2026-02-28', '2026-03-01T05:00:00.000Z'],
    ['of 23 hours', 'Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29', '2026-03-29T22:00:00.000Z'],
    ['of 25 hours', 'Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25', '2026-10-25T23:00:00.000Z'],
    // Clocks go from 24:00 to 01:00.
    [
      'whose end is skipped',
      'Africa/Cairo',
      '2026-04-23T12:00:00Z',
      '2026-04-23',
      '2026-04-23T22:00:00.000Z',
    ],
    // Clocks go from 24:00 back to 23:00.
    [
      'that has its last hour twice',
      'America/Sao_Paulo',
      '2018-02-17T12:00:00Z',
      '2018-02-17',
      '2018-02-18T03:00:00.000Z',
    ],
    [
      'before one that is left out',
      'Pacific/Apia',
      '2011-12-29T12:00:00Z',
      '2011-12-29',
      '2011-12-30T10:00:00.000Z',
    ],
  ])('%s', (_, zone, at, name, ends) => {
    expect(day(zone, at)).toEqual([name, ends]);
  });

  it('ends where another begins, in every zone and at any instant', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(
          'UTC',
          'Europe/Berlin',
          'America/Santiago',
          'Africa/Cairo',
          'Australia/Lord_Howe',
          'Asia/Kolkata',
        ),
        fc.integer({ min: Date.parse('2024-01-01'), max: Date.parse('2028-01-01') }),
        (zone, at) => {
          const { day: name, endsAt } = localDay(zone, at);
          expect(endsAt).toBeGreaterThan(at);
          expect(endsAt - at).toBeLessThanOrEqual(25 * 3_600_000);
          expect(localDay(zone, endsAt - 1).day).toBe(name);
          expect(localDay(zone, endsAt).day > name).toBe(true);
        },
      ),
    );
  });
});

describe('counting', () => {
  it('starts anew with the day, and never forgets what a crash may have sent', () => {
    const counted = { day: '2026-03-29', used: 70 };
    expect(usedOn('2026-03-29', counted, 0)).toBe(70);
    expect(usedOn('2026-03-29', counted, 20)).toBe(90);
    expect(usedOn('2026-03-30', counted, 0)).toBe(0);
    expect(usedOn('2026-03-30', counted, 20)).toBe(20);
    expect(usedOn('2026-03-29', { day: null, used: 0 }, 0)).toBe(0);
  });

  it('reserves for the URLs and robots.txt, never more than the quota has left', () => {
    expect(reserveFor(10, 0, 100_000)).toBe(10 + robotsReserve);
    fc.assert(
      fc.property(fc.nat(1_000), fc.nat(1_000), fc.nat(1_000), (urls, used, quota) => {
        const reserved = reserveFor(urls, used, quota);
        expect(reserved).toBeGreaterThanOrEqual(0);
        expect(reserved).toBeLessThanOrEqual(sliceReserve);
        if (reserved > 0) expect(used + reserved).toBeLessThanOrEqual(quota);
      }),
    );
  });
});
