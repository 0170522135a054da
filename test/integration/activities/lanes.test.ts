/** Bodies are read in lanes, over many hosts together (docs/design.md, "Reading in lanes"). */
import { randomBytes } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { storedStages } from '../../../domain/stage.ts';
import { LaneBook, workLane } from '../../../engine/reading/lane.ts';
import type { StagedBody } from '../../../storage/pages/index.ts';
import { addHosts, addUrls, tables } from '../../support/database/index.ts';
import { takenLease } from '../storage/frontier.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { readBodies } from './reading.ts';
import { page, startSite, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

interface Fetched {
  readonly host: HostRow;
  readonly site: Site;
  readonly crawl: number;
}

/** Hosts with one fetched body each, which waits to be judged. */
async function fetched(count: number): Promise<Fetched[]> {
  const crawl = await fetching.crawl();
  return Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const site = await startSite({ '/': page(`page ${String(at)} of ${String(crawl)}`) });
      const host = await fetching.host(site.origin);
      await fetching.queue(crawl, host, '/');
      // A slice whose time is over sends nothing: the machine may be busy.
      while ((await fetching.role().fetchSlice(host)).fetched === 0);
      return { host, site, crawl };
    }),
  );
}
/** Only ends a lane that works in vain. */
const ended = (): AbortSignal => AbortSignal.timeout(120_000);
const ofHosts = (hosts: readonly Fetched[]) => new Set(hosts.map(({ host }) => Number(host.hostId)));

describe('a lane', () => {
  it('works the bodies of its share of the hosts together, and those of no other', async () => {
    const hosts = await fetched(6);
    const mine = ofHosts(hosts);
    const dependencies = fetching.dependencies();
    const seen: number[][] = [];
    for (const lane of [0, 1]) {
      const batches: number[] = [];
      const stop = new AbortController();
      await workLane(dependencies, { shard: 0, lane, lanes: 2 }, storedStages.dedup, new LaneBook(), stop.signal, (bodies) => {
        batches.push(...bodies.map(({ host_id: id }) => id).filter((id) => mine.has(id)));
        stop.abort();
        return Promise.resolve();
      }); // prettier-ignore
      seen.push(batches);
    }
    for (const [lane, batch] of seen.entries()) expect(batch.every((id) => id % 2 === lane)).toBe(true);
    expect(new Set(seen.flat())).toEqual(mine);
    for (const { host } of hosts) await readBodies(fetching, host);
  });

  it('sets a host aside whose body fails alone, reads the others, and tries it again', async () => {
    const hosts = await fetched(4);
    const mine = ofHosts(hosts);
    const bad = Number(hosts[1]?.host.hostId);
    const stop = new AbortController();
    const read = new Map<number, number>();
    let failures = 0;
    await workLane(
      fetching.dependencies(),
      { shard: 0, lane: 0, lanes: 1 },
      storedStages.dedup,
      new LaneBook(),
      AbortSignal.any([stop.signal, ended()]),
      (bodies) => {
        const known = bodies.filter(({ host_id: id }) => mine.has(id));
        if (known.some(({ host_id: id }) => id === bad) && failures < 4) {
          failures++;
          return Promise.reject(new Error('a page that nobody can read'));
        }
        for (const { host_id: id } of known) read.set(id, (read.get(id) ?? 0) + 1);
        if (read.has(bad)) stop.abort();
        return Promise.resolve();
      },
    );
    // Twice with the others, of which one call is the host's alone; then alone after its wait.
    expect(failures).toBe(4);
    expect(new Set(read.keys())).toEqual(mine);
    for (const { host } of hosts) await readBodies(fetching, host);
  });
});

