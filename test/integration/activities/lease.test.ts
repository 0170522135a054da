/** The exclusive right to send requests to a host, and what happens when it ends early (docs/design.md, "Crash safety"). */
import { describe, expect, it } from 'vitest';
import { createFetchActivities } from '../../../activities/fetch.ts';
import { failureTypes } from '../../../contracts/failures.ts';
import { askGuestLease, takeLease } from '../../../storage/leases/index.ts';
import { startFlakyPool } from '../storage/flaky-pool.ts';
import { expectExact } from '../storage/frontier.ts';
import { asActivity } from '../../support/activity.ts';
import { changeHost, hostRow, leaseEnded, like, longAgo, tables } from '../../support/database/index.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { gaps, page, slowly, type Answer, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

const paths = Array.from({ length: 30 }, (_, at) => `/${String(at).padStart(2, '0')}`);
interface Visited {
  readonly site: Site;
  readonly host: HostRow;
  readonly crawl: number;
}
const hosted = async (
  answers: Readonly<Record<string, Answer>> = {},
  delaySeconds = 0.1,
): Promise<Visited> => {
  const { site, host, crawl } = await fetching.site(paths, { answers, config: { delaySeconds } });
  return { site, host, crawl };
};
const asked = (site: Site, path: string): Promise<void> => expect.poll(() => site.paths()).toContain(path);
const leaseOf = async (host: HostRow): Promise<number | null> =>
  (await hostRow(pool, host.hostId)).lease_token;
const expire = (host: HostRow) => leaseEnded(pool, host.hostId);

describe('a lease that is lost in the middle of a slice', () => {
  it('to somebody else: nothing more is sent, and the result in flight does not count', async () => {
    // It is answered when the holder has long seen that its lease is lost, if at all.
    const { site, host, crawl } = await hosted({ '/02': slowly(40_000, page('late')) });
    const running = fetching.role({ leaseMs: 8_000 }).fetchSlice(host);
    await asked(site, '/02');
    let thief: Awaited<ReturnType<typeof takeLease>>[number] | undefined;
    // The holder may renew it in between.
    const steal = async () => {
      await expire(host);
      return ([thief] = await takeLease(pool, host.hostId, 600_000)).length;
    };
    await expect.poll(steal, { interval: 10 }).toBe(1);
    await running;
    expect(site.paths()).toEqual(['/robots.txt', '/00', '/01', '/02']);
    // What the thief has not put back yet is as it was; only what was committed before counts.
    expect(await leaseOf(host)).toBe(thief?.token);
    const urls = await fetching.urls(crawl, site.origin);
    expect(urls['/01']).toMatchObject({ state: 'done' });
    await expectExact(pool, crawl);
  });

  it('to a silent database: it ends by the holder’s own clock, before the lease does', async () => {
    const { site, host } = await hosted({}, 0.3);
    const flaky = startFlakyPool(pool);
    flaky.broken.add('renew-leases');
    const leaseMs = 8_000;
    const startedAt = performance.now();
    await fetching.role({ leaseMs }, { pool: flaky.pool }).fetchSlice(host);
    expect(flaky.refused).toBeGreaterThan(0);
    expect(site.hits.length).toBeGreaterThan(2);
    const last = site.hits.at(-1)?.at ?? Infinity;
    // The lease was taken after `startedAt`, so this bound is the looser one.
    expect(last - startedAt).toBeLessThan(leaseMs);
  });

  it('breaks off the request in flight, on whose end the next holder counts', async () => {
    const { site, host, crawl } = await hosted({ '/01': slowly(40_000, page('endless')) }, 0.05);
    const flaky = startFlakyPool(pool);
    flaky.broken.add('renew-leases');
    await fetching.role({ leaseMs: 4_000 }, { pool: flaky.pool }).fetchSlice(host);
    expect(site.paths()).toEqual(['/robots.txt', '/00', '/01']);
    await expect.poll(() => site.hits.at(-1)?.endedAt).not.toBeNull();
    const { at = 0, endedAt } = site.hits.at(-1) ?? {};
    expect((endedAt ?? Infinity) - at).toBeLessThan(5_500);
    expect((await fetching.urls(crawl, site.origin))['/01']).toMatchObject({ state: 'queued', attempts: 0 });
  });

  it('is renewed as long as the slice goes on', async () => {
    const { site, host } = await hosted({ '/00': slowly(5_500, page('slow')) }, 0.05);
    await fetching.role({ leaseMs: 4_000 }).fetchSlice(host);
    expect(site.paths().slice(0, 4)).toEqual(['/robots.txt', '/00', '/01', '/02']);
    expect(await leaseOf(host)).toBeNull();
  });
});

