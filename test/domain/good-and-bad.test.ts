/**
 * Mixes of good and bad pages, and what a good crawler does in each: the good pages come in soon, one bad page holds up
 * nobody, a host in trouble is left alone, and what fails for ever ends as a dead letter (docs/design.md, "Trouble").
 */
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../domain/outcome.ts';
import { crawl, response, type Answering, type Run } from './site-run.ts';

const ok = response(200);
const hour = 3_600;
const fault = (name: 'timeout' | 'reset' | 'connect-refused'): Answer => ({ kind: 'fault', fault: name });
const pages = (count: number): string[] => Array.from({ length: count }, (_, at) => `/${String(at)}`);

/** These pages answer so, always; all others well. */
const bad =
  (answer: Answer, ...places: readonly number[]): Answering =>
  ({ page }) =>
    places.some((at) => page === `/${String(at)}`) ? answer : ok;
/** While it lasts, all pages answer so. Seconds. */
const spell =
  (answer: Answer, from: number, to: number): Answering =>
  ({ at }) =>
    at >= from * 1_000 && at < to * 1_000 ? answer : ok;
/** The first requests of each page. */
const atFirst =
  (answer: Answer, times: number, ...places: readonly number[]): Answering =>
  (request) =>
    request.nth <= times ? bad(answer, ...places)(request) : ok;
/** Each so many requests one, by chance; the same in each run. */
const oneOf = (many: number, answer: Answer): Answering => {
  let seed = 7;
  return () => {
    seed = (seed * 1_664_525 + 1_013_904_223) >>> 0;
    return seed / 2 ** 32 < 1 / many ? answer : ok;
  };
};
/** So many requests a minute are answered, by windows of a minute; the rest is told when the next one begins. */
const limited = (perMinute: number): Answering => {
  const used = new Map<number, number>();
  return ({ at }) => {
    const minute = Math.floor(at / 60_000);
    const count = (used.get(minute) ?? 0) + 1;
    used.set(minute, count);
    return count <= perMinute ? ok : response(429, Math.ceil(((minute + 1) * 60_000 - at) / 1_000));
  };
};

interface Expected {
  /** Seconds until the last good page is in, at most. */
  readonly goodBy: number;
  /** How often the host is left alone, and for how many seconds each time. */
  readonly closings?: readonly number[];
  /** What ends otherwise than fetched. */
  readonly lost?: Readonly<Record<string, number>>;
  /** The longest delay, in seconds. */
  readonly slowest?: number;
}

const mixes: readonly [string, number, Answering, Expected][] = [
  ['no bad page', 40, () => ok, { goodBy: 40 }],
  // One page that always complains, wherever it is met.
  ['one 503 for ever', 40, bad(response(503), 20), { goodBy: 80, lost: { overloaded: 1 }, slowest: 2 }],
  ['one 503, Retry-After 2 s', 40, bad(response(503, 2), 20), { goodBy: 80, lost: { overloaded: 1 }, slowest: 2 }],
  ['one 503, Retry-After 1 h', 40, bad(response(503, hour), 20), { goodBy: hour + 80, closings: [hour], lost: { overloaded: 1 }, slowest: 2 }],
  ['the first page of all is a 503', 40, bad(response(503, 9), 0), { goodBy: 90, closings: [9], lost: { overloaded: 1 } }],
  ['the last page is a 503', 40, bad(response(503), 39), { goodBy: 40, lost: { overloaded: 1 } }],
  ['one 429 for ever', 74, bad(response(429, 10), 3), { goodBy: 130, closings: [10], lost: { overloaded: 1 }, slowest: 2 }],
  ['the first page of all is a 429', 74, bad(response(429, 30), 0), { goodBy: 150, closings: [30], lost: { overloaded: 1 } }],
  ['one 429, Retry-After 1 h', 40, bad(response(429, hour), 5), { goodBy: hour + 80, closings: [hour], lost: { overloaded: 1 } }],
  ['one 503 that passes', 40, atFirst(response(503, 5), 2, 7), { goodBy: 90, slowest: 2 }],
  // A second page that complains speaks for the host.
  ['two 503 among 40', 40, bad(response(503, 5), 10, 20), { goodBy: 90, closings: [5, 5], lost: { overloaded: 2 } }],
  ['six 503 among 40', 40, bad(response(503, 2), 1, 5, 10, 20, 25, 33), { goodBy: 120, closings: [2, 2, 2, 2, 2, 2], lost: { overloaded: 6 } }],
  // Broken pages of a host that is well.
  ['two 500 among 40', 40, bad(response(500), 5, 30), { goodBy: 41, lost: { 'server-error': 2 } }],
  ['two 500 at the end', 40, bad(response(500), 38, 39), { goodBy: 40, lost: { 'server-error': 2 } }],
  ['every fifth a 500', 40, bad(response(502), 4, 9, 14, 19, 24, 29, 34, 39), { goodBy: 41, lost: { 'server-error': 8 } }],
  ['a 500 that passes', 40, atFirst(response(500), 1, 3, 4, 5), { goodBy: 50 }],
  ['a 500 with Retry-After', 40, atFirst(response(500, 60), 1, 3), { goodBy: 70 }],
  ['one page that hangs', 40, bad(fault('timeout'), 20), { goodBy: 140, lost: { timeout: 1 } }],
  ['one connection that breaks for ever', 40, bad(fault('reset'), 20), { goodBy: 45, lost: { reset: 1 } }],
  ['404s are good answers', 40, bad(response(404), 1, 2, 3, 4, 5, 6, 7), { goodBy: 40, lost: { gone: 7 } }],
  // The host is in trouble, and comes back.
  ['503 for a minute', 40, spell(response(503, 10), 10, 70), { goodBy: 200, slowest: 4 }],
  ['500 for ten minutes', 40, spell(response(500), 10, 600), { goodBy: hour + 60, closings: [hour] }],
  ['refused for twenty seconds', 40, spell(fault('connect-refused'), 10, 30), { goodBy: 90, closings: [2, 4, 8, 16] }],
  ['hangs for a minute', 40, spell(fault('timeout'), 10, 80), { goodBy: 200 }],
  // The host has a pace of its own.
  ['503 now and then, Retry-After 2 s', 2_000, oneOf(7, response(503, 2)), { goodBy: 7_000, slowest: 4 }],
  ['503 now and then, without', 2_000, oneOf(7, response(503)), { goodBy: 10_000, slowest: 8 }],
  ['ten a minute', 200, limited(10), { goodBy: 2_500, slowest: 8 }],
]; // prettier-ignore