describe('a lane where many bodies wait', () => {
  const batch = 200;
  const hostsOf = (bodies: readonly StagedBody[]) => new Set(bodies.map(({ host_id: id }) => id));

  it('reads the first page of a newcomer within the next batch, and begins no round before the last has ended', async () => {
    const [shard, crowd] = [43, 3 * batch];
    const [busy, late] = [await fetching.crawl(), await fetching.crawl()];
    const ids = await addHosts(pool, crowd, (n) => `https://busy-${String(n)}.example`, { shard });
    const unread = (id: number, at: number) => ({
      ...{ host_id: id, url: `https://u.example/${String(at)}`, state: 'done' as const, stage: 1 },
      ...{ content_hash: randomBytes(32), fetched_at: new Date() },
    });
    await addUrls(pool, busy, [...ids, ...ids].map(unread));
    const book = new LaneBook();
    const [newest = 0] = ids.slice(-1);
    /** What a call that ends after one batch works. */
    const next = async (): Promise<readonly StagedBody[]> => {
      const stop = new AbortController();
      const found: StagedBody[] = [];
      await workLane(
        fetching.dependencies(),
        { shard, lane: 0, lanes: 1 },
        storedStages.dedup,
        book,
        AbortSignal.any([stop.signal, ended()]),
        (bodies) => {
          found.push(...bodies);
          stop.abort();
          return Promise.resolve();
        },
      );
      return found;
    };
    const first = hostsOf(await next());
    expect(first.size).toBe(batch);
    await addUrls(pool, late, [unread(newest, -1)]);
    const second = await next();
    expect(second.some(({ crawl_id: id }) => id === late)).toBe(true);
    // The call goes on behind the hosts of the one before.
    expect(
      [...hostsOf(second.filter(({ crawl_id: id }) => id === busy))].filter((id) => first.has(id)),
    ).toEqual([]);
    const read = new Set([...first, ...hostsOf(second)]);
    for (let calls = 0; calls < 4; calls++) for (const id of hostsOf(await next())) read.add(id);
    expect(read).toEqual(new Set(ids));
    for (const crawl of [busy, late]) await tables.url.remove(pool, { crawl_id: crawl });
  });
});

describe('a lane at whose hosts nothing waits', () => {
  it('ends after a while of few looks, however many hosts wait elsewhere', async () => {
    const crawl = await fetching.crawl();
    const ids = await addHosts(pool, 700, (n) => `https://elsewhere-${String(n)}.example`, { shard: 44 });
    await addUrls(
      pool,
      crawl,
      ids.map((id) => ({
        ...{ host_id: id, url: `https://u.example/${String(id)}`, state: 'done' as const, stage: 1 },
        ...{ content_hash: randomBytes(32), fetched_at: new Date() },
      })),
    );
    const asked = vi.spyOn(pool, 'query');
    const signal = ended();
    const nothing = () => Promise.reject(new Error('nothing waits in this lane'));
    const lane = { shard: 45, lane: 0, lanes: 1 };
    await workLane(fetching.dependencies(), lane, storedStages.dedup, new LaneBook(), signal, nothing);
    // Two seconds at 25 ms for each look.
    expect(asked.mock.calls.length).toBeLessThan(100);
    asked.mockRestore();
    await tables.url.remove(pool, { crawl_id: crawl });
  });
});

describe('a visit', () => {
  it('goes on with what was found in the pages that it brought, while it waits for further URLs', async () => {
    const site = await startSite({ '/': page('<a href="/next">next</a>'), '/next': page('the next') });
    const { host, crawl } = await fetching.queued(site.origin, ['/'], { scope: 'host' }, [`${site.origin}/`]);
    const running = fetching.role({ sliceMs: 60_000, lingerMs: 500 }).fetchSlice(host);
    await expect.poll(() => site.paths()).toContain('/');
    // Unread bodies hold the visit; nobody else can have the host meanwhile.
    const stageOf = async (path: string) => (await fetching.urls(crawl, site.origin))[path]?.stage;
    await expect.poll(() => stageOf('/')).toBe(1);
    await readBodies(fetching, host);
    await expect.poll(() => site.paths()).toContain('/next');
    await expect.poll(() => stageOf('/next')).toBe(1);
    await readBodies(fetching, host);
    expect(await running).toMatchObject({ fetched: 2, next: 'idle', queued: 0 });
    expect(site.paths()).toEqual(['/robots.txt', '/', '/next']);
    await expect(takenLease(pool, Number(host.hostId))).resolves.toBeGreaterThan(0);
  });
});