describe('cancellation (a pause, a worker that is told to leave)', () => {
  it('before there is a lease that could be cut: a heartbeat tells of it as soon as there is one', async () => {
    const { site, host } = await hosted();
    const activities = createFetchActivities(fetching.dependencies());
    const cancelled = new AbortController();
    const heartbeat = (): void => {
      cancelled.abort();
    };
    const { signal } = cancelled;
    const visit = asActivity(() => activities.fetchSlice({ inTrouble: false, ...host }), {
      signal,
      heartbeat,
    });
    expect(await visit).toMatchObject({ fetched: 0, next: 'more' });
    expect(site.paths()).toEqual([]);
    expect(await leaseOf(host)).toBeNull();
  });

  it('finishes the request in flight, commits it, and returns lease and URLs', async () => {
    const { site, host, crawl } = await hosted({ '/02': slowly(400, page('in flight')) });
    const controller = new AbortController();
    const running = fetching.role().fetchSlice(host, controller.signal);
    await asked(site, '/02');
    controller.abort();
    expect(await running).toMatchObject({ fetched: 3, next: 'more', queued: 27 });
    expect(site.paths()).toEqual(['/robots.txt', '/00', '/01', '/02']);
    expect((await fetching.urls(crawl, site.origin))['/02']).toMatchObject({ state: 'done', stage: 1 });
    expect(await leaseOf(host)).toBeNull();
    expect(await expectExact(pool, crawl)).toMatchObject({ done: 3, queued: 27, leased: 0 });
  });

  it('ends a wait at once, and sends nothing', async () => {
    const { site, host, crawl } = await hosted({}, 60);
    const controller = new AbortController();
    const running = fetching.role({ sliceMs: 120_000 }).fetchSlice(host, controller.signal);
    await asked(site, '/robots.txt');
    const abortedAt = performance.now();
    controller.abort();
    await running;
    expect(performance.now() - abortedAt).toBeLessThan(30_000);
    expect(site.paths()).toEqual(['/robots.txt']);
    expect(await leaseOf(host)).toBeNull();
    expect(await expectExact(pool, crawl)).toMatchObject({ queued: 30, leased: 0 });
  });

  it('before the start sends nothing', async () => {
    const { site, host, crawl } = await hosted();
    await fetching.role().fetchSlice(host, AbortSignal.abort());
    expect(site.paths()).toEqual([]);
    expect(await leaseOf(host)).toBeNull();
    expect(await expectExact(pool, crawl)).toMatchObject({ queued: 30, leased: 0 });
  });
});

