import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pageKey, type Expected } from './expected.ts';
import { complaints, judge } from './judge.ts';
import { formatLog, parseLog, type RequestRecord } from './log.ts';

const origin = 'http://127.0.0.1:1000';

function record(
  path: string,
  start: number,
  end: number | null,
  more: Partial<RequestRecord> = {},
): RequestRecord {
  return { host: '127.0.0.1:1000', url: origin + path, start, end, status: 200, userAgent: null, ...more };
}

function expecting(must: string[], disallowed: string[] = [], optional: string[] = []): Expected {
  const keys = (paths: string[]): Set<string> => new Set(paths.map((path) => pageKey(origin + path)));
  const allowed = keys(optional);
  return { must: keys(must), disallowed: keys(disallowed), optional: (key) => allowed.has(key) };
}

describe('pace', () => {
  it('finds an overlap with any earlier request, not only the last', () => {
    const log = [
      record('/robots.txt', 0, 5),
      record('/a', 10, 100),
      record('/b', 120, 130),
      record('/c', 125, 126),
    ];
    expect(judge(log, { delayMs: 0 }).overlaps).toMatchObject([
      { first: `${origin}/b`, second: `${origin}/c` },
    ]);
    const nested = [record('/a', 0, 100), record('/b', 10, 20), record('/c', 50, 60)];
    expect(judge(nested, { delayMs: 0 }).overlaps).toHaveLength(2);
  });

  it('takes a request in flight for endless', () => {
    expect(judge([record('/a', 0, null), record('/b', 1e9, 1e9)], { delayMs: 0 }).overlaps).toHaveLength(1);
  });

  it('counts robots.txt as a request of the host', () => {
    const log = [record('/robots.txt', 0, 5), record('/a', 999, 1005)];
    const verdict = judge(log, { delayMs: 1000 });
    expect(verdict.tooSoon).toMatchObject([{ first: `${origin}/robots.txt`, gapMs: 999 }]);
    expect(verdict.minGapMs).toBe(999);
    expect(judge(log, { delayMs: 999 }).tooSoon).toEqual([]);
  });

  it('asks for the delay of each host', () => {
    const log = [record('/a', 0, 1), record('/b', 50, 51), record('/c', 0, 1, { host: 'b' })];
    log.push(record('/d', 50, 51, { host: 'b' }));
    const verdict = judge(log, { delayMs: (host) => (host === 'b' ? 100 : 10) });
    expect(verdict.tooSoon.map((pair) => pair.host)).toEqual(['b']);
  });

  it('wants Retry-After waited out from the end of the answer', () => {
    const busy = record('/a', 0, 10, { status: 503, retryAfterMs: 1_000 });
    expect(judge([busy, record('/a', 1_009, 1_020)], { delayMs: 0 }).tooEager).toHaveLength(1);
    expect(judge([busy, record('/a', 1_010, 1_020)], { delayMs: 0 }).tooEager).toEqual([]);
    const busier = record('/a', 1_010, 1_020, { status: 503, retryAfterMs: 9_000 });
    expect(judge([busy, busier, record('/a', 10_000, 10_001)], { delayMs: 0 }).tooEager).toHaveLength(1);
  });
});

describe('robots.txt', () => {
  it('has to be answered, not only asked, before the rest', () => {
    const terms = { delayMs: 0 };
    expect(judge([record('/robots.txt', 0, 5), record('/', 4, 6)], terms).robotsNotFirst).toHaveLength(1);
    expect(judge([record('/robots.txt', 0, 5), record('/', 5, 6)], terms).robotsNotFirst).toEqual([]);
    expect(judge([record('/', 0, 1), record('/robots.txt', 2, 3)], terms).robotsNotFirst).toHaveLength(1);
    expect(judge([record('/robots.txt', 0, 5)], terms).robotsNotFirst).toEqual([]);
  });

  it('is neither missing nor unexpected nor repeated as a page', () => {
    const failed = record('/robots.txt', 0, 1, { status: 500 });
    const log = [failed, record('/robots.txt', 2, 3), record('/robots.txt', 4, 5)];
    const verdict = judge(log, { delayMs: 0, expected: expecting([]) });
    expect(complaints(verdict)).toEqual(['1 hosts asked for robots.txt again: 127.0.0.1:1000 × 2']);
  });
});

