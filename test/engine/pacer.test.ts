/** What a host is owed when somebody takes its lease: a slice, a probe, the door, a guest or a loan. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FetchRequest, FetchResult } from '../../contracts/fetching.ts';
import type { CapBook } from '../../engine/caps/cap-book.ts';
import { Entry } from '../../engine/caps/caps.ts';
import { countedSeries } from '../../engine/metrics/counters.ts';
import type { HostLease } from '../../engine/visit/host-lease.ts';
import { HostPacer, type Turn } from '../../engine/visit/pacer.ts';

interface Owed {
  readonly unclean: boolean;
  readonly asked_ago_ms: number | null;
  readonly took_ms: number | null;
  readonly pace_ms: number;
  readonly held_ms: number;
  readonly eased: boolean;
}
const rested: Owed = {
  ...{ unclean: false, asked_ago_ms: null, took_ms: null, pace_ms: 0, held_ms: 0, eased: false },
};
const nothingIsSent = {
  fetcher: {
    fetch: () => Promise.reject(new Error('nothing is sent')),
    addressOf: () => Promise.resolve(null),
    close: () => Promise.resolve(),
  },
  caps: { enter: () => Promise.resolve(null) },
  pressure: { fetching: 1 },
};
/** Milliseconds that the test itself may take between the lease and the look. */
const slack = 1_000;

function pacer(
  taken: Owed,
  delayMs: number,
  factor: number | null = null,
  { signal } = new AbortController(),
): HostPacer {
  // What a pacer asks of a lease.
  const lease = { taken, asked: null } as unknown as HostLease;
  const optOuts = { attend: <T>(work: () => Promise<T>) => work() };
  const made = new HostPacer(lease, nothingIsSent, optOuts, signal);
  made.pace = { delayMs, factor };
  return made;
}

describe('what a host is owed', () => {
  it('is nothing where it was never asked', () => {
    expect(pacer(rested, 60_000)).toMatchObject({ paceMs: 0, waitMs: 0 });
  });

  it('is a full delay where the lease before was not returned, however long ago its last answer was', () => {
    const { waitMs } = pacer({ ...rested, unclean: true, asked_ago_ms: 1e9 }, 60_000);
    expect(waitMs).toBeGreaterThan(60_000 - slack);
    expect(waitMs).toBeLessThanOrEqual(60_000);
  });

  it('is never less than what is left of the delay, of the pace that was left, or of Retry-After', () => {
    const ms = fc.integer({ min: 0, max: 100_000 });
    fc.assert(
      fc.property(
        fc.record({ unclean: fc.boolean(), asked_ago_ms: fc.option(ms), took_ms: fc.option(ms), pace_ms: ms, held_ms: ms, eased: fc.boolean() }), // prettier-ignore
        ms,
        fc.option(fc.integer({ min: 1, max: 100 })),
        (host, delayMs, factor) => {
          const { paceMs, waitMs } = pacer(host, delayMs, factor);
          expect(waitMs).toBeGreaterThanOrEqual(Math.max(paceMs, host.held_ms) - slack);
          expect(paceMs).toBeGreaterThanOrEqual(host.pace_ms - slack);
          if (host.unclean) expect(paceMs).toBeGreaterThanOrEqual(delayMs - slack);
          else if (host.asked_ago_ms !== null)
            expect(paceMs).toBeGreaterThanOrEqual(delayMs - host.asked_ago_ms - slack);
        },
      ),
    );
  });

  it('counts an answer of the future as one of now', () => {
    const { waitMs } = pacer({ ...rested, asked_ago_ms: -500_000 }, 60_000);
    expect(waitMs).toBeGreaterThan(60_000 - slack);
    expect(waitMs).toBeLessThanOrEqual(60_000);
  });
});

