/** Queries as they are typed, in which order pages are looked at, spans of time, and snippets. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withBreaks, withoutBreaks } from '../../content/word-breaks.ts';
import { hitMarks, snippetOf } from '../../domain/search/page.ts';
import { mostTerms, readQuery, writtenQuery } from '../../domain/search/query.ts';
import { spansBetween, spansOf } from '../../domain/search/spans.ts';
import { firstTier, looksOf, tierOf } from '../../domain/search/tiers.ts';

const told = (text: string): string[] =>
  readQuery(text).map(
    ({ text, isPhrase, isUnwanted }) => `${isUnwanted ? 'no ' : ''}${isPhrase ? 'phrase ' : ''}${text}`,
  );

describe('a query', () => {
  it.each([
    ['durable crawler', ['durable', 'crawler']],
    ['"polite  crawler" -browser -"a b"', ['phrase polite crawler', 'no browser', 'no phrase a b']],
    ['well-known - "" "unclosed phrase', ['well-known', 'unclosed', 'phrase']],
    ["it's <b> \\ & | ! : * ()", ["it's", '<b>']],
    ['  ', []],
  ])('%j has the terms %j', (text, terms) => {
    expect(told(text)).toEqual(terms);
  });

  it('is read again as it was read, whatever is typed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        const terms = readQuery(text);
        expect(terms.length).toBeLessThanOrEqual(mostTerms);
        expect(readQuery(writtenQuery(terms))).toEqual(terms);
      }),
    );
  });
});

describe('the tiers of a crawl', () => {
  it.each([
    [0, 0],
    [firstTier - 1, 0],
    [firstTier, 1],
    [4 * firstTier - 1, 1],
    [4 * firstTier, 2],
    [1_000_000, 5],
  ])('page %d is in tier %d', (looked, tier) => {
    expect(tierOf(looked)).toBe(tier);
  });

  const crawls = fc.uniqueArray(
    fc.record({ id: fc.nat({ max: 10_000 }).map(String), looked: fc.nat({ max: 3_000_000 }) }),
    { selector: ({ id }) => id, minLength: 1, maxLength: 200 },
  );

  it('are each looked at once, the first ones first, in few looks that begin small', () => {
    fc.assert(
      fc.property(crawls, (crawls) => {
        const looks = looksOf(crawls);
        const all = looks.flat();
        const everyTier = crawls.flatMap(({ id, looked }) =>
          Array.from({ length: tierOf(looked) + 1 }, (_, tier) => `${id}.${String(tier)}`),
        );
        expect(all.map(({ crawlId, tier }) => `${crawlId}.${String(tier)}`).sort()).toEqual(everyTier.sort());
        expect(all.map(({ tier }) => tier)).toEqual(all.map(({ tier }) => tier).sort((a, b) => a - b));
        const order = crawls.map(({ id }) => id);
        const firsts = all.flatMap(({ crawlId, tier }) => (tier === 0 ? [crawlId] : []));
        expect(firsts).toEqual(order);
        const pages = crawls.reduce((sum, { looked }) => sum + looked, 0);
        expect(looks.length).toBeLessThanOrEqual(Math.log2(pages / firstTier + 1) + 3);
        const first = new Set(looks[0]?.map(({ crawlId }) => crawlId));
        const seen = crawls
          .filter(({ id }) => first.has(id))
          .map(({ looked }) => Math.min(looked, firstTier));
        expect(seen.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(firstTier);
      }),
    );
  });
});

describe('a span of time', () => {
  const now = Date.UTC(2031, 5, 1);
  it.each([
    [undefined, undefined, null],
    ['2030-01-01T00:00:00Z', '2031-01-01T00:00:00Z', ['2030']],
    [
      '2030-11-30T22:30:00Z',
      '2031-01-01T01:00:00Z',
      ['2030-11-30T22', '2030-11-30T23', '2030-12', '2031-01-01T00'],
    ],
    [
      '2030-02-27T00:00:00Z',
      '2030-03-02T00:00:00.001Z',
      ['2030-02-27', '2030-02-28', '2030-03-01', '2030-03-02T00'],
    ],
    [undefined, '1991-01-01T00:00:00Z', ['1990']],
    ['2031-05-31T00:00:00Z', undefined, ['2031-05-31', '2031-06-01']],
    ['2030-01-02T00:00:00Z', '2030-01-01T00:00:00Z', []],
    ['2040-01-01T00:00:00Z', undefined, []],
  ])('from %s to %s: %j', (since, until, spans) => {
    expect(spansBetween(since, until, now)).toEqual(spans);
  });

  it('has the pages that were answered in it, and others only in the hours at its ends', () => {
    const date = fc.date({ min: new Date(Date.UTC(1990, 0)), max: new Date(now), noInvalidDate: true });
    const maybe = fc.option(date, { nil: undefined });
    // Near to both ends things go wrong first.
    const near = fc.integer({ min: -7_200_000, max: 7_200_000 });
    fc.assert(
      fc.property(maybe, maybe, date, near, (since, until, any, off) => {
        for (const page of [
          any,
          new Date((since ?? any).getTime() + off),
          new Date((until ?? any).getTime() + off),
        ]) {
          if (page.getTime() >= now || page.getUTCFullYear() < 1990) continue;
          const spans = spansBetween(since?.toISOString(), until?.toISOString(), now);
          const found = spans === null || spansOf(page.toISOString()).some((span) => spans.includes(span));
          if (page >= (since ?? page) && (until === undefined || page < until)) expect(found).toBe(true);
          const hour = (of: Date | undefined): string => of?.toISOString().slice(0, 13) ?? '';
          const isAtEnd = [hour(since), hour(until)].includes(hour(page));
          if (found && !isAtEnd) {
            expect(page >= (since ?? page)).toBe(true);
            expect(until === undefined || page < until).toBe(true);
          }
        }
      }),
    );
  });

  it('is told in some hundred words at most', () => {
    const date = fc.date({ min: new Date(0), max: new Date(now), noInvalidDate: true });
    fc.assert(
      fc.property(date, date, (since, until) => {
        const spans = spansBetween(since.toISOString(), until.toISOString(), now) ?? [];
        expect(spans.length).toBeLessThanOrEqual(2 * (24 + 31 + 12) + 42);
      }),
    );
  });
});

describe('a snippet', () => {
  const { start, end } = hitMarks;

  it('is in parts, those that were searched for marked', () => {
    expect(snippetOf(`a ${start}b${end} c ${start}d${end}`)).toEqual([
      { text: 'a ', hit: false },
      { text: 'b', hit: true },
      { text: ' c ', hit: false },
      { text: 'd', hit: true },
    ]);
  });

  it('loses no text, whatever marks a page has of its own', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(start, end, 'a', 'bc', ' '), { maxLength: 30 }), (pieces) => {
        const marked = pieces.join('');
        const parts = snippetOf(marked);
        expect(parts.map(({ text }) => text).join('')).toBe(marked.replaceAll(start, '').replaceAll(end, ''));
        expect(parts.every(({ text }) => text !== '')).toBe(true);
      }),
    );
  });
});

describe('word breaks', () => {
  it('are set where a script has none, and taken out again', () => {
    expect(withBreaks('Tokyo 東京都に住む').split('\u001f').length).toBeGreaterThan(3);
    expect(withBreaks('plain words')).toBe('plain words');
    expect(withBreaks('a <b> < c')).toBe('a <\u001fb> < c');
    expect(withBreaks('<!--'.repeat(1_000)).match(/<[^\u001f]/)).toBeNull();
    const longest = Math.max(...withBreaks('a_'.repeat(50_000)).split('\u001f').map(({ length }) => length)); // prettier-ignore
    expect(longest).toBe(256);
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('<', '東', '京', 'ก', 'า', 'a', ' ', '。') }), (text) => {
        expect(withoutBreaks(withBreaks(text))).toBe(text);
      }),
    );
  });
});
