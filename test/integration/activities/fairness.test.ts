/**
 * One host, several crawls (G3): whose turn each request was, by the log of the site.
 * @module-tag long
 */
import { describe, expect, it } from 'vitest';
import { FetchContext } from '../../../engine/visit/fetch-context.ts';
import { HostVisit } from '../../../engine/visit/host-visit.ts';
import { Slice } from '../../../engine/visit/slice.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { gaps, robots, startSite, type Site } from './site.ts';

const fetching = withFetching();

const urls = (stem: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `/${stem}/${String(at)}`);
/** Whose each page request was. */
const turnsAt = (site: Site): string[] =>
  site.paths().flatMap((path) => (path === '/robots.txt' ? [] : [path.split('/')[1] ?? '']));
/** Slices, as the workflow runs them, until the site has had enough requests. */
async function work(host: HostRow, sliceMs: number, enough: () => boolean): Promise<void> {
  const role = fetching.role({ sliceMs });
  while (!enough()) {
    const { waitMs } = await role.fetchSlice(host);
    await new Promise((waited) => setTimeout(waited, waitMs));
  }
}
const hosted = async (): Promise<{ site: Site; host: HostRow }> => {
  const site = await startSite({ '/robots.txt': robots('') });
  return { site, host: await fetching.host(site.origin) };
};

describe('a crawl of 10 URLs beside one of 500', () => {
  // A URL a slice, an odd number of them, and slices whose last URLs are put back.
  it.each([0, 130, 333, 1_000])('gets every second request, with slices of %i ms', async (sliceMs) => {
    const { site, host } = await hosted();
    const delaySeconds = 0.04;
    const big = await fetching.crawl({ delaySeconds });
    await fetching.queue(big, host, ...urls('big', 500));
    await work(host, sliceMs, () => turnsAt(site).length >= 7);
    const small = await fetching.crawl({ delaySeconds });
    const before = turnsAt(site).length;
    await fetching.queue(small, host, ...urls('small', 10));
    const smallOnes = (): number => turnsAt(site).filter((turn) => turn === 'small').length;
    await work(host, sliceMs, () => smallOnes() === 10 && turnsAt(site).length > before + 22);
    const turns = turnsAt(site).slice(before);
    const first = turns.indexOf('small');
    // It is not in the slice that was under way when it came, but in the next.
    expect(first).toBeLessThanOrEqual(1);
    const shared = turns.slice(first, first + 19);
    expect(shared).toEqual(shared.map((_, at) => (at % 2 === 0 ? 'small' : 'big')));
    // Then the big one has the host to itself again.
    expect(new Set(turns.slice(first + 19))).toEqual(new Set(['big']));
    expect(Math.min(...gaps(site))).toBeGreaterThanOrEqual(delaySeconds * 1_000);
    expect(site.together()).toBe(1);
  });
});

describe('a slice of minutes', () => {
  it('ends soon once another crawl comes to the host', async () => {
    const { site, host } = await hosted();
    const role = fetching.role({ sliceMs: 60_000, leaseMs: 2_000 });
    const big = await fetching.crawl({ delaySeconds: 0.1 });
    await fetching.queue(big, host, ...urls('big', 150));
    const slice = role.fetchSlice(host);
    await expect.poll(() => turnsAt(site).length).toBeGreaterThan(3);
    await fetching.queue(await fetching.crawl({ delaySeconds: 0.1 }), host, '/small/0');
    expect(await slice).toMatchObject({ next: 'more', lastError: null });
    expect(turnsAt(site).length).toBeLessThan(100);
    expect(site.paths()).not.toContain('/small/0');
    await work(host, 0, () => site.paths().includes('/small/0'));
    expect(turnsAt(site).length).toBeLessThan(100);
  });

  it('serves what a crawl finds meanwhile at once, and not after the URLs of minutes of another', async () => {
    const { site, host } = await hosted();
    const dependencies = fetching.dependencies({ sliceMs: 400 });
    const context = new FetchContext(dependencies);
    const { signal } = new AbortController();
    const lease = await context.keeper.take(host.hostId, 0, signal);
    if (lease === null) throw new Error('the lease is taken');
    const [big, small] = [
      await fetching.crawl({ delaySeconds: 0.05 }),
      await fetching.crawl({ delaySeconds: 0.05 }),
    ];
    await fetching.queue(big, host, ...urls('big', 60));
    await fetching.queue(small, host, '/small/0');
    const visit = new HostVisit(dependencies, lease, host.origin, signal);
    const slice = new Slice(context, visit, 60_000, signal).run();
    await expect.poll(() => site.paths()).toContain('/small/0');
    await fetching.queue(small, host, '/small/1');
    const found = turnsAt(site).length;
    await slice;
    const at = turnsAt(site).lastIndexOf('small');
    // Of the other: what fits into the slice as set, twice while the URL was on its way into the queue.
    expect(at).toBeGreaterThan(0);
    expect(at - found).toBeLessThan(25);
  });
});

describe('weights', () => {
  it.each([0, 250])('give a crawl as many turns as it weighs, with slices of %i ms', async (sliceMs) => {
    const { site, host } = await hosted();
    const [heavy, light] = [
      await fetching.crawl({ weight: 3, delaySeconds: 0.03 }),
      await fetching.crawl({ delaySeconds: 0.03 }),
    ];
    await fetching.queue(heavy, host, ...urls('heavy', 60));
    await fetching.queue(light, host, ...urls('light', 60));
    await work(host, sliceMs, () => turnsAt(site).length >= 40);
    const turns = turnsAt(site).slice(0, 40);
    for (let from = 0; from < 40; from += 4) {
      expect(turns.slice(from, from + 4).filter((turn) => turn === 'light')).toHaveLength(1);
    }
  });
});
