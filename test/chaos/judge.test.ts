import { describe, expect, it } from 'vitest';
import { pageKey, type Expected } from '../web/expected.ts';
import type { RequestRecord } from '../web/log.ts';
import { hostName, domainOf } from '../web/names.ts';
import type { Figure } from './figure.ts';
import { figuresOf, type Evidence } from './judge.ts';
import type { Fault } from './plan.ts';
import type { Strike } from './timeline.ts';

const host = '127.0.0.1:1000';
const origin = `http://${host}`;
const request = (
  path: string,
  start: number,
  end: number | null,
  more: Partial<RequestRecord> = {},
): RequestRecord => ({
  host,
  url: origin + path,
  start,
  end,
  status: 200,
  userAgent: null,
  ...more,
});
const strike = (fault: Fault, from: number, to: number, heard: string[] = []): Strike => ({
  fault,
  from,
  to,
  note: '',
  hit: true,
  atPage: false,
  heard,
});
const kill: Fault = { kind: 'kill', atMs: 0, victim: 'worker' };
const ambush: Fault = { kind: 'ambush', atMs: 0, upon: 'pause' };
const freeze: Fault = { kind: 'freeze', atMs: 0, victim: 'worker', forMs: 6_000 };

const expecting = (...paths: string[]): Expected => ({
  must: new Set(paths.map((path) => pageKey(origin + path))),
  disallowed: new Set(),
  optional: () => false,
});
const robots = request('/robots.txt', 0, 5);

function judged(more: Partial<Evidence>): Map<string, Figure> {
  const figures = figuresOf({
    records: [robots],
    strikes: [],
    expected: { ...expecting(), optional: () => true },
    delayMs: () => 400,
    leaseMs: 4_000,
    crowds: [{ name: 'addresses', groupOf: (each) => each.replace(/:\d+$/, ''), cap: 3 }],
    again: null,
    urls: [],
    shells: [],
    ending: 'finished, complete',
    keptBack: [],
    auditDifferences: [],
    bodiesLost: [],
    workflowsFailed: [],
    ...more,
  });
  return new Map(figures.map((figure) => [figure.name, figure]));
}
/** Names of the figures that are off. */
const off = (more: Partial<Evidence>): string[] =>
  [...judged(more).values()].filter(({ ok }) => !ok).map(({ name }) => name);

const done = (path: string) => ({ url: origin + path, state: 'done', reason: 'fetched' });

it('has nothing to say of a polite and whole crawl', () => {
  const records = [robots, request('/', 500, 510), request('/a', 1_000, 1_010)];
  expect(off({ records, expected: expecting('/', '/a'), urls: [done('/'), done('/a')] })).toEqual([]);
});

it('counts what one address is asked, in a second and at an instant', () => {
  const at = (port: number, start: number, end: number): RequestRecord =>
    request('/', start, end, { host: `127.0.0.1:${String(port)}` });
  const four = (from: number, long: number): RequestRecord[] =>
    [0, 1, 2, 3].map((n) => at(2_000 + n, from + 333 * n, from + 333 * n + long));
  const crowded = 'addresses asked more than their cap';
  expect(off({ records: four(0, 10) })).toContain(crowded);
  expect(off({ records: [0, 1, 2, 3].map((n) => at(2_000 + n, 400 * n, 400 * n + 10)) })).not.toContain(
    crowded,
  );
  const long = [0, 1, 2, 3].map((n) => at(2_000 + n, 6_000 * n, 30_000));
  expect(off({ records: long })).toContain(crowded);
  // The third is held open by a process that was frozen, and has no lease any more when the fourth begins.
  const frozen = strike(freeze, 13_000, 29_000);
  expect(off({ records: long, strikes: [frozen] })).not.toContain(crowded);
});

