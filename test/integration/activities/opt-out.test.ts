/** A host that has opted out is asked nothing, from one request to the next (F15). */
import { describe, expect, it } from 'vitest';
import type { Fetcher } from '../../../contracts/fetching.ts';
import { failureTypes } from '../../../contracts/failures.ts';
import { optOutBoundMs } from '../../../domain/opt-out.ts';
import { createFetcher } from '../../../net/fetcher.ts';
import { optOut, takeBackOptOut, addOptOut } from '../../../storage/opt-outs/index.ts';
import { startFlakyPool } from '../storage/flaky-pool.ts';
import { expectExact } from '../storage/frontier.ts';
import { hostRow } from '../../support/database/index.ts';
import { noting, type HostRow, withFetching } from './fetching.ts';
import { page, redirect, robots, slowly, startSite, type Answer, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

/** An address of its own for each site, since an address is what opts out here. */
let addresses = 0;
const nextAddress = (): string => `127.15.0.${String(++addresses)}`;

const paths = Array.from({ length: 40 }, (_, at) => `/${String(at).padStart(2, '0')}`);
interface Visited {
  readonly site: Site;
  readonly host: HostRow;
  readonly crawl: number;
  readonly address: string;
}
const hosted = async (
  answers: Readonly<Record<string, Answer>> = {},
  delaySeconds = 0,
  queued: readonly string[] = paths,
): Promise<Visited> => {
  const address = nextAddress();
  const site = await startSite(answers, address);
  const { host, crawl } = await fetching.queued(site.origin, queued, { delaySeconds });
  return { site, host, crawl, address };
};
const asked = (site: Site, path: string): Promise<void> => expect.poll(() => site.paths()).toContain(path);
const stamp = (origin: string): string => new URL(origin).hostname;

describe('a host that has opted out', () => {
  it('is asked nothing, not even robots.txt; what is queued there is excluded, with the reason', async () => {
    const { site, host, crawl, address } = await hosted();
    await addOptOut(pool, address, null);
    expect(await fetching.role().fetchSlice(host)).toMatchObject({
      next: 'idle',
      queued: 0,
      lastError: null,
    });
    expect(site.hits).toEqual([]);
    expect((await fetching.urls(crawl, site.origin))['/00']).toMatchObject({
      state: 'excluded',
      reason: 'opt-out',
      detail: `${address} has opted out`,
      attempts: 0,
    });
    expect(await expectExact(pool, crawl)).toMatchObject({ excluded: 40, queued: 0 });
  });

  it('with a queue that one slice does not empty is idle only once all of it is excluded', async () => {
    const many = Array.from({ length: 1_001 }, (_, at) => `/${String(at)}`);
    const { site, host, crawl, address } = await hosted({}, 0, many);
    await addOptOut(pool, address, null);
    const role = fetching.role({ sliceMs: 0 });
    expect(await role.fetchSlice(host)).toMatchObject({ next: 'more', queued: 1, closedBy: null });
    for (let visit = 0; (await role.fetchSlice(host)).next === 'more'; visit++) expect(visit).toBeLessThan(3);
    expect(site.hits).toEqual([]);
    expect(await expectExact(pool, crawl)).toMatchObject({ excluded: 1_001, queued: 0 });
  });

  it('in the middle of a slice is asked nothing once that is answered; the other host goes on', async () => {
    const leaving = await hosted({}, 0.1);
    const staying = await hosted({}, 0.1);
    // Workers of their own, with copies of their own.
    const slices = [leaving, staying].map(({ host }) => fetching.role({ sliceMs: 120_000 }).fetchSlice(host));
    await asked(leaving.site, '/02');
    await optOut(pool, leaving.address, 'their mail');
    const answeredAt = performance.now();
    await Promise.all(slices);
    await fetching.role().fetchSlice(leaving.host);
    expect(leaving.site.hits.filter(({ at }) => at >= answeredAt)).toEqual([]);
    expect(leaving.site.hits.length).toBeLessThan(35);
    expect(staying.site.hits).toHaveLength(41);
    const ledger = await expectExact(pool, leaving.crawl);
    expect(ledger).toMatchObject({ queued: 0, leased: 0, discovered: 40 });
    expect(ledger.done + ledger.excluded).toBe(40);
    expect(await expectExact(pool, staying.crawl)).toMatchObject({ done: 40 });
  });

  it('while a request was being connected does not get it', async () => {
    const { site, host, crawl, address } = await hosted({}, 0, ['/a', '/b']);
    const real = createFetcher();
    let connected: () => void = () => undefined;
    const connection = new Promise<void>((resolve) => (connected = resolve));
    // Connecting takes longer than any copy of the list is good for.
    const slow: Fetcher = {
      fetch: async (request) => {
        if (request.url.endsWith('/b')) {
          connected();
          await optOut(pool, address, null);
        }
        return real.fetch(request);
      },
      addressOf: (request) => real.addressOf(request),
      close: () => real.close(),
    };
    const running = fetching.role({}, { fetcher: slow }).fetchSlice(host);
    await connection;
    expect(await running).toMatchObject({ fetched: 1, next: 'more' });
    expect(site.paths()).toEqual(['/robots.txt', '/a']);
    await fetching.role().fetchSlice(host);
    expect((await fetching.urls(crawl, site.origin))['/b']).toMatchObject({ reason: 'opt-out', attempts: 0 });
    await expectExact(pool, crawl);
    await real.close();
  });

  it('is not visited for another host’s robots.txt; that host is not fetched from either', async () => {
    const other = await hosted({ '/robots.txt': robots('User-agent: *', 'Allow: /') }, 0, []);
    const { site, host, crawl } = await hosted(
      { '/robots.txt': redirect(`${other.site.origin}/robots.txt`) },
      0,
      ['/a'],
    );
    await addOptOut(pool, other.address, null);
    const result = await fetching.role().fetchSlice(host);
    expect(result.lastError).toContain(`robots.txt lies at ${other.site.origin}/robots.txt`);
    expect(result.lastError).toContain('has opted out');
    expect(site.paths()).toEqual(['/robots.txt']);
    expect(other.site.hits).toEqual([]);
    expect(await expectExact(pool, crawl)).toMatchObject({ queued: 1 });
  });

  it('has what links and redirects lead to recorded as excluded', async () => {
    const gone = await hosted({}, 0, []);
    const { site, host, crawl } = await hosted({ '/a': redirect(`${gone.site.origin}/x`) }, 0, ['/a']);
    await addOptOut(pool, gone.address, null);
    await fetching.role().fetchSlice(host);
    const urls = await fetching.urls(crawl, site.origin);
    expect(urls[`${gone.site.origin}/x`]).toMatchObject({
      state: 'excluded',
      reason: 'opt-out',
      detail: `${stamp(gone.site.origin)} has opted out`,
    });
    expect(gone.site.hits).toEqual([]);
    await expectExact(pool, crawl);
  });

  it('that takes it back is fetched from again', async () => {
    const { site, host, crawl, address } = await hosted({}, 0, ['/a', '/b']);
    const role = fetching.role();
    await addOptOut(pool, address, null);
    await role.fetchSlice(host);
    expect(await takeBackOptOut(pool, address)).toMatchObject({ domain: address, queued: 2 });
    expect(await role.fetchSlice(host)).toMatchObject({ fetched: 2 });
    expect(site.paths()).toEqual(['/robots.txt', '/a', '/b']);
    expect(await expectExact(pool, crawl)).toMatchObject({ done: 2, excluded: 0 });
  });
});

describe('a list that cannot be read', () => {
  it('stops every request within the bound, and is nobody’s URL', async () => {
    const { site, host, crawl } = await hosted({}, 0.1);
    const flaky = startFlakyPool(pool);
    const { fetcher, departed } = noting(fetching.dependencies().fetcher);
    const running = fetching.role({}, { pool: flaky.pool, fetcher }).fetchSlice(host);
    await asked(site, '/02');
    const brokenAt = performance.now();
    flaky.broken.add('load-opt-outs');
    await expect(running).rejects.toMatchObject({ type: failureTypes.infrastructure });
    expect(flaky.refused).toBeGreaterThan(0);
    const last = departed.at(-1) ?? Infinity;
    expect(last - brokenAt).toBeLessThanOrEqual(optOutBoundMs);
    // The copy that was read before serves until then: a hiccup of Postgres stops nothing.
    expect(last - brokenAt).toBeGreaterThan(optOutBoundMs / 4);
    expect(await hostRow(pool, host.hostId)).toMatchObject({ lease_token: null, failures: 0 });
    expect(await expectExact(pool, crawl)).toMatchObject({ leased: 0, failed: 0, excluded: 0 });
  });

  it('sends nothing at all from the start', async () => {
    const { site, host, crawl } = await hosted();
    const flaky = startFlakyPool(pool);
    flaky.broken.add('load-opt-outs');
    await expect(fetching.role({}, { pool: flaky.pool }).fetchSlice(host)).rejects.toMatchObject({
      type: failureTypes.infrastructure,
    });
    expect(site.hits).toEqual([]);
    expect(await expectExact(pool, crawl)).toMatchObject({ queued: 40, leased: 0 });
  });

  it('is read again all the while a slow answer is waited for', async () => {
    let reads = 0;
    // So slow that four reads fit in, also where each of them takes long.
    const slow: Answer = (...request) => {
      if (reads < 4) setTimeout(() => slow(...request), 50);
      else page('slow')(...request);
    };
    const { site, host } = await hosted({ '/00': slowly(2_600, slow) }, 0, ['/00', '/01']);
    const counting = startFlakyPool(fetching.pool);
    const pool = new Proxy(counting.pool, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property, target);
        if (property !== 'query') return value;
        return (...params: unknown[]): unknown => {
          if ((params[0] as { name?: string }).name === 'load-opt-outs') reads++;
          return Reflect.apply(value as () => unknown, target, params);
        };
      },
    });
    await fetching.role({}, { pool }).fetchSlice(host);
    expect(site.paths()).toEqual(['/robots.txt', '/00', '/01']);
    expect(reads).toBeGreaterThanOrEqual(4);
    expect(reads).toBeLessThan(12);
  });
});
