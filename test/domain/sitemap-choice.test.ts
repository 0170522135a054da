/** What is left out of a sitemap by what the crawl asks for. */
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { lastMoment, refusalOf } from '../../domain/sitemap-choice.ts';

const since = Date.parse('2024-03-10T12:00:00Z');
const choice = { matches: (url: string) => url.includes('news'), modifiedSince: since };

describe('a date', () => {
  it.each([
    ['2024', '2024-12-31T23:59:59.999Z'],
    ['2024-02', '2024-02-29T23:59:59.999Z'],
    ['2024-12', '2024-12-31T23:59:59.999Z'],
    ['2024-02-28', '2024-02-28T23:59:59.999Z'],
    ['2024-03-10T14:00+02:00', '2024-03-10T12:00:00.000Z'],
    ['Sun, 10 Mar 2024 12:00:00 GMT', '2024-03-10T12:00:00.000Z'],
    ['2024-03-10T14:00', '2024-03-10T14:00:00.000Z'],
    ['10 Mar 2024 12:00:00', '2024-03-10T12:00:00.000Z'],
  ])('%s lasts until %s, wherever the machine stands', (text, end) => {
    vi.stubEnv('TZ', 'America/New_York');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(lastMoment(text)).toBe(Date.parse(end));
  });

  it.each(['', 'yesterday', '2024-13', '2024-00', '2024-02-40', '{{date}}', 'version 2'])(
    'is not %j',
    (text) => {
      expect(lastMoment(text)).toBeNull();
    },
  );

  it('never ends before it is over, and any text is read without a throw', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9998-12-31') }), (at) => {
        const iso = at.toISOString();
        for (const length of [4, 7, 10]) expect(lastMoment(iso.slice(0, length))).toBeGreaterThanOrEqual(+at);
        expect(lastMoment(iso)).toBe(+at);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const end = lastMoment(text);
        expect(end === null || Number.isFinite(end)).toBe(true);
      }),
    );
  });
});

describe('an entry', () => {
  it.each([
    ['page', '2024-03-10', 'https://h/a', null],
    ['page', '2024-03-09', 'https://h/a', 'unmodified'],
    ['page', undefined, 'https://h/a', null],
    ['page', 'soon', 'https://h/a', null],
    ['sitemap', undefined, 'https://h/news.xml', null],
    ['sitemap', '2024-03-09', 'https://h/news.xml', 'unmodified'],
    ['sitemap', undefined, 'https://h/shop.xml', 'sitemap-pattern'],
  ] as const)('%s of %s at %s: %s', (kind, lastmod, url, reason) => {
    const entry = lastmod === undefined ? { kind } : { kind, lastmod };
    expect(refusalOf(entry, url, choice)?.reason ?? null).toBe(reason);
    expect(refusalOf(entry, url, { matches: null, modifiedSince: null })).toBeNull();
  });
});