describe('taking over', () => {
  it('from a crash: its URLs are queued again, the first one under suspicion, and one full delay passes first', async () => {
    const { site, host, crawl } = await hosted({}, 0.6);
    const controller = new AbortController();
    const reading = fetching.role().fetchSlice(host, controller.signal);
    await asked(site, '/robots.txt');
    controller.abort();
    await reading;
    const [crashed] = await takeLease(pool, host.hostId, 600_000);
    await tables.url.change(
      pool,
      { host_id: host.hostId, url: like('%/0_') },
      { state: 'leased', lease_token: crashed?.token },
    );
    await changeHost(pool, host.hostId, { not_before: longAgo });
    await expire(host);
    const hitsBefore = site.hits.length;
    const takenAt = performance.now();
    const enough = new AbortController();
    const running = fetching.role().fetchSlice(host, enough.signal);
    await expect.poll(() => site.hits.length).toBeGreaterThan(hitsBefore + 2);
    enough.abort();
    await running;
    const first = site.hits[hitsBefore];
    expect((first?.at ?? 0) - takenAt).toBeGreaterThanOrEqual(600);
    expect(first?.path).toBe('/00');
    expect(Math.min(...gaps(site))).toBeGreaterThanOrEqual(600);
    expect(await expectExact(pool, crawl)).toMatchObject({ leased: 0 });
    const reclaims = (await tables.url.rows(pool, { crawl_id: crawl })).map((url) => url.reclaims);
    expect(Math.max(...reclaims)).toBe(1);
    expect(reclaims.filter((times) => times === 1)).toHaveLength(1);
  });

  it('waits for the holder, then goes on', async () => {
    const { site, host } = await hosted({ '/00': slowly(500, page('slow')) }, 0);
    const role = fetching.role({ sliceMs: 120_000 });
    const first = role.fetchSlice(host);
    await asked(site, '/00');
    await Promise.all([first, fetching.role({ sliceMs: 120_000 }).fetchSlice(host)]);
    expect(site.together()).toBe(1);
    expect(new Set(site.paths()).size).toBe(31);
    expect(site.hits).toHaveLength(31);
  });

  it('gives up, to be tried again, where the holder does not end', async () => {
    const { site, host } = await hosted();
    await takeLease(pool, host.hostId, 600_000);
    await expect(fetching.role({ leaseMs: 200 }).fetchSlice(host)).rejects.toMatchObject({
      type: failureTypes.interrupted,
      nonRetryable: false,
    });
    expect(site.paths()).toEqual([]);
  });
});

describe('a guest', () => {
  it('that waits ends the slice soon, with what was leased put back', async () => {
    const { site, host, crawl } = await hosted();
    const running = fetching.role({ leaseMs: 2_000 }).fetchSlice(host);
    await asked(site, '/01');
    await askGuestLease(pool, Number(host.hostId), 60_000);
    expect(await running).toMatchObject({ next: 'more' });
    expect(site.hits.length).toBeLessThan(15);
    expect(await leaseOf(host)).toBeNull();
    expect(await expectExact(pool, crawl)).toMatchObject({ leased: 0 });
  });
});

describe('a deadlock with another session', () => {
  const victimOf = async (name: string): Promise<void> => {
    const { site, host, crawl } = await hosted({}, 0);
    const flaky = startFlakyPool(pool);
    flaky.victim = name;
    await fetching.role({ sliceMs: 300 }, { pool: flaky.pool }).fetchSlice(host);
    expect(flaky.victim).toBeNull();
    expect(site.paths()).toContain('/00');
    expect(await expectExact(pool, crawl)).toMatchObject({ leased: 0 });
  };

  it.each(['lease-urls', 'commit-results'])('in %s is tried again', victimOf);
  it.each(['return-urls', 'reclaim-urls'])('in %s is tried again', victimOf);
});

describe('an outage of Postgres', () => {
  it('ends the slice as our own fault; the lease runs out and the URL is fetched again', async () => {
    const { site, host, crawl } = await hosted({}, 0.05);
    const flaky = startFlakyPool(pool);
    const leaving = new AbortController();
    const down: Answer = (response, request, count) => {
      flaky.down = count === 1;
      // Else it would wait for Postgres, to give back what it holds.
      setTimeout(() => leaving.abort(), 800);
      page('back')(response, request, count);
    };
    site.answers = { '/02': down };
    await expect(
      fetching.role({ leaseMs: 3_000 }, { pool: flaky.pool }).fetchSlice(host, leaving.signal),
    ).rejects.toMatchObject({
      type: failureTypes.infrastructure,
      nextRetryDelay: 2_000,
    });
    expect(site.paths()).toEqual(['/robots.txt', '/00', '/01', '/02']);
    expect(await leaseOf(host)).not.toBeNull();
    // Another worker takes over as soon as the lease has run out, and not before.
    await fetching.role().fetchSlice(host);
    expect(site.paths().filter((path) => path === '/02')).toHaveLength(2);
    expect(await expectExact(pool, crawl)).toMatchObject({ done: 30, leased: 0 });
  });
});
