import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  adaptedDelayMs,
  afterLoss,
  crawlDelayMs,
  defaultDelayMs,
  earliestStart,
  easedByTime,
  easeUp,
  hostDelayMs,
  lanesAt,
  maxAdaptedMs,
  maxDelayMs,
  noManners,
  slowDown,
  type CrawlDelaySources,
  type HostDelaySources,
  type Manners,
} from '../../domain/pace.ts';

const delay = fc.integer({ min: 0, max: maxDelayMs });
const nobody = { operatorMs: null, robotsMs: null, slowdown: 0 };
const common = {
  operatorMs: fc.option(delay),
  robotsMs: fc.option(delay),
  slowdown: fc.integer({ min: 0, max: 10 }),
};
const hostSources: fc.Arbitrary<HostDelaySources> = fc.record({
  ...common,
  hurriedMs: fc.array(delay, { maxLength: 5 }),
});
const crawlSources: fc.Arbitrary<CrawlDelaySources> = fc.record({
  ...common,
  askedMs: fc.option(delay),
  mayHurry: fc.boolean(),
});

describe('hostDelayMs (docs/design.md, "Politeness")', () => {
  it.each<[string, Partial<HostDelaySources>, number]>([
    ['one second where nobody says otherwise', {}, 1_000],
    ['Crawl-delay replaces the default, also where it is shorter', { robotsMs: 250 }, 250],
    ['fractions of a millisecond are kept', { robotsMs: 0.5 }, 0.5],
    ['leave undercuts the default', { hurriedMs: [400, 0] }, 0],
    ['leave makes nothing longer: that is for turns of its own', { hurriedMs: [60_000] }, 1_000],
    ['leave undercuts no Crawl-delay', { hurriedMs: [0], robotsMs: 5_000 }, 5_000],
    ['the operator wins over everything', { operatorMs: 50, hurriedMs: [9_000], robotsMs: 9_000 }, 50],
    ['an operator may allow everything', { operatorMs: 0, robotsMs: 9_000 }, 0],
    ['an operator may allow less', { operatorMs: 7_000, hurriedMs: [0], robotsMs: 1 }, 7_000],
    ['no longer than a day', { robotsMs: 10 * maxDelayMs }, maxDelayMs],
  ])('%s', (_, asked, expected) => {
    expect(hostDelayMs({ ...nobody, hurriedMs: [], ...asked })).toBe(expected);
  });

  it('doubles after trouble, from a second on where the delay was shorter (docs/design.md, "Politeness")', () => {
    const host = { ...nobody, hurriedMs: [] };
    expect(hostDelayMs({ ...host, robotsMs: 3_000, slowdown: 1 })).toBe(6_000);
    expect(hostDelayMs({ ...host, robotsMs: 3_000, slowdown: 3 })).toBe(24_000);
    expect(hostDelayMs({ ...host, operatorMs: 0, slowdown: 1 })).toBe(2 * defaultDelayMs);
    expect(hostDelayMs({ ...host, hurriedMs: [0], slowdown: 2 })).toBe(4 * defaultDelayMs);
  });

  it('lies between nothing and a day, and does not get shorter by more trouble', () => {
    fc.assert(
      fc.property(hostSources, (asked) => {
        const ms = hostDelayMs(asked);
        expect(ms >= 0 && ms <= maxDelayMs).toBe(true);
        expect(hostDelayMs({ ...asked, slowdown: asked.slowdown + 1 })).toBeGreaterThanOrEqual(ms);
      }),
    );
  });
});

describe('crawlDelayMs (docs/design.md, "Politeness")', () => {
  it.each<[string, Partial<CrawlDelaySources>, number]>([
    ['asks for nothing: the default', {}, 1_000],
    ['asks for nothing: Crawl-delay', { robotsMs: 250 }, 250],
    ['asks for more', { askedMs: 86_400_000 }, 86_400_000],
    ['asks for more than Crawl-delay', { askedMs: 9_000, robotsMs: 5_000 }, 9_000],
    ['asks for less than Crawl-delay, with leave', { askedMs: 0, robotsMs: 5_000, mayHurry: true }, 5_000],
    ['asks for less than the default, with leave', { askedMs: 200, mayHurry: true }, 200],
    ['has leave and asks for nothing', { mayHurry: true }, 1_000],
    ['asks for less than the default, without leave', { askedMs: 200 }, 1_000],
    ['asks for less, and the operator of the host allows it', { askedMs: 200, operatorMs: 0 }, 200],
    ['the operator undercuts Crawl-delay', { operatorMs: 50, robotsMs: 9_000 }, 50],
    ['asks for more than the operator', { askedMs: 9_000, operatorMs: 50 }, 9_000],
  ])('%s', (_, asked, expected) => {
    expect(crawlDelayMs({ ...nobody, askedMs: null, mayHurry: false, ...asked })).toBe(expected);
  });

  it('is never less than what the crawl asks for, nor than robots.txt unless an operator says otherwise', () => {
    fc.assert(
      fc.property(crawlSources, (asked) => {
        const ms = crawlDelayMs(asked);
        expect(ms).toBeGreaterThanOrEqual(asked.askedMs ?? 0);
        if (asked.operatorMs === null) expect(ms).toBeGreaterThanOrEqual(asked.robotsMs ?? 0);
        expect(ms).toBeLessThanOrEqual(maxDelayMs);
      }),
    );
  });
});

