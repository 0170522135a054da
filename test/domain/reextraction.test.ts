/** What re-extractions compare, count and may do: pure rules. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  changedFields,
  isSame,
  linksApart,
  shownField,
  type Extraction,
} from '../../domain/reextraction/difference.ts';
import { refusal, type ReextractionFacts } from '../../domain/reextraction/may.ts';
import {
  emptyTally,
  mostSamples,
  tallied,
  type Outcome,
  type Tally,
} from '../../domain/reextraction/tally.ts';

const page: Extraction = {
  ...{ title: 'A', description: null, language: 'en', charset: 'utf-8', words: 3, links: 2, canonical: null },
  ...{
    noindex: false,
    nofollow: false,
    text_hash: 'ab',
    outlinks: '/a\n/b',
    cut: null,
    fields: { price: 5 },
  },
  meta: { version: 1, headings: [{ level: 1, text: 'A' }], authors: ['X'] },
};

describe('two extractions', () => {
  it('do not differ by the version of the extractor, the order of names or an empty cut', () => {
    const other = {
      ...page,
      cut: {},
      meta: { authors: ['X'], headings: [{ text: 'A', level: 1 }], version: 2 },
    };
    expect(changedFields(page, other)).toEqual([]);
  });

  it('differ in fields, and in those of the metadata by name', () => {
    const other = {
      ...{ ...page, title: 'B', links: 3, outlinks: '/a\n/c', text_hash: null, cut: { text: 5 } },
      meta: { version: 1, authors: ['Y'], fromState: true },
    };
    expect(changedFields(page, other)).toEqual(
      ['cut', 'linkCount', 'links', 'meta.authors', 'meta.fromState', 'meta.headings', 'text', 'title'], // prettier-ignore
    );
    expect(linksApart(page, other)).toEqual({ gone: ['/b'], found: ['/c'] });
    expect(shownField(page, other, 'links')).toEqual({ before: ['/b'], after: ['/c'] });
    expect(shownField(page, other, 'meta.fromState')).toEqual({ before: null, after: true });
  });

  it('have no links apart where one has none', () => {
    expect(linksApart({ ...page, outlinks: '' }, page)).toEqual({ gone: [], found: ['/a', '/b'] });
  });

  it('are the same as values, as JSON would say', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        expect(isSame(one, JSON.parse(JSON.stringify(one)))).toBe(true);
        const sorted = (value: unknown): string =>
          JSON.stringify(value, (_, inner: unknown) =>
            typeof inner === 'object' && inner !== null && !Array.isArray(inner)
              ? ['an object', ...Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))]
              : Object.is(inner, -0)
                ? 0
                : inner,
          );
        expect(isSame(one, other)).toBe(sorted(one) === sorted(other));
      }),
    );
  });
});

describe('the tally', () => {
  const outcomes = fc.array(
    fc.record({
      page: fc.tuple(fc.integer({ min: 1, max: 9 }), fc.stringMatching(/^[0-9a-f]{4}$/)),
      unread: fc.constantFrom(null, 'missing' as const, 'damaged' as const),
      fields: fc.uniqueArray(fc.constantFrom('title', 'words', 'meta.schema')),
      linksFound: fc.nat(3),
      linksGone: fc.nat(3),
    }),
    { maxLength: 60 },
  ) as fc.Arbitrary<Outcome[]>;

  it('is the same however the pages come in steps, and counts each page once', () => {
    fc.assert(
      fc.property(outcomes, fc.nat(60), (all, at) => {
        const whole = tallied(emptyTally, all);
        const again = JSON.parse(JSON.stringify(tallied(emptyTally, all.slice(0, at)))) as Tally;
        expect(tallied(again, all.slice(at))).toEqual(whole);
        const unread = Object.values(whole.unread).reduce((sum, many) => sum + many, 0);
        expect(whole.equal + whole.different + unread).toBe(all.length);
        for (const pages of Object.values(whole.samples))
          expect(pages?.length).toBeLessThanOrEqual(mostSamples);
      }),
    );
  });

  it('keeps the pages with the smallest keys', () => {
    const all = Array.from({ length: 50 }, (_, at): Outcome => ({
      ...{ page: [1, String(99 - at)], unread: null, fields: ['title'], linksFound: 0, linksGone: 0 },
    }));
    expect(tallied(emptyTally, all).samples['title']?.map(([, key]) => Number(key))).toEqual(
      Array.from({ length: mostSamples }, (_, at) => 50 + at),
    );
  });
});

describe('what may be done', () => {
  const job = (id: string, more: Partial<ReextractionFacts> = {}): ReextractionFacts => ({
    ...{ id, state: 'finished', isInUse: false, isSettled: true },
    ...more,
  });
  const used = { isInUse: true };

  it.each<[string, Parameters<typeof refusal>[0], ReextractionFacts[], RegExp | null]>([
    ['begun where none is', 'start', [], null],
    ['begun beside finished ones', 'start', [job('7'), job('8', { state: 'failed' })], null],
    ['not begun while one is made', 'start', [job('7', { state: 'running' })], /7 has not ended/],
    ['not begun while one is in use', 'start', [job('7', used)], /7 is in use/],
    [
      'not begun beside too many',
      'start',
      Array.from({ length: 20 }, (_, n) => job(String(n))),
      /remove one/,
    ],
    ['not begun while a switch is told', 'start', [job('7', { isSettled: false })], /still being told/],
    ['switched to', 'switch', [job('7'), job('8')], null],
    ['not switched to while it is made', 'switch', [job('7', { state: 'running' })], /only a finished one/],
    ['not switched to twice', 'switch', [job('7', used)], /in use already/],
    ['not switched to beside another', 'switch', [job('7'), job('8', used)], /8 is in use/],
    [
      'not switched to while another is made',
      'switch',
      [job('7'), job('8', { state: 'waiting' })],
      /8 has not ended/,
    ],
    [
      'not switched to while another is told',
      'switch',
      [job('7'), job('8', { isSettled: false })],
      /of? ?.*8/,
    ],
    ['undone', 'undo', [job('7', { ...used, isSettled: false })], null],
    ['not undone if it is not in use', 'undo', [job('7')], /not in use/],
    ['not undone once it is kept', 'undo', [job('7', { ...used, state: 'keeping' })], /becoming/],
    ['kept', 'keep', [job('7', used), job('8', { state: 'cancelled' })], null],
    ['not kept if it is not in use', 'keep', [job('7')], /switch to it/],
    ['not kept beside others', 'keep', [job('7', used), job('8')], /8 was compared/],
    ['cancelled', 'cancel', [job('7', { state: 'waiting' })], null],
    ['not cancelled after its end', 'cancel', [job('7')], /finished already/],
    ['removed', 'remove', [job('7'), job('8', used)], null],
    ['not removed while it is made', 'remove', [job('7', { state: 'running' })], /cancel it first/],
    ['not removed while it is in use', 'remove', [job('7', used)], /undo it first/],
    ['not removed before it is told', 'remove', [job('7', { isSettled: false })], /still being told/],
    ['nothing, if there is no such one', 'remove', [job('8')], /no re-extraction 7/],
  ])('is %s', (_, change, all, why) => {
    const said = refusal(change, all, '7');
    if (why === null) expect(said).toBeNull();
    else expect(said).toMatch(why);
  });
});