const lostOf = (run: Run): Record<string, number> => {
  const lost: Record<string, number> = {};
  for (const state of Object.values(run.states)) {
    const [, reason = state] = state.split(' ');
    if (reason !== 'fetched') lost[reason] = (lost[reason] ?? 0) + 1;
  }
  return lost;
};
const seconds = (run: Run): number[] => run.closings.map(({ ms }) => ms / 1_000);

describe('a host that is not down for good', () => {
  it.each(mixes)('%s, %i pages', (_, count, answering, expected) => {
    const run = crawl(pages(count), answering);
    expect({ lost: lostOf(run), parked: run.parked }).toEqual({ lost: expected.lost ?? {}, parked: false });
    expect((run.goodBy ?? Infinity) / 1_000).toBeLessThanOrEqual(expected.goodBy);
    if (expected.closings !== undefined) expect(seconds(run)).toEqual(expected.closings);
    if (expected.slowest !== undefined)
      expect(Math.max(...run.delays) / 1_000).toBeLessThanOrEqual(expected.slowest);
  });
});

describe('a host that is down for good', () => {
  it.each<[string, Answer, number, readonly number[]]>([
    ['503', response(503), 10, [5, 10, 20, 40, 80]],
    ['503, Retry-After 1 h', response(503, hour), 10, [hour, hour, hour]],
    ['429, Retry-After 30 s', response(429, 30), 10, [30, 30, 30, 30, 40]],
    ['500', response(500), 12, [hour, 2 * hour, 4 * hour]],
    ['hangs', fault('timeout'), 5, [5, 10, 20, 40]],
    ['resets', fault('reset'), 9, [5, 10, 20, 40]],
    ['refused', fault('connect-refused'), 5, [2, 4, 8, 16]],
  ])('%s: it parks after few requests, and its pages wait', (_, answer, requests, closings) => {
    const run = crawl(pages(40), () => answer);
    expect({ parked: run.parked, asked: run.asked.length }).toEqual({ parked: true, asked: requests });
    expect(seconds(run).slice(0, closings.length)).toEqual(closings);
    expect(lostOf(run)).toEqual({ queued: 40 });
  });
});

describe('a page that fails', () => {
  it('steps behind its neighbours at once', () => {
    for (const answer of [response(503, 1), response(429, 1), response(500), fault('timeout')]) {
      const run = crawl(pages(40), bad(answer, 5));
      const order = run.asked.map(({ page }) => page);
      expect(order.indexOf('/5')).toBe(5);
      expect(order.indexOf('/5', 6)).toBeGreaterThanOrEqual(40);
    }
  });

  it('waits for as long as its own Retry-After asks, whatever that is', () => {
    const run = crawl(pages(10), bad(response(503, 500), 5));
    const times = run.asked.filter(({ page }) => page === '/5').map(({ at }) => at);
    expect(times).toHaveLength(5);
    times.slice(1).forEach((at, before) => {
      expect(at - (times[before] ?? 0)).toBeGreaterThanOrEqual(500_000);
    });
  });
});

describe('whatever the mix', () => {
  it('nothing is sent while the host is left alone, nor sooner than the delay', () => {
    for (const [, count, answering] of mixes) {
      const run = crawl(pages(count), answering);
      run.asked.slice(1).forEach(({ at }, before) => {
        expect(at - (run.asked[before]?.at ?? 0)).toBeGreaterThanOrEqual(run.delays[before] ?? 0);
      });
      for (const closing of run.closings)
        expect(run.asked.some(({ at }) => at > closing.at && at < closing.at + closing.ms)).toBe(false);
    }
  });

  it('a slowed host gets its speed back by clean answers, and by time alone', () => {
    const slowed = crawl(pages(200), oneOf(4, response(503, 20)));
    expect(slowed.memory.manners.slowdown).toBeGreaterThan(0);
    const again = crawl(pages(200), ({ at }) => (at < 200_000 ? limited(10)({ page: '', nth: 1, at }) : ok));
    expect(again.memory.manners.slowdown).toBe(0);
  });
});
