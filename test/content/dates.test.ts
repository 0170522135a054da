import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateOfPath, isAfter, readDate } from '../../content/dates.ts';

describe('readDate', () => {
  it.each([
    ['2024-03-12', '2024-03-12'],
    ['20240312', '2024-03-12'],
    ['2024-03-12T10:11:12.345Z', '2024-03-12T10:11:12Z'],
    ['2024-03-12T23:30:00-0200', '2024-03-13T01:30:00Z'],
    ['2024-03-12 10:11', '2024-03-12'],
    ['2024-03-12T10:11:12+02', '2024-03-12T08:11:12Z'],
    ['Tue, 12 Mar 2024 10:11:12 +0100', '2024-03-12T09:11:12Z'],
    ['12 March 2024', '2024-03-12'],
    ['Tuesday, March 12th, 2024', '2024-03-12'],
    ['Mar 12 2024 10:00', '2024-03-12'],
    ['12. März 2024', '2024-03-12'],
    ['12 de marzo de 2024', '2024-03-12'],
    ['1er janvier 2024', '2024-01-01'],
    ['12 марта 2024 г.', '2024-03-12'],
    ['2024年3月12日', '2024-03-12'],
    ['2024년 3월 12일', '2024-03-12'],
    ['12.03.2024', '2024-03-12'],
    ['03/25/2024', '2024-03-25'],
    ['25/03/2024', '2024-03-25'],
    ['2024/3/5', '2024-03-05'],
    ['1848-03-18', null],
    ['2024-02-30', null],
    ['2024-13-01', null],
    ['version 1.2.2024.5', null],
    ['March 2024', null],
    ['', null],
  ])('%j is %j', (text, date) => {
    expect(readDate(text)).toBe(date);
  });

  it('reads every day in each of its forms', () => {
    const day = fc.date({ min: new Date('1991-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(day, (date) => {
        const iso = date.toISOString().slice(0, 10);
        const english = (options: Intl.DateTimeFormatOptions, locale = 'en-GB') =>
          new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options }).format(date);
        expect(readDate(date.toISOString())).toBe(`${date.toISOString().slice(0, 19)}Z`);
        expect(readDate(english({ dateStyle: 'long' }))).toBe(iso);
        expect(readDate(english({ dateStyle: 'long' }, 'en-US'))).toBe(iso);
        for (const locale of ['de', 'fr', 'es', 'it', 'nl', 'pt', 'ru']) {
          expect([locale, readDate(english({ dateStyle: 'long' }, locale))]).toEqual([locale, iso]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('answers a date or nothing for any text', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom(...'0 1 2 3 4 5 6 7 8 9 - / . : T Z a b c march jn 年 月 + '.split(' ')),
        }),
        (text) => {
          expect(readDate(text) ?? '2000-01-01').toMatch(/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?$/);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

it.each([
  ['/2024/03/12/title', '2024-03-12'],
  ['/news/2024-03-12-title.html', '2024-03-12'],
  ['/a/20240312/b', '2024-03-12'],
  ['/a/2024/3/5', '2024-03-05'],
  ['/2024/03/title', null],
  ['/item/120240312', null],
  ['/2024/99/12/', null],
])('dateOfPath(%j) is %j', (path, date) => {
  expect(dateOfPath(path)).toBe(date);
});

it('isAfter leaves a day for zones', () => {
  expect(isAfter('2024-03-12', Date.UTC(2024, 2, 11, 1))).toBe(false);
  expect(isAfter('2024-03-13', Date.UTC(2024, 2, 11, 1))).toBe(true);
});