it('counts what the hosts of one domain are asked, whatever others are', () => {
  const at = (n: number, start: number, end: number): RequestRecord =>
    request('/', start, end, { host: `${hostName(n)}:${String(2_000 + n)}` });
  const crowded = 'domains asked more than their cap';
  const crowds = [{ name: 'domains', groupOf: domainOf, cap: 2 }] as const;
  // Three names of one domain, and one of another.
  expect(off({ crowds, records: [at(0, 0, 10), at(1, 300, 310), at(2, 900, 910)] })).toContain(crowded);
  expect(off({ crowds, records: [at(0, 0, 10), at(1, 300, 310), at(3, 900, 910)] })).not.toContain(crowded);
  expect(off({ crowds, records: [at(0, 0, 9_000), at(1, 2_000, 9_000), at(2, 4_000, 9_000)] })).toContain(
    crowded,
  );
  expect(
    judged({ crowds, records: [at(0, 0, 10), at(1, 300, 310), at(3, 900, 910)] }).get(crowded)?.value,
  ).toBe('0 of 2 (at most 2 in a second, 1 in flight, of 2)');
});

it('misses a URL that was never asked for, never found, or is not settled', () => {
  const records = [robots, request('/', 500, 510), request('/a', 1_000, 1_010)];
  const expected = expecting('/', '/a');
  expect(off({ records, expected, urls: [done('/')] })).toEqual(['URLs lost']);
  const leased = { url: `${origin}/a`, state: 'leased', reason: null };
  expect(off({ records, expected, urls: [done('/'), leased] })).toEqual(['URLs lost']);
  const poison = { url: `${origin}/a`, state: 'failed', reason: 'poison' };
  expect(off({ records, expected, urls: [done('/'), poison] })).toEqual(['URLs lost']);
  const loop = { url: `${origin}/a`, state: 'failed', reason: 'redirect-loop' };
  expect(off({ records, expected, urls: [done('/'), loop] })).toEqual([]);
  expect(off({ records: records.slice(0, 2), expected, urls: [done('/'), done('/a')] })).toEqual([
    'URLs lost',
  ]);
});

it('passes on what the product says of itself', () => {
  expect(off({ ending: null })).toEqual(['the crawl finished by itself']);
  expect(off({ ending: 'failed, nothing was fetched' })).toEqual(['the crawl finished by itself']);
  expect(off({ auditDifferences: ['one'] })).toEqual(['differences of the ledger to a recount']);
  expect(off({ bodiesLost: ['ab'] })).toEqual(['bodies lost']);
  expect(off({ workflowsFailed: ['host/x'] })).toEqual(['workflows that failed']);
});