describe('a request that waits for its time', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Owes ten seconds. */
  const exchange = (stays: Turn['stays'], ending = new AbortController()) =>
    pacer({ ...rested, pace_ms: 10_000 }, 0, null, ending).exchange(
      { url: 'http://a.example/' } as FetchRequest,
      {
        ...{ waitMs: () => 0, stays, mayLeave: () => true, patienceMs: 60_000 },
        ...{ waits: () => undefined, underWay: () => undefined, taken: () => undefined },
      },
    );

  it.each([
    ['at once', (stays: boolean) => stays],
    ['later', (stays: boolean) => Promise.resolve(stays)],
  ])('is given up within a second of being unwanted, if it hears of it %s', async (_when, told) => {
    let wanted = true;
    const waiting = exchange(() => told(wanted));
    await vi.advanceTimersByTimeAsync(5_500);
    wanted = false;
    const asked = Date.now();
    await vi.runAllTimersAsync();
    expect(await waiting).toBeNull();
    expect(Date.now() - asked).toBeLessThanOrEqual(1_100);
  });

  it('is given up with its visit, and asks nobody then', async () => {
    const ending = new AbortController();
    ending.abort();
    const stays = vi.fn(() => Promise.reject(new Error('Postgres is away')));
    expect(await exchange(stays, ending)).toBeNull();
    expect(stays).not.toHaveBeenCalled();
  });

  it('fails with whoever cannot be asked', async () => {
    await expect(exchange(() => Promise.reject(new Error('Postgres is away')))).rejects.toThrow('Postgres');
  });
});

it.each([
  ['left before its time', 40, 1],
  ['left in time', 0, 0],
])('a request that %s is counted so', async (_when, earlyMs, expected) => {
  const tooSoon = async (): Promise<number> => {
    const { values } = await countedSeries('requests_early_total').get();
    return values.reduce((sum, { value }) => sum + value, 0);
  };
  const before = await tooSoon();
  const lease = { taken: rested, asked: null, hostId: '1', allowance: { count: () => undefined } };
  const optOuts = { attend: <T>(work: () => Promise<T>) => work() };
  const fetch = (request: FetchRequest): Promise<FetchResult> => {
    // As if the delay had become longer while the request connected.
    const early = performance.now() - earlyMs;
    if (earlyMs > 0) vi.spyOn(performance, 'now').mockReturnValue(early);
    request.maySend?.(null);
    vi.restoreAllMocks();
    return Promise.resolve({ kind: 'fault', fault: 'reset', message: 'cut', endAt: performance.now() });
  };
  const way = {
    ...nothingIsSent,
    fetcher: { ...nothingIsSent.fetcher, fetch },
    caps: { enter: () => Promise.resolve(new Entry({} as CapBook, null, null)) },
  };
  const made = new HostPacer(lease as unknown as HostLease, way, optOuts, new AbortController().signal);
  made.pace = { delayMs: 30, factor: null };
  const turn = {
    ...{ waitMs: () => 0, stays: () => true, mayLeave: () => true, patienceMs: 60_000 },
    ...{ waits: () => undefined, underWay: () => undefined, taken: () => undefined },
  };
  await made.exchange({ url: 'http://a.example/' } as FetchRequest, turn);
  expect((await tooSoon()) - before).toBe(expected);
});

/** A pacer whose way has room again only after `freeAfter` looks, and what its one request was told to wait for. */
async function easedExchange(freeAfter: number, patienceMs: number) {
  let looks = 0;
  const way = {
    ...nothingIsSent,
    pressure: {
      get fetching() {
        return ++looks <= freeAfter ? 0 : 1;
      },
    },
  };
  const lease = { taken: rested, asked: null, hostId: '1' } as unknown as HostLease;
  const optOuts = { attend: <T>(work: () => Promise<T>) => work() };
  const made = new HostPacer(lease, way, optOuts, new AbortController().signal);
  const waits: (string | null)[] = [];
  const result = await made.exchange({ url: 'http://a.example/' } as FetchRequest, {
    ...{ waitMs: () => 0, stays: () => Promise.resolve(true), mayLeave: () => true, patienceMs },
    ...{ waits: (what) => waits.push(what), underWay: () => undefined, taken: () => undefined },
  });
  return { made, result, waits };
}

describe('a request for whose answer there is no room', () => {
  it('says that it waits for that, and then for nothing but its permits', async () => {
    const { made, waits } = await easedExchange(1, 60_000);
    expect(waits).toEqual(['pressure', null, 'caps', null]);
    expect(made).toMatchObject({ waitMs: 0, eased: false });
  });

  it('is given up when its visit ends, and its host is left alone for that, until another reason lasts longer', async () => {
    const { made, result } = await easedExchange(Infinity, 0);
    expect(result).toBeNull();
    expect(made.eased).toBe(true);
    expect(made.waitMs).toBeGreaterThan(10_000 - slack);
    made.holdOff(5_000);
    expect(made.eased).toBe(true);
    made.holdOff(60_000);
    expect(made.eased).toBe(false);
  });
});