describe('earliestStart', () => {
  it('counts from the head of the last response', () => {
    expect(earliestStart({ headAt: 5_000, endAt: 5_400 }, 1_000)).toBe(6_000);
  });

  it('never lets two requests overlap, however long the body took', () => {
    expect(earliestStart({ headAt: 5_000, endAt: 9_000 }, 1_000)).toBe(9_000);
    fc.assert(
      fc.property(fc.nat(), fc.nat(), delay, (headAt, took, delayMs) => {
        const start = earliestStart({ headAt, endAt: headAt + took }, delayMs);
        expect(start).toBeGreaterThanOrEqual(headAt + took);
        expect(start - headAt).toBeGreaterThanOrEqual(delayMs);
      }),
    );
  });
});

describe('slowDown and easeUp (docs/design.md, "Politeness")', () => {
  const clean = (manners: Manners, answers: number): Manners =>
    Array.from({ length: answers }).reduce<Manners>(easeUp, manners);
  const complain = (manners: Manners, pauseMs: number, delayMs: number, mild = false): Manners =>
    slowDown(manners, { pauseMs, mild }, delayMs, 0);
  const slowed: Manners = { slowdown: 2, clean: 0, sinceComplaint: 0, complainedAt: 0 };

  it('takes one doubling back after twenty clean answers', () => {
    expect(clean(slowed, 19)).toMatchObject({ slowdown: 2, clean: 19 });
    expect(clean(slowed, 20)).toMatchObject({ slowdown: 1, clean: 0 });
    expect(clean(slowed, 40)).toMatchObject({ slowdown: 0 });
  });

  it('counts clean answers over complaints that ask for no more', () => {
    const complained = complain(clean(slowed, 15), 2_000, 4_000);
    expect(complained).toMatchObject({ slowdown: 2, clean: 15, sinceComplaint: 0 });
    expect(clean(complained, 5)).toMatchObject({ slowdown: 1 });
  });

  it.each<[string, number, number, number, number]>([
    ['the first complaint', 0, 0, 1_000, 1],
    ['a pause that is short beside the time since the last', 1, 6, 2_000, 1],
    ['one that is half of it', 1, 9, 10_000, 2],
    ['one of the bound', 10, 9, 3_600_000, 10],
    ['a second one in a row, which is left to the backoff', 1, 0, 3_600_000, 1],
  ])('%s', (_, slowdown, between, pauseMs, after) => {
    const manners = clean({ ...noManners, slowdown }, between);
    expect(complain(manners, pauseMs, 2_000).slowdown).toBe(after);
  });

  it('doubles the delay once for one page alone', () => {
    const once = complain(noManners, 3_600_000, 1_000, true);
    expect(once.slowdown).toBe(1);
    expect(complain(clean(once, 9), 3_600_000, 2_000, true).slowdown).toBe(1);
  });

  it('takes a complaint after a lost lease for one that clean answers came before', () => {
    const once = complain(noManners, 20_000, 1_000);
    expect(complain(afterLoss(once), 20_000, 2_000).slowdown).toBe(2);
    expect(complain(afterLoss(once), 1_000, 2_000).slowdown).toBe(1);
    expect(afterLoss(noManners)).toBe(noManners);
    expect(afterLoss(clean(once, 3))).toEqual(clean(once, 3));
  });

  it('eases up by one doubling in ten minutes without a complaint', () => {
    const minute = 60_000;
    expect([9, 10, 19, 20, 1_000].map((minutes) => easedByTime(slowed, minutes * minute).slowdown)).toEqual([
      2, 1, 1, 0, 0,
    ]);
    const twice = easedByTime(easedByTime(slowed, 15 * minute), 19 * minute);
    expect(twice.slowdown).toBe(1);
  });

  it('keeps within bounds, and comes back to full speed, whatever happened', () => {
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { maxLength: 60 }),
        fc.nat({ max: 90_000 }),
        (complaints, pauseMs) => {
          const learned = complaints.reduce<Manners>(
            (manners, complaint) => (complaint ? complain(manners, pauseMs, 1_000) : easeUp(manners)),
            noManners,
          );
          expect(learned.slowdown).toBeGreaterThanOrEqual(0);
          expect(learned.slowdown).toBeLessThanOrEqual(10);
          expect(clean(learned, 200).slowdown).toBe(0);
        },
      ),
    );
  });
});

describe('adaptedDelayMs (docs/design.md, "Politeness")', () => {
  it.each<[string, number | null, number | null, number]>([
    ['nobody asks for it', null, 4_000, 1_000],
    ['nothing was answered yet', 3, null, 1_000],
    ['a quick host', 3, 200, 1_000],
    ['a slow host', 3, 2_000, 6_000],
    ['a factor below one', 0.5, 4_000, 2_000],
    ['one that hardly answers', 100, 30_000, maxAdaptedMs],
  ])('%s', (_, factor, tookMs, expected) => {
    expect(adaptedDelayMs(1_000, factor, tookMs)).toBe(expected);
  });

  it('never makes a delay shorter, not even one beyond its own bound', () => {
    fc.assert(
      fc.property(
        delay,
        fc.option(fc.double({ min: 0.01, max: 100, noNaN: true })),
        fc.option(fc.nat()),
        (ms, factor, took) => {
          expect(adaptedDelayMs(ms, factor, took)).toBeGreaterThanOrEqual(ms);
        },
      ),
    );
  });
});

describe('lanesAt', () => {
  const well = { settings: { concurrency: 4 }, slowdown: 0, failures: 0, unclean: false };

  it('is one, unless an operator says otherwise, and 16 at most', () => {
    expect(lanesAt({ ...well, settings: { concurrency: null } })).toBe(1);
    expect(lanesAt(well)).toBe(4);
    expect(lanesAt({ ...well, settings: { concurrency: 100 } })).toBe(16);
  });

  it('is one for a host in trouble, slowed down, or left by a crash', () => {
    expect(
      [{ slowdown: 1 }, { failures: 1 }, { unclean: true }].map((odd) => lanesAt({ ...well, ...odd })),
    ).toEqual([1, 1, 1]);
  });
});