describe('an answer that is repeated', () => {
  const twice = (first: RequestRecord, ...between: RequestRecord[]) => ({
    records: [robots, first, ...between, request('/a', 9_000, 9_010)],
    expected: expecting('/a'),
    urls: [done('/a')],
  });

  it('needs a fault', () => {
    expect(off(twice(request('/a', 1_000, 1_010)))).toEqual(['answers repeated']);
  });

  it('needs none where the page was due again, and was queued for it', () => {
    const again = { floorMs: 5_000, queued: 1 };
    const due = twice(request('/a', 1_000, 1_010));
    expect(off({ ...due, again })).toEqual([]);
    expect(off({ ...due, again: { ...again, queued: 0 } })).toEqual(['pages fetched again']);
    const soon = twice(request('/a', 5_000, 5_010));
    expect(off({ ...soon, again })).toEqual(['answers repeated', 'pages fetched again']);
  });

  it('is excused where it was in flight, or not yet durable, at a fault', () => {
    expect(off({ ...twice(request('/a', 1_000, 1_010)), strikes: [strike(kill, 1_005, 1_005)] })).toEqual([]);
    expect(off({ ...twice(request('/a', 1_000, 1_010)), strikes: [strike(kill, 1_100, 1_100)] })).toEqual([]);
    const { value } = judged({
      ...twice(request('/a', 1_000, 1_010)),
      strikes: [strike(kill, 1_005, 1_005)],
    }).get('answers repeated') ?? { value: '' };
    expect(value).toBe('1 ≤ 1 in doubt (1 of them on the wire) at 1 faults');
  });

  it('is not excused long after, nor once the next request of its host has begun', () => {
    expect(off({ ...twice(request('/a', 1_000, 1_010)), strikes: [strike(kill, 5_000, 5_000)] })).toEqual([
      'answers repeated',
    ]);
    const next = request('/b', 1_500, 1_510);
    expect(
      off({ ...twice(request('/a', 1_000, 1_010), next), strikes: [strike(kill, 1_600, 1_600)] }),
    ).toContain('answers repeated');
  });

  it('is not excused by a fault that takes nobody’s memory', () => {
    for (const victim of ['api', 'temporal', 'redis'] as const) {
      const strikes = [strike({ kind: 'kill', atMs: 0, victim }, 1_005, 1_005)];
      expect(off({ ...twice(request('/a', 1_000, 1_010)), strikes })).toEqual(['answers repeated']);
    }
    const missed = { ...strike(kill, 1_005, 1_005), hit: false };
    expect(off({ ...twice(request('/a', 1_000, 1_010)), strikes: [missed] })).toEqual(['answers repeated']);
    const nap: Fault = { ...freeze, forMs: 500 };
    expect(off({ ...twice(request('/a', 1_000, 1_010)), strikes: [strike(nap, 1_005, 1_505)] })).toEqual([
      'answers repeated',
    ]);
  });

  it('is excused where Postgres went before it could be written, the host’s first since then and no other', () => {
    const away: Fault = { kind: 'cut', atMs: 0, line: 'postgres', how: 'refusing', forMs: 4_000 };
    const strikes = [strike(away, 900, 4_900)];
    expect(off({ ...twice(request('/a', 1_000, 1_010)), strikes })).toEqual([]);
    const written = request('/b', 950, 960);
    expect(off({ ...twice(request('/a', 1_400, 1_410), written), strikes })).toContain('answers repeated');
  });

  it('is excused at whatever moment a doomed worker went', () => {
    const strikes = [strike({ kind: 'kill', atMs: 0, victim: 'supervisor' }, 900, 8_000)];
    const next = request('/b', 1_400, 1_410);
    const again = { records: [robots, request('/a', 1_000, 1_010), next, request('/b', 9_000, 9_010)] };
    const more = { expected: expecting('/a', '/b'), urls: [done('/a'), done('/b')] };
    expect(off({ ...again, ...more, strikes })).toEqual([]);
    const long = [strike({ kind: 'kill', atMs: 0, victim: 'supervisor' }, -9_000, -5_000)];
    expect(off({ ...again, ...more, strikes: long })).toEqual(['answers repeated']);
  });

  it('is excused by a clock only while it was in flight', () => {
    const jump: Fault = { kind: 'clock', atMs: 0, victim: 'worker', bySeconds: 3_600 };
    expect(off({ ...twice(request('/a', 1_000, 1_010)), strikes: [strike(jump, 1_005, 1_005)] })).toEqual([]);
    expect(off({ ...twice(request('/a', 1_000, 1_010)), strikes: [strike(jump, 1_015, 1_015)] })).toEqual([
      'answers repeated',
    ]);
  });

  it('waits for Postgres to become durable', () => {
    const away: Fault = { kind: 'freeze', atMs: 0, victim: 'postgres', forMs: 4_000 };
    const strikes = [strike(away, 1_100, 5_100), strike(kill, 5_200, 5_200)];
    expect(off({ ...twice(request('/a', 1_120, 1_130)), strikes })).toEqual([]);
  });
});

