/** What stands behind breakers: the fetcher, the blob store, the resolver, and what activities make of a refusal. */
import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { watch, type Watched } from '../../engine/breakers/breakers.ts';
import { DependencyDown } from '../../engine/breakers/dependency-down.ts';
import { withOwnFaults } from '../../activities/failures.ts';
import { failureTypes } from '../../contracts/failures.ts';
import type { Fetcher, FetchRequest, FetchResult } from '../../contracts/fetching.ts';
import { ResolverFault, type Resolver } from '../../net/resolver.ts';
import type { BodyStore, Capture, Kept } from '../../storage/archive/index.ts';
import { createPool } from '../../storage/postgres/index.ts';

const request: FetchRequest = {
  url: 'https://www.example/',
  userAgent: 'Test',
  allowPrivate: [],
  limits: { maxBodyBytes: 1, totalTimeoutMs: 1 },
};
const answered: FetchResult = { kind: 'fault', fault: 'reset', message: 'broke off', endAt: 0 };
const unresolved: FetchResult = { kind: 'fault', fault: 'dns-unavailable', message: 'no answer', endAt: 0 };
/** Nothing listens there: a connection is refused. */
const nowhere = 'postgres://127.0.0.1:1/nowhere';
const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

interface World {
  readonly watched: Watched;
  /** Requests that were sent. */
  sent: number;
  /** What the fetcher does with a request. */
  exchange: (request: FetchRequest, resolver: Resolver) => Promise<FetchResult>;
  put: () => Promise<Kept>;
  readonly blobs: BodyStore;
  resolve: Resolver['resolve'];
  readonly probe: {
    blobs: (bytes: number) => Promise<void>;
    dns: () => Promise<boolean>;
    room: () => Promise<number>;
  };
}

function startWorld(): World {
  const world: Omit<World, 'watched' | 'blobs'> = {
    sent: 0,
    exchange: (asked) => {
      if (asked.maySend?.(null) === false) return Promise.reject(new Error('withheld'));
      world.sent++;
      return Promise.resolve(answered);
    },
    put: () => Promise.resolve({ segment: 1, at: 0, length: 1, known: false }),
    resolve: () => Promise.resolve([{ address: '192.0.2.1', family: 4 }]),
    probe: {
      blobs: () => Promise.reject(full),
      dns: () => Promise.resolve(false),
      room: () => Promise.resolve(1e9),
    },
  };
  const fetcher = (resolver: Resolver): Fetcher => ({
    fetch: (asked) => world.exchange(asked, resolver),
    addressOf: () => Promise.resolve(null),
    close: () => Promise.resolve(),
  });
  const watched = watch(
    {
      pool: createPool(nowhere, 1, () => undefined),
      fetcher,
      resolver: { resolve: (name) => world.resolve(name) },
    },
    {
      postgres: () => Promise.resolve(),
      blobs: (bytes) => world.probe.blobs(bytes),
      dns: () => world.probe.dns(),
      room: () => world.probe.room(),
    },
    pino({ level: 'silent' }),
  );
  onTestFinished(() => {
    watched.stop();
  });
  const blobs = watched.blobs({ put: () => world.put(), get: () => Promise.resolve(null) });
  return Object.assign(world, { watched, blobs });
}

const capture = (bytes: number): Capture => ({
  ...{ hash: randomBytes(32), url: 'https://www.example/', at: new Date(), remoteAddress: null, asked: {} },
  ...{ status: 200, headers: {}, body: randomBytes(bytes), truncated: false },
});

const storeFails = async (world: World, bytes = 10): Promise<void> => {
  world.put = () => Promise.reject(full);
  await expect(world.blobs.put(capture(bytes))).rejects.toBe(full);
};

afterEach(() => {
  vi.useRealTimers();
});

describe('the fetcher behind breakers', () => {
  it('sends as long as nothing is down', async () => {
    const world = startWorld();
    expect(await world.watched.fetcher.fetch(request)).toBe(answered);
    expect(world.sent).toBe(1);
  });

  it('starts nothing while the blob store is down', async () => {
    const world = startWorld();
    await storeFails(world);
    await expect(world.watched.fetcher.fetch(request)).rejects.toMatchObject({
      dependency: 'the blob store',
    });
    expect(world.sent).toBe(0);
  });

  it.each([
    ['is full', () => Promise.resolve(60_000)],
    ['cannot be asked', () => Promise.reject(full)],
  ])('starts nothing where the disk %s, before it has lost a body', async (_why, room) => {
    const world = startWorld();
    world.probe.room = room;
    await expect(world.watched.fetcher.fetch(request)).rejects.toMatchObject({
      dependency: 'the blob store',
    });
    expect(world.sent).toBe(0);
  });

  it('withholds a request that is about to leave when something breaks', async () => {
    const world = startWorld();
    const send = world.exchange;
    world.exchange = async (asked, resolver) => {
      await storeFails(world);
      return send(asked, resolver);
    };
    await expect(world.watched.fetcher.fetch(request)).rejects.toBeInstanceOf(DependencyDown);
    expect(world.sent).toBe(0);
  });

  it('asks the caller too whether a request may leave', async () => {
    const world = startWorld();
    await expect(world.watched.fetcher.fetch({ ...request, maySend: () => false })).rejects.toThrow(
      'withheld',
    );
    expect(world.sent).toBe(0);
  });
});

