import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askedPauseMs, maxRetryAfterMs, retryAfterMs } from '../../domain/retry-after.ts';

const now = Date.UTC(2026, 10, 21, 12, 0, 0);

describe('retryAfterMs, delay-seconds (RFC 9110 section 10.2.3)', () => {
  it.each([
    ['120', 120_000],
    ['0', 0],
    [' 7 ', 7_000],
    ['00010', 10_000],
    // Ours: fractions and repeated fields are met on the web.
    ['1.5', 1_500],
    ['0.0001', 1],
    ['5, 120 , 10', 120_000],
    ['1000000000', maxRetryAfterMs],
    ['9'.repeat(400), maxRetryAfterMs],
  ])('%s', (value, wait) => {
    expect(retryAfterMs(value, now)).toBe(wait);
  });

  it.each([null, '', '-5', '+5', '1e9', '.5', '5s', '5,', 'soon', 'NaN', 'Infinity', '0x10', '5;6'])(
    '%j says nothing',
    (value) => {
      expect(retryAfterMs(value, now)).toBeNull();
    },
  );
});

describe('retryAfterMs, HTTP-date (RFC 9110 section 5.6.7)', () => {
  it.each([
    ['Sat, 21 Nov 2026 12:01:40 GMT', 100_000],
    ['sat, 21 nov 2026 12:01:40 gmt', 100_000],
    ['Saturday, 21-Nov-26 12:01:40 GMT', 100_000],
    ['Sat, 21-Nov-2026 12:01:40 GMT', 100_000],
    ['Sat Nov 21 12:01:40 2026', 100_000],
    ['Tue Dec  1 12:00:00 2026', 10 * 86_400_000],
    ['Sat, 21 Nov 2026 12:00:60 GMT', 60_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 0],
    ['Sun Nov  6 08:49:37 1994', 0],
    ['Fri, 31 Dec 9999 23:59:59 GMT', maxRetryAfterMs],
    ['Thu, 29 Feb 2024 00:00:00 GMT', 0],
  ])('%s', (value, wait) => {
    expect(retryAfterMs(value, now)).toBe(wait);
  });

  it('takes a two-digit year for the past one only where it lies over 50 years ahead', () => {
    expect(retryAfterMs('Saturday, 21-Nov-76 11:00:00 GMT', now)).toBe(maxRetryAfterMs);
    expect(retryAfterMs('Monday, 21-Nov-77 11:00:00 GMT', now)).toBe(0);
  });

  it.each([
    'Sat, 21 Nov 2026 12:01:40',
    'Sat, 21 Nov 2026 12:01:40 CET',
    'Sat, 31 Nov 2026 12:00:00 GMT',
    'Sat, 00 Nov 2026 12:00:00 GMT',
    'Sat, 29 Feb 2026 12:00:00 GMT',
    'Sat, 21 Foo 2026 12:00:00 GMT',
    'Sat, 21 Nov 2026 24:00:00 GMT',
    'Sat, 21 Nov 2026 12:60:00 GMT',
    '2026-11-21T12:01:40Z',
  ])('%s says nothing', (value) => {
    expect(retryAfterMs(value, now)).toBeNull();
  });

  it('reads back what toUTCString writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: maxRetryAfterMs / 1_000 }), (seconds) => {
        expect(retryAfterMs(new Date(now + seconds * 1_000).toUTCString(), now)).toBe(seconds * 1_000);
      }),
    );
  });

  it('gives null or a wait within bounds for any text', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9 ,.:GMTNov-]*$/), (value) => {
        const wait = retryAfterMs(value, now);
        expect(wait === null || (wait >= 0 && wait <= maxRetryAfterMs)).toBe(true);
      }),
    );
  });
});

describe('askedPauseMs', () => {
  const until = 'Sat, 21 Nov 2026 12:01:40 GMT';

  it('counts a date from the answer’s own Date, whatever our clock says', () => {
    const headers = { 'retry-after': until, date: 'Sat, 21 Nov 2026 12:01:20 GMT' };
    for (const hours of [-1, 0, 1]) expect(askedPauseMs(headers, now + hours * 3_600_000)).toBe(20_000);
  });

  it('counts it from our clock where the answer has no Date that can be read', () => {
    expect(askedPauseMs({ 'retry-after': until }, now)).toBe(100_000);
    expect(askedPauseMs({ 'retry-after': until, date: 'today' }, now)).toBe(100_000);
  });

  it('takes seconds as they are', () => {
    expect(askedPauseMs({ 'retry-after': '7', date: until }, now)).toBe(7_000);
    expect(askedPauseMs({ date: until }, now)).toBeNull();
  });
});