describe('what a host asked for', () => {
  const asked = request('/a', 1_000, 1_010, { status: 429, retryAfterMs: 20_000 });

  it('is kept', () => {
    expect(off({ records: [robots, asked, request('/a', 21_009, 21_020)] })).toEqual([
      'Retry-After not kept',
    ]);
    expect(off({ records: [robots, asked, request('/a', 21_010, 21_020)] })).toEqual([]);
  });

  it('may be forgotten where the answer was in flight, but not where it had been heard', () => {
    const records = [robots, asked, request('/a', 8_000, 8_010)];
    expect(off({ records, strikes: [strike(kill, 1_020, 1_020)] })).toEqual([]);
    expect(off({ records, strikes: [strike(ambush, 1_020, 1_020)] })).toEqual([]);
    expect(off({ records, strikes: [strike(ambush, 1_020, 1_020, [host])] })).toEqual([
      'Retry-After not kept',
    ]);
    expect(off({ records, strikes: [strike(ambush, 1_020, 1_020, ['other:1'])] })).toEqual([]);
  });

  it('binds a page alone that says so again while others were answered well', () => {
    const again = request('/a', 23_100, 23_110, { status: 429, retryAfterMs: 20_000 });
    const records = [robots, asked, request('/b', 21_010, 21_020), again, request('/c', 25_100, 25_110)];
    expect(off({ records })).toEqual([]);
    expect(off({ records: [...records, request('/a', 43_109, 43_120)] })).toEqual(['Retry-After not kept']);
    expect(off({ records: [...records, request('/a', 43_110, 43_120)] })).toEqual([]);
    const unvouched = [robots, asked, { ...again }, request('/c', 25_100, 25_110)];
    expect(off({ records: unvouched })).toEqual(['Retry-After not kept']);
  });

  it('doubles the delay, of a second at least, each time', () => {
    const brief = (at: number) => request('/a', at, at + 10, { status: 429, retryAfterMs: 0 });
    expect(off({ records: [robots, brief(1_000), request('/a', 2_999, 3_000)] })).toEqual([
      'learned delays not kept',
    ]);
    expect(off({ records: [robots, brief(1_000), request('/a', 3_000, 3_001)] })).toEqual([]);
    const other = request('/c', 5_000, 5_010, { status: 429, retryAfterMs: 0 });
    const twice = [robots, brief(1_000), request('/b', 3_000, 3_010), other];
    expect(off({ records: [...twice, request('/a', 8_999, 9_000)] })).toEqual(['learned delays not kept']);
    expect(off({ records: [...twice, request('/a', 9_000, 9_001)] })).toEqual([]);
  });
});

describe('complaints in a row', () => {
  it('double the delay once', () => {
    const brief = (at: number) => request('/a', at, at + 10, { status: 503, retryAfterMs: 0 });
    const twice = [robots, brief(1_000), brief(3_000)];
    expect(off({ records: [...twice, request('/a', 4_999, 5_000)] })).toEqual(['learned delays not kept']);
    expect(off({ records: [...twice, request('/a', 5_000, 5_001)] })).toEqual([]);
  });
});

describe('two requests at once', () => {
  const held = request('/trap', 1_000, 7_000);

  it('are off', () => {
    expect(off({ records: [robots, held, request('/b', 6_000, 6_010)] })).toEqual(['overlapping requests']);
  });

  it('are excused only where a frozen process held the first one open all the while', () => {
    const records = [robots, held, request('/b', 6_000, 6_010)];
    expect(off({ records, strikes: [strike(freeze, 1_100, 7_000)] })).toEqual([]);
    const short = [robots, request('/trap', 1_000, 6_005), request('/b', 6_000, 6_010)];
    expect(off({ records: short, strikes: [strike(freeze, 1_100, 3_000)] })).toEqual([
      'overlapping requests',
    ]);
    expect(off({ records, strikes: [strike(kill, 1_100, 7_000)] })).toEqual(['overlapping requests']);
  });
});

it('wants a host’s own delay once its robots.txt was read for good, and the usual one before', () => {
  const delayMs = (): number => 12_000;
  const early = [robots, request('/robots.txt', 1_000, 1_010), request('/a', 13_000, 13_010)];
  const optional = { delayMs };
  expect(off({ ...optional, records: early })).toContain('requests sooner than the delay');
  expect(off({ ...optional, records: early, strikes: [strike(kill, 2, 2)] })).toEqual([]);
  const sooner = [robots, request('/robots.txt', 999, 1_010), request('/a', 12_999, 13_010)];
  expect(off({ ...optional, records: sooner, strikes: [strike(kill, 2, 2)] })).toContain(
    'requests sooner than the delay',
  );
});

it('wants every request its delay after the one before, faults or not', () => {
  const records = [robots, request('/a', 1_000, 1_010), request('/b', 1_399, 1_410)];
  expect(off({ records, strikes: [strike(kill, 1_005, 1_005)] })).toEqual(['requests sooner than the delay']);
});

it('wants pages that need a browser whole, by one body', () => {
  const shell = { url: `${origin}/a`, isWhole: true, bodies: 1, story: 'settled' };
  expect(off({ shells: [shell] })).toEqual([]);
  expect(off({ shells: [shell, { ...shell, isWhole: false }] })).toEqual([
    'pages that need a browser, not rendered',
  ]);
  expect(off({ shells: [shell, { ...shell, bodies: 2 }] })).toEqual(['pages with two bodies by the browser']);
});