describe('DNS', () => {
  const resolving = (world: World): void => {
    world.exchange = async (asked, resolver) => {
      await resolver.resolve(new URL(asked.url).hostname).catch(() => undefined);
      return unresolved;
    };
  };

  it('that is silent altogether is ours: the host is not blamed, and hosts whose names are known go on', async () => {
    const world = startWorld();
    resolving(world);
    world.resolve = (name) => Promise.reject(new ResolverFault(name, 'ETIMEOUT', true));
    await expect(world.watched.fetcher.fetch(request)).rejects.toMatchObject({ dependency: 'DNS' });
    expect(world.watched.outage()).toBeNull();
    world.exchange = () => Promise.resolve(answered);
    expect(await world.watched.fetcher.fetch(request)).toBe(answered);
  });

  it('that fails at one name is that host’s trouble', async () => {
    const world = startWorld();
    resolving(world);
    world.resolve = (name) => Promise.reject(new ResolverFault(name, 'ESERVFAIL', false));
    for (let tries = 0; tries < 20; tries++)
      expect(await world.watched.fetcher.fetch(request)).toBe(unresolved);
    expect(world.watched.outage()).toBeNull();
  });

  it('is back when any resolver replies', async () => {
    vi.useFakeTimers();
    const world = startWorld();
    resolving(world);
    world.resolve = (name) => Promise.reject(new ResolverFault(name, 'ETIMEOUT', true));
    await world.watched.fetcher.fetch(request).catch(() => undefined);
    await vi.advanceTimersByTimeAsync(1_000);
    world.exchange = () => Promise.resolve(unresolved);
    await expect(world.watched.fetcher.fetch(request)).rejects.toThrow('no DNS resolver answers');
    world.probe.dns = () => Promise.resolve(true);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await world.watched.fetcher.fetch(request)).toBe(unresolved);
  });
});

describe('the blob store', () => {
  it('is probed with as many bytes as it refused', async () => {
    vi.useFakeTimers();
    const world = startWorld();
    const probed: number[] = [];
    world.probe.blobs = (bytes) => {
      probed.push(bytes);
      return Promise.resolve();
    };
    await storeFails(world, 900_000);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(probed).toEqual([900_000]);
    expect(world.watched.outage()).toBeNull();
    await storeFails(world, 5);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(probed).toEqual([900_000, 65_536]);
  });

  it('does not count what is wrong with a blob', async () => {
    const world = startWorld();
    world.put = () => Promise.reject(new Error('no hash of 32 bytes'));
    for (let tries = 0; tries < 5; tries++)
      await expect(world.blobs.put(capture(5))).rejects.toThrow('32 bytes');
    expect(world.watched.outage()).toBeNull();
  });

  it('refuses reading too while it is down, so that extraction waits', async () => {
    const world = startWorld();
    await storeFails(world);
    await expect(world.blobs.get(randomBytes(32))).rejects.toBeInstanceOf(DependencyDown);
  });
});

describe('Postgres', () => {
  it('is asked no more once it has refused three times, and the fetcher sends nothing', async () => {
    const world = startWorld();
    const { pool, fetcher } = world.watched;
    for (let tries = 0; tries < 2; tries++)
      await expect(pool.query('select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await expect(pool.connect()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await expect(pool.query('select 1')).rejects.toBeInstanceOf(DependencyDown);
    await expect(pool.connect()).rejects.toBeInstanceOf(DependencyDown);
    await expect(fetcher.fetch(request)).rejects.toMatchObject({ dependency: 'Postgres' });
    expect(world.sent).toBe(0);
  });
});

describe('an activity that meets an outage', () => {
  it('fails as our own fault, says what is down since when, and is tried again after the next probe', async () => {
    const world = startWorld();
    await storeFails(world);
    const { outage } = world.watched;
    const failure = withOwnFaults(() => Promise.reject(outage() ?? new Error('nothing is down')));
    await expect(failure).rejects.toMatchObject({
      type: failureTypes.infrastructure,
      nonRetryable: false,
      message: expect.stringMatching(/^the blob store is down since \d{4}-.*ENOSPC/) as string,
      nextRetryDelay: expect.any(Number) as number,
      details: [{ dependency: 'the blob store', since: expect.any(String) as string }],
    });
  });

  it.each([
    ['our own machine', full],
    ['our own Postgres', Object.assign(new Error('disk full'), { code: '53100' })],
  ])('before its breaker has opened: %s', async (words, error) => {
    await expect(withOwnFaults(() => Promise.reject(error))).rejects.toMatchObject({
      type: failureTypes.infrastructure,
      message: expect.stringContaining(words) as string,
      nextRetryDelay: 2_000,
    });
  });

  it('leaves other errors as they are', async () => {
    const bug = new TypeError('a bug');
    await expect(withOwnFaults(() => Promise.reject(bug))).rejects.toBe(bug);
  });
});
