import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  metBy,
  pageCounters,
  type CountedPage,
  type Criterion,
  type FinishCriteria,
  type Reached,
} from '../../domain/finish-criteria.ts';

const none: Reached = { pages: 0, bytes: 0, runningMs: 0, exhausted: false, counters: {} };
const small = fc.integer({ min: 1, max: 20 });
const title = fc.constantFrom('Shoes', 'shoes for sale', 'News', '');

const criterion: fc.Arbitrary<Criterion> = fc.oneof(
  small.map((pages) => ({ pages })),
  small.map((bytes) => ({ bytes })),
  small.map((seconds) => ({ seconds })),
  fc.integer({ min: 0, max: 4 }).map((depth) => ({ depth })),
  fc.constant({ exhausted: true as const }),
  fc.record({ count: small, title: fc.constant('shoes') }).map((matching) => ({ matching })),
);
const some = fc.array(criterion, { minLength: 1, maxLength: 4 });
const criteria: fc.Arbitrary<FinishCriteria> = fc.oneof(
  fc
    .array(
      fc.oneof(
        criterion,
        some.map((all) => ({ all })),
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map((any) => ({ any })),
  fc
    .array(
      fc.oneof(
        criterion,
        some.map((any) => ({ any })),
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map((all) => ({ all })),
);
const page: fc.Arbitrary<CountedPage> = fc.record({
  url: fc.constantFrom('https://a.example/shop/1', 'https://a.example/news/1'),
  title: fc.option(title),
  language: fc.option(fc.constantFrom('en', 'de')),
  depth: fc.nat({ max: 5 }),
});

/** What is reached after so many pages. */
function reachedBy(wanted: FinishCriteria, pages: readonly CountedPage[]): Reached {
  const countersOf = pageCounters(wanted);
  const counters: Record<string, number> = {};
  for (const each of pages) for (const name of countersOf(each)) counters[name] = (counters[name] ?? 0) + 1;
  return { ...none, pages: pages.length, bytes: pages.length * 2, runningMs: pages.length * 1_000, counters };
}

describe('finish criteria', () => {
  it('once met stay met', () => {
    fc.assert(
      fc.property(criteria, fc.array(page, { maxLength: 25 }), (wanted, pages) => {
        let wasMet = false;
        for (let read = 0; read <= pages.length; read++) {
          const isMet = metBy(wanted, reachedBy(wanted, pages.slice(0, read))) !== null;
          expect(wasMet && !isMet).toBe(false);
          wasMet = isMet;
        }
      }),
    );
  });

  it('any is met by one of them, all only by each', () => {
    fc.assert(
      fc.property(some, fc.array(page, { maxLength: 25 }), (list, pages) => {
        const reached = reachedBy({ any: list }, pages);
        const alone = list.map((one) => metBy({ any: [one] }, reached) !== null);
        expect(metBy({ any: list }, reached) !== null).toBe(alone.includes(true));
        expect(metBy({ all: list }, reached) !== null).toBe(!alone.includes(false));
        expect(metBy({ any: [{ all: list }] }, reached)).toBe(metBy({ all: list }, reached));
        expect(metBy({ all: [{ any: list }] }, reached)).toBe(metBy({ any: list }, reached));
      }),
    );
  });

  it.each<[Criterion, Partial<Reached>, Partial<Reached>]>([
    [{ pages: 3 }, { pages: 2 }, { pages: 3 }],
    [{ bytes: 3 }, { bytes: 2 }, { bytes: 3 }],
    [{ seconds: 3 }, { runningMs: 2_999 }, { runningMs: 3_000 }],
    [{ exhausted: true }, {}, { exhausted: true }],
    [{ depth: 2 }, { counters: { 'depth 1': 9 } }, { counters: { 'depth 2': 1 } }],
  ])('%j is met from its number on', (one, before, after) => {
    expect(metBy({ any: [one] }, { ...none, ...before })).toBeNull();
    expect(metBy({ any: [one] }, { ...none, ...after })).not.toBeNull();
  });
});

describe('pages that match', () => {
  const shop: CountedPage = {
    url: 'https://a.example/shop/1',
    title: 'Shoes for Sale',
    language: 'en',
    depth: 2,
  };
  const counts = (matching: { url?: string; title?: string; language?: string }, one = shop): boolean =>
    pageCounters({ any: [{ matching: { ...matching, count: 1 } }] })(one).length === 1;

  it('match by URL, title and language, and by all that are given', () => {
    expect(counts({ url: '*/shop/*' })).toBe(true);
    expect(counts({ url: '*/news/*' })).toBe(false);
    expect(counts({ title: 'SHOES' })).toBe(true);
    expect(counts({ title: 'hats' })).toBe(false);
    expect(counts({ title: 'shoes' }, { ...shop, title: null })).toBe(false);
    expect(counts({ language: 'de' })).toBe(false);
    expect(counts({ url: '*/shop/*', title: 'shoes', language: 'en' })).toBe(true);
    expect(counts({ url: '*/shop/*', title: 'shoes', language: 'de' })).toBe(false);
  });

  it('are counted on where only the wanted number is changed', () => {
    const named = (count: number) => pageCounters({ any: [{ matching: { count, title: 'Shoes' } }] })(shop);
    expect(named(3)).toEqual(named(30));
    const other = pageCounters({ any: [{ matching: { count: 3, title: 'sale' } }] })(shop);
    expect(other).not.toEqual(named(3));
  });

  it('are counted once for criteria that count the same', () => {
    const twice = {
      any: [{ matching: { count: 1, title: 'shoes' } }, { matching: { count: 2, title: 'Shoes' } }],
    };
    expect(pageCounters(twice)(shop)).toHaveLength(1);
  });
});
