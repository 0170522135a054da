/** The account of time: every second has one cause, whatever comes (G14). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  causesOf,
  etaOf,
  holderOf,
  shownHolder,
  timeSummary,
  type CrawlTimeFacts,
  type HolderFacts,
} from '../../domain/explain/crawl-time.ts';
import { doneAt } from '../../domain/eta.ts';
import {
  asLost,
  byCrawlDelay,
  laterDue,
  splitWait,
  timeCauseNames,
  totalTime,
  withoutLast,
} from '../../domain/time-lost.ts';

const cause = fc.constantFrom(...timeCauseNames);
const ms = fc.integer({ min: 0, max: 1_000_000 });
const spent = fc.dictionary(cause, ms) as fc.Arbitrary<
  Partial<Record<(typeof timeCauseNames)[number], number>>
>;
const close = (actual: number, expected: number): void => {
  expect(actual).toBeCloseTo(expected, 3);
};

describe('a wait', () => {
  it('is split without a gap and without an overlap, each reason at most until its end', () => {
    const steps = fc.array(fc.record({ cause, until: ms }), { maxLength: 8 });
    fc.assert(
      fc.property(ms, ms, steps, cause, (from, length, given, rest) => {
        const parts = splitWait(from, from + length, given, rest);
        close(totalTime(parts), length);
        for (const each of given.filter(({ cause: name }) => name !== rest)) {
          const latest = Math.max(
            ...given.filter((step) => step.cause === each.cause).map(({ until }) => until),
          );
          expect(parts[each.cause] ?? 0).toBeLessThanOrEqual(Math.max(0, latest - from));
        }
      }),
    );
  });

  it('gives the first reason its part first', () => {
    const steps = [
      { cause: 'delay', until: 1_000 },
      { cause: 'retry_after', until: 31_000 },
      { cause: 'windows', until: 5_000 },
    ] as const;
    expect(splitWait(0, 40_000, steps, 'slot')).toEqual({ delay: 1_000, retry_after: 30_000, slot: 9_000 });
  });

  it('keeps its sum when a part gets another cause, and loses exactly what is taken off', () => {
    fc.assert(
      fc.property(spent, ms, fc.constantFrom('retry', 'retry_after'), (given, part, to) => {
        for (const other of [laterDue(given, part, to), asLost(given), byCrawlDelay(given)])
          close(totalTime(other), totalTime(given));
        const left = withoutLast(given, part);
        close(totalTime(left), Math.max(0, totalTime(given) - part));
        for (const value of Object.values(left)) expect(value).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

const at = Date.parse('2026-03-02T10:00:00Z');
const day = 86_400_000;
const work = { urls: 10, eachMs: 1_000, from: at, windows: null, quotaPerDay: 100_000, leftToday: 100_000 };

describe('the end of a host', () => {
  it('follows from its URLs, its pace, its opening times and its quota', () => {
    expect(doneAt(work)).toBe(at + 10_000);
    expect(doneAt({ ...work, from: at + 500 })).toBe(at + 10_500);
    const midnight = Date.parse('2026-03-03T00:00:00Z');
    expect(doneAt({ ...work, quotaPerDay: 4, leftToday: 2 })).toBe(midnight + day + 4_000);
    const nights = { timeZone: 'UTC', open: [{ days: ['mon', 'tue'] as const, from: '22:00', to: '23:00' }] };
    const windows = { ...nights, open: nights.open.map((each) => ({ ...each, days: [...each.days] })) };
    expect(doneAt({ ...work, windows })).toBe(Date.parse('2026-03-02T22:00:10Z'));
    // 3,600 fit into the hour of Monday, the rest comes on Tuesday.
    expect(doneAt({ ...work, windows, urls: 3_700 })).toBe(Date.parse('2026-03-03T22:01:40Z'));
    expect(doneAt({ ...work, urls: 1e9, quotaPerDay: 1, leftToday: 0 })).toBeNull();
  });

  it('is never sooner than the URLs take, and never comes nearer when there are more', () => {
    const numbers = fc.integer({ min: 1, max: 5_000 });
    const paces = fc.integer({ min: 1, max: 600_000 });
    // A URL that is asked for before midnight may end after it.
    const instants = fc.integer({ min: at, max: at + day });
    fc.assert(
      fc.property(numbers, numbers, paces, numbers, instants, (urls, more, eachMs, quota, from) => {
        const given = { ...work, urls, eachMs, from, quotaPerDay: quota + 10, leftToday: quota };
        const [end, later] = [doneAt(given), doneAt({ ...given, urls: urls + more })];
        expect(end ?? Infinity).toBeGreaterThanOrEqual(from + urls * eachMs);
        expect(later ?? Infinity).toBeGreaterThanOrEqual(end ?? Infinity);
      }),
    );
  });
});

const holder: HolderFacts = {
  ...{
    origin: 'https://slow.example',
    left: 60,
    state: 'active',
    lastError: null,
    trouble: null,
    waitMs: 0,
    eachMs: 2_000,
    lentMs: null,
  },
  ...{ settings: { windows: null, quotaPerDay: null }, requestsDay: null, requestsUsed: 0, budget: null },
  spent: { delay: 90, answering: 10 },
};
const facts: CrawlTimeFacts = {
  ...{ now: at, runs: true, runningMs: 100_000, pages: 50, settled: 50, recentPerSecond: 0, outage: null },
  limits: { maxPages: null, maxSeconds: null },
  unfinished: { hosts: 1, urls: 60 },
  holders: [holder],
};
const eta = (changed: Partial<CrawlTimeFacts>) =>
  etaOf(
    { ...facts, ...changed },
    (changed.holders ?? facts.holders).map((each) => holderOf(each, at, typeof changed.outage === 'string')),
  );

describe('when a crawl will be over', () => {
  it('is when the host that takes longest is done', () => {
    const other = { ...holder, origin: 'https://other.example', waitMs: 300_000, left: 1 };
    expect(eta({ holders: [holder, other] })).toMatchObject({ by: 'host', seconds: 302 });
    expect(eta({})?.because).toContain('https://slow.example takes longest: 60 URLs are left, 2 s each');
    const lent = eta({ holders: [{ ...holder, lentMs: 30_000 }] });
    expect(lent?.because).toMatch(/2 s each, lent to another fetcher until \S+ at the latest/);
    expect(lent?.seconds).toBe(150);
    expect(eta({ holders: [{ ...holder, lentMs: 30_000, waitMs: 40_000 }] })).toMatchObject({
      seconds: 160,
      because: expect.stringMatching(/each, not before \S+, lent to/) as string,
    });
    expect(eta({ runs: false })).toBeNull();
    expect(eta({ holders: [] })).toBeNull();
  });

  it('is when all URLs are through, if most of the time is lost to this installation', () => {
    const urls = { hosts: 900, urls: 5_000 };
    expect(eta({ unfinished: urls })).toMatchObject({ by: 'host' });
    const ours = { place: 800, answering: 100 };
    const slow = { ...holder, spent: ours };
    expect(eta({ unfinished: urls, holders: [slow] })).toMatchObject({ by: 'host' });
    const holders = [slow, { ...slow, state: 'idle' as const }];
    expect(eta({ unfinished: urls, holders })).toMatchObject({ by: 'throughput', seconds: 10_000 });
    // As fast as it goes now: what it lost before does not count.
    expect(eta({ unfinished: urls, holders, recentPerSecond: 10 })).toMatchObject({ seconds: 500 });
  });

  it('is at a limit if that comes first, and unknown while a host is paused', () => {
    expect(eta({ limits: { maxPages: 60, maxSeconds: null } })).toMatchObject({
      by: 'page-limit',
      seconds: 20,
    });
    expect(eta({ limits: { maxPages: 600, maxSeconds: null } })).toMatchObject({ by: 'host' });
    expect(eta({ limits: { maxPages: null, maxSeconds: 130 } })).toMatchObject({
      by: 'time-limit',
      seconds: 30,
    });
    const paused = eta({ holders: [holder, { ...holder, state: 'paused' }] });
    expect(paused).toMatchObject({ seconds: null, at: null });
    expect(paused?.assumes).toContain('Somebody has to act before the crawl can end.');
  });
});

it('is not known while everything is out, and hosts wait for that', () => {
  const out = { outage: 'The blob store is out.' };
  expect(eta(out)).toMatchObject({ seconds: null, at: null, by: 'outage', because: out.outage });
  const of = (changed: Partial<HolderFacts>) => holderOf({ ...holder, ...changed }, at, true).cause;
  expect(of({})).toBe('outage');
  expect(of({ state: 'paused' })).toBe('paused');
  expect(of({ state: 'asking' })).toBe('robots_txt');
});

it('says what a host waits for now, whatever took most of its time', () => {
  const of = (changed: Partial<HolderFacts>) => holderOf({ ...holder, ...changed }, at, false).cause;
  expect(of({})).toBe('delay');
  expect(of({ spent: { outage: 900, delay: 10 } })).toBe('delay');
  expect(of({ state: 'paused' })).toBe('paused');
  expect(of({ state: 'backoff', trouble: 'overloaded', lastError: 'overloaded: answered 503' })).toBe(
    'retry_after',
  );
  expect(of({ state: 'backoff', trouble: 'robots-unreachable', lastError: 'robots-unreachable: 500' })).toBe(
    'robots_txt',
  );
  expect(of({ state: 'backoff', trouble: 'connect-refused', lastError: 'connect-refused: no' })).toBe(
    'backoff',
  );
  const spentQuota = {
    settings: { windows: null, quotaPerDay: 5 },
    requestsDay: '2026-03-02',
    requestsUsed: 5,
  };
  expect(of({ state: 'closed', ...spentQuota })).toBe('quota');
});

it('is not known while the host that takes longest has a pause that it asked for', () => {
  // Each 503 doubles the delay, which falls again with every answer: what is left times this delay says nothing.
  const trouble = { state: 'backoff', trouble: 'overloaded', lastError: 'overloaded: answered 503' } as const;
  const slowed = { ...holder, ...trouble, waitMs: 600_000, eachMs: 640_000 };
  expect(eta({ holders: [slowed] })).toMatchObject({ by: 'backoff', seconds: null, at: null });
  expect(eta({ holders: [slowed] })?.because).toMatch(
    /^The crawl waits for https:\/\/slow\.example: 60 URLs are left, not before 2026-03-02T10:10:00.*503/,
  );
  expect(shownHolder(holderOf(slowed, at, false))).toMatchObject({ secondsLeft: null });
  expect(shownHolder(holderOf(holder, at, false))).toMatchObject({ secondsLeft: 120 });
  // Another host takes longer.
  const large = { ...holder, origin: 'https://large.example', left: 1e6 };
  expect(eta({ holders: [slowed, large] })).toMatchObject({ by: 'host', seconds: 2e6 });
  expect(eta({ holders: [slowed], limits: { maxPages: null, maxSeconds: 130 } })).toMatchObject({
    by: 'time-limit',
    seconds: 30,
  });
});

it('sums up in words', () => {
  expect(timeSummary({ delay: 39, answering: 31, windows: 30 }, null, null)).toMatch(
    /^The largest part of the time, 39 %, went into/,
  );
  expect(timeSummary({}, null, null)).toBe('No time has been counted yet.');
  expect(timeSummary(holder.spent, null, null)).toBe(
    'Most of the time, 90 %, went into the delay between two requests to one host; 10 % into requests under way: from sending each until its answer was complete.',
  );
  fc.assert(
    fc.property(spent, (given) => {
      const causes = causesOf(given);
      if (causes.length > 0)
        close(
          causes.reduce((sum, { share }) => sum + share, 0),
          1,
        );
    }),
  );
});
