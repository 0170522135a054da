import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateOfFolders, dateOfPath, isAfter, readDate, readingsOf } from '../../content/dates.ts';
import { runs } from '../support/runs.ts';

describe('readDate', () => {
  it.each([
    ['2024-03-12', '2024-03-12'],
    ['20240312', '2024-03-12'],
    ['2024-03-12T10:11:12.345Z', '2024-03-12T10:11:12Z'],
    ['2024-03-12T23:30:00-0200', '2024-03-12T23:30:00-02:00'],
    ['2024-03-12T23:30:00+00:00', '2024-03-12T23:30:00Z'],
    ['2024-03-12 10:11', '2024-03-12'],
    ['2024-03-12T10:11:12+02', '2024-03-12T10:11:12+02:00'],
    ['2024/03/12 10:11:12 +0900', '2024-03-12T10:11:12+09:00'],
    ['20240312101112', '2024-03-12'],
    ['Tue, 12 Mar 2024 10:11:12 +0100', '2024-03-12T10:11:12+01:00'],
    ['1710238272', '2024-03-12T10:11:12Z'],
    ['1710238272000', '2024-03-12T10:11:12Z'],
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
    ['12-Mar-24', '2024-03-12'],
    ["12 Mar '24", '2024-03-12'],
    ['12.03.24', '2024-03-12'],
    ['Mittwoch, 6. März 2024 um 10:00', '2024-03-06'],
    ['२०२४-०३-०६', '2024-03-06'],
    ['٢٠٢٤-٠٣-٠٦', '2024-03-06'],
    ['２０２４年３月６日', '2024-03-06'],
    ['𝟐𝟎𝟐𝟒-𝟎𝟑-𝟎𝟔', '2024-03-06'],
    ['٦ مارس ٢٠٢٤', '2024-03-06'],
    ['6 آذار/مارس 2024', '2024-03-06'],
    ['٦ كانون الثاني ٢٠٢٤', '2024-01-06'],
    ['۱۶ اسفند ۱۴۰۲', '2024-03-06'],
    ['۱۴۰۲/۱۲/۱۶', '2024-03-06'],
    ['1402/12/16', null],
    ['วันพุธที่ 6 มีนาคม พ.ศ. 2567', '2024-03-06'],
    ['6 มี.ค. 2567', '2024-03-06'],
    ['6 March 2567', null],
    ['令和6年3月6日', '2024-03-06'],
    ['平成31年3月6日', '2019-03-06'],
    ['民國113年3月6日', '2024-03-06'],
    ['2024. március 6.', '2024-03-06'],
    ['2024 m. kovo 6 d.', '2024-03-06'],
    ['2024. gada 6. marts', '2024-03-06'],
    ['ngày 6 tháng 3 năm 2024', '2024-03-06'],
    ['9 Sivan 5784', null],
    ['20 people in 2024', null],
    ['10.0.20.24', null],
    ['1848-03-18', null],
    ['2024-02-30', null],
    ['2024-13-01', null],
    ['version 1.2.2024.5', null],
    ['March 2024', null],
    ['', null],
  ])('%j is %j', (text, date) => {
    expect(readDate(text)).toBe(date);
  });

  it.each([
    ['3/6/2024', false, ['2024-06-03', '2024-03-06']],
    ['3/6/2024', true, ['2024-03-06', '2024-06-03']],
    ['3.6.2024', true, ['2024-06-03', '2024-03-06']],
    ['Wednesday, 3/6/2024', false, ['2024-03-06']],
    ['mercredi 6/3/2024', true, ['2024-03-06']],
    ['Friday 3/6/2024', false, ['2024-06-03', '2024-03-06']],
  ])('%j, American: %j, may be %j', (text, american, readings) => {
    expect(readingsOf(text, american)).toEqual(readings);
  });

  it('reads every month as sixty languages write it', () => {
    const languages =
      `ar ar-EG az be bg bn bs ca cs cy da de el en-GB en-US es et eu fa fi fr gl gu he hi hu hy id is it
      ja ja-u-ca-japanese ka kk km kn ko ky lo lt lv mk ml mr ms mt my nb ne nl pa pl pt ro ru si sk sl sq sr sv sw ta te
      tg th tl tr uk ur uz vi zh zh-TW zh-TW-u-ca-roc`.split(/\s+/);
    for (const language of languages)
      for (const dateStyle of ['long', 'full'] as const)
        for (let month = 0; month < 12; month++) {
          const date = new Date(Date.UTC(2024, month, month + 6));
          const text = new Intl.DateTimeFormat(language, { dateStyle, timeZone: 'UTC' }).format(date);
          expect([language, text, readDate(text)]).toEqual([language, text, date.toISOString().slice(0, 10)]);
        }
  });

  it('reads every day of the Persian calendar', () => {
    const format = new Intl.DateTimeFormat('fa-IR', { dateStyle: 'short', timeZone: 'UTC' });
    for (let day = Date.UTC(1992, 0, 1); day < Date.UTC(2060, 0, 1); day += 11 * 86_400_000)
      expect(readDate(format.format(day))).toBe(new Date(day).toISOString().slice(0, 10));
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
      { numRuns: runs(300) },
    );
  });

  it('answers a date or nothing for any text', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom(...'0 1 2 3 4 5 6 7 8 9 - / . : T Z a b c march jn 年 月 + '.split(' ')),
        }),
        (text) => {
          expect(readDate(text) ?? '2000-01-01').toMatch(
            /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d))?$/,
          );
        },
      ),
      { numRuns: runs(2_000) },
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

it.each([
  ['/2024/03/12/title', '2024-03-12'],
  ['/2024/mar/12/title', '2024-03-12'],
  ['/2024/POLITICS/03/12/title', '2024-03-12'],
  ['/n1/2024/0312/c1-2.html', '2024-03-12'],
  ['/2024-03/12/c_1.htm', '2024-03-12'],
  ['/a/202403/12/x.html', '2024-03-12'],
  ['/news/2024-03-12-title', null],
  ['/2024/03/title', null],
])('dateOfFolders(%j) is %j', (path, date) => {
  expect(dateOfFolders(path)).toBe(date);
});

it('isAfter leaves a day for zones', () => {
  expect(isAfter('2024-03-12', Date.UTC(2024, 2, 11, 1))).toBe(false);
  expect(isAfter('2024-03-13', Date.UTC(2024, 2, 11, 1))).toBe(true);
});