describe('completeness', () => {
  const expected = expecting(['/', '/a?x=1&y=2'], ['/private/'], ['/trap']);

  it('sorts each URL into what it is', () => {
    const log = ['/', '/private/', '/trap', '/trap', '/other'].map((path, n) => record(path, n, n + 0.5));
    const verdict = judge(log, { delayMs: 0, expected });
    expect(verdict.missing).toEqual([`${origin}/a?x=1&y=2`]);
    expect(verdict.disallowed).toEqual([`${origin}/private/`]);
    expect(verdict.unexpected).toEqual([`${origin}/other`]);
    expect(verdict.repeated.size).toBe(0);
  });

  it('takes spellings of one page for one', () => {
    const log = [record('/', 0, 1), record('/a?y=2&x=1&utm_source=z', 2, 3)];
    expect(judge(log, { delayMs: 0, expected }).missing).toEqual([]);
    log.push(record('/a?x=1&y=2', 4, 5));
    expect([...judge(log, { delayMs: 0, expected }).repeated.values()]).toEqual([2]);
  });

  it('lets 429, 5xx and broken answers be tried again, but not be left so', () => {
    const tries = [503, 429, 0].map((status, n) => record('/', n, n + 0.5, { status }));
    const page = record('/a?x=1&y=2', 8, 9);
    expect(judge([...tries, page], { delayMs: 0, expected }).missing).toEqual([`${origin}/`]);
    const whole = judge([...tries, page, record('/', 10, 11)], { delayMs: 0, expected });
    expect(whole.missing).toEqual([]);
    expect(whole.repeated.size).toBe(0);
  });
});

describe('properties', () => {
  const step = fc.record({ wait: fc.integer({ min: 0, max: 50 }), took: fc.integer({ min: 0, max: 20 }) });
  const logs = fc.array(
    fc.record({
      host: fc.constantFrom('a', 'b', 'c'),
      start: fc.integer({ min: 0, max: 300 }),
      took: fc.integer({ min: 0, max: 40 }),
    }),
    { maxLength: 25 },
  );

  it('a host asked in turn after its delay is never complained about', () => {
    fc.assert(
      fc.property(fc.array(step), fc.integer({ min: 0, max: 30 }), (steps, delayMs) => {
        let at = 0;
        const log = [record('/robots.txt', 0, 0)];
        for (const [n, { wait, took }] of steps.entries()) {
          const before = log.at(-1);
          at = Math.max(at + delayMs, before?.end ?? 0) + wait;
          log.push(record(`/${String(n)}`, at, at + took));
        }
        expect(complaints(judge(log, { delayMs }))).toEqual([]);
      }),
    );
  });

  it('agrees with looking at every pair of requests, whatever their order in the log', () => {
    fc.assert(
      fc.property(logs, fc.integer({ min: 0, max: 60 }), (entries, delayMs) => {
        const log = entries.map(({ host, start, took }, n) =>
          record(`/${String(n)}`, start, start + took, { host }),
        );
        const verdict = judge(log, { delayMs });
        const pairs = log.flatMap((one, n) => log.slice(n + 1).map((two) => [one, two] as const));
        const ordered = pairs
          .filter(([one, two]) => one.host === two.host)
          .map(([one, two]) => (one.start <= two.start ? { one, two } : { one: two, two: one }));
        const gaps = ordered.map(({ one, two }) => two.start - one.start);
        expect(verdict.minGapMs).toBe(gaps.length > 0 ? Math.min(...gaps) : null);
        expect(verdict.tooSoon.length > 0).toBe(gaps.some((gap) => gap < delayMs));
        const late = new Set(
          ordered.filter(({ one, two }) => two.start < (one.end ?? 0)).map(({ two }) => two.url),
        );
        expect(new Set(verdict.overlaps.map((pair) => pair.second))).toEqual(late);
      }),
    );
  });

  it('each URL is in at most one of must, disallowed and unexpected, and missing what was never answered', () => {
    const paths = fc.uniqueArray(fc.constantFrom('/a', '/b', '/c', '/d', '/e', '/f'));
    fc.assert(
      fc.property(
        paths,
        paths,
        fc.array(fc.constantFrom('/a', '/b', '/c', '/d', '/e', '/f')),
        (must, bad, got) => {
          const forbidden = bad.filter((path) => !must.includes(path));
          const log = got.map((path, n) => record(path, n, n));
          const verdict = judge(log, { delayMs: 0, expected: expecting(must, forbidden) });
          const all = [...must, ...verdict.disallowed, ...verdict.unexpected];
          expect(new Set(all).size).toBe(all.length);
          expect(verdict.missing).toEqual(
            must.filter((path) => !got.includes(path)).map((path) => origin + path),
          );
          expect(verdict.repeated.size).toBe(new Set(got.filter((path, n) => got.indexOf(path) !== n)).size);
        },
      ),
    );
  });

  it('a log survives being written and read', () => {
    fc.assert(
      fc.property(logs, (entries) => {
        const log = entries.map(({ host, start, took }, n) =>
          record(`/${String(n)}?é=1`, start, took > 30 ? null : start + took, { host }),
        );
        expect(parseLog(formatLog(log))).toEqual(log);
      }),
    );
  });
});
