/** What is learned of rendering is pure, needs little room, expires, and decides by what it is given alone. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  adviceFor,
  asOf,
  isGain,
  learn,
  type KnownGains,
  type Learned,
} from '../../../domain/rendering/learned.ts';

const day = 86_400;
const start = 1_800_000_000;
const seen = fc.record({ isShell: fc.boolean(), gained: fc.boolean() });
const url = fc.webUrl({ withQueryParameters: true });

const after = (pages: number, isShell: boolean, gained: boolean): Learned => {
  let known: Learned | null = null;
  for (let page = 0; page < pages; page++) known = learn(known, { isShell, gained }, start);
  return known ?? asOf(null, start);
};
const urls = Array.from({ length: 5_000 }, (_, page) => `https://a.example/list/${String(page)}`);
/** Of many pages of one shape. */
const shareOf = (advice: string, isShell: boolean, known: KnownGains, now = start): number =>
  urls.filter((each) => (adviceFor(each, isShell, known, now) ?? 'rule') === advice).length / urls.length;

describe('what is known', () => {
  it('is a row of whole numbers that never grows past what was seen', () => {
    const visits = fc.array(fc.tuple(seen, fc.integer({ min: 0, max: 90 * day })), { maxLength: 60 });
    fc.assert(
      fc.property(visits, (all) => {
        let known: Learned | null = null;
        let now = start;
        for (const [page, later] of all) known = learn(known, page, (now += later));
        const { at, ...counts } = known ?? asOf(null, start);
        expect(Object.values(counts).every((count) => Number.isInteger(count) && count >= 0)).toBe(true);
        expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(
          1_000 * all.length,
        );
        expect(at).toBe(all.length === 0 ? start : now);
      }),
    );
  });

  it('does not depend on the order of pages of one moment', () => {
    fc.assert(
      fc.property(fc.array(seen, { minLength: 1, maxLength: 20 }), (pages) => {
        const learnt = (all: typeof pages) =>
          all.reduce<Learned | null>((known, page) => learn(known, page, start), null);
        expect(learnt(pages.toReversed())).toEqual(learnt(pages));
      }),
    );
  });

  it('halves in a fortnight, and is not changed by a clock that is behind', () => {
    const known = after(8, true, true);
    expect(asOf(known, start + 14 * day).shellsWon).toBe(4_000);
    expect(asOf(known, start - day)).toEqual(known);
    expect(learn(known, { isShell: true, gained: true }, start - day)).toEqual({
      ...known,
      shellsWon: 9_000,
    });
  });
});

describe('advice', () => {
  it('is the same for the same page, in any process', () => {
    const known = fc.record({
      at: fc.integer({ min: start - 99 * day, max: start }),
      shellsWon: fc.nat(50_000),
      shellsLost: fc.nat(50_000),
      othersWon: fc.nat(50_000),
      othersLost: fc.nat(50_000),
    });
    const either = fc.option(known);
    fc.assert(
      fc.property(url, fc.boolean(), either, either, (page, isShell, shape, host) => {
        const [one, other] = [{ shape, host }, structuredClone({ shape, host })];
        expect(adviceFor(page, isShell, one, start)).toBe(adviceFor(page, isShell, other, start));
      }),
    );
  });

  it('follows the rule where nothing is known', () => {
    fc.assert(
      fc.property(url, fc.boolean(), (page, isShell) => {
        expect(adviceFor(page, isShell, { shape: null, host: null }, start)).toBeNull();
      }),
    );
  });

  it('skips shells of a shape that has gained nothing nine times, but for a tenth, until that is long ago', () => {
    const known = (pages: number): KnownGains => ({ shape: after(pages, true, false), host: null });
    expect(shareOf('rule', true, known(8))).toBe(1);
    expect(shareOf('skip', true, known(9))).toBeCloseTo(0.9, 1);
    expect(shareOf('sample', true, known(9))).toBeCloseTo(0.1, 1);
    expect(shareOf('rule', true, known(9), start + 30 * day)).toBe(1);
    // One that gains is enough for a while.
    const gains = learn(after(9, true, false), { isShell: true, gained: true }, start);
    expect(shareOf('rule', true, { shape: gains, host: null })).toBe(1);
  });

  it('takes samples of other pages only at hosts where a page gained, fewer once some are known', () => {
    const host = after(1, true, true);
    const lost = (pages: number): KnownGains => ({ shape: after(pages, false, false), host });
    expect(shareOf('sample', false, { shape: null, host: after(9, true, false) })).toBe(0);
    expect(shareOf('sample', false, { shape: null, host })).toBeCloseTo(0.2, 1);
    expect(shareOf('sample', false, lost(2))).toBeCloseTo(0.2, 1);
    expect(shareOf('sample', false, lost(3))).toBeCloseTo(0.02, 2);
    expect(shareOf('sample', false, { shape: null, host }, start + 60 * day)).toBe(0);
  });

  it('renders other pages of a shape that gains, apart from its shells', () => {
    const host = after(2, false, true);
    expect(shareOf('render', false, { shape: host, host })).toBe(1);
    expect(shareOf('render', false, { shape: after(2, true, true), host })).toBe(0);
    const seldom = learn(learn(host, { isShell: false, gained: false }, start), { isShell: false, gained: false }, start); // prettier-ignore
    expect(shareOf('render', false, { shape: seldom, host })).toBe(1);
    const rather = learn(seldom, { isShell: false, gained: false }, start);
    expect(shareOf('render', false, { shape: rather, host })).toBe(0);
  });
});

it.each([
  [{ words: 0, links: 0 }, { words: 9, links: 1 }, false],
  [{ words: 0, links: 0 }, { words: 10, links: 0 }, true],
  [{ words: 0, links: 0 }, { words: 0, links: 2 }, true],
  [{ words: 400, links: 40 }, { words: 479, links: 47 }, false],
  [{ words: 400, links: 40 }, { words: 480, links: 40 }, true],
  [{ words: 400, links: 40 }, { words: 400, links: 48 }, true],
  [{ words: 400, links: 40 }, { words: 100, links: 2 }, false],
])('from %j to %j is a gain: %s', (before, then, expected) => {
  expect(isGain(before, then)).toBe(expected);
});
