/** Which visits are lost, and which hosts the scheduler gets back when their workflow was lost. */
import { describe, expect, it } from 'vitest';
import { lostVisits, refeedHosts } from '../../../storage/feeding/index.ts';
import { fromNow, hostRow, longAgo } from '../../support/database/index.ts';
import { moveCrawl } from './frontier.ts';
import {
  active,
  crawl,
  fed,
  fetch,
  ids,
  obstacles,
  ownShards,
  pool,
  set,
  shard,
  waitingHost,
  type Case,
} from './own-shard.ts';

ownShards();

const refed = async (): Promise<number[]> => ids(await refeedHosts(pool, shard));
const long = fromNow(-11);
const lately = fromNow(-5);

describe('visits that are lost', () => {
  const visited = async (): Promise<number> => {
    const host = await waitingHost();
    await set(host, { fed: true, fed_at: long, lease_token: 77, lease_until: fromNow(-2) });
    return host;
  };
  const lost = async () => (await lostVisits(pool, shard)).map(({ id, lease }) => ({ id, lease }));

  it('are those whose lease two looks find run out and not returned; each is named once in a while', async () => {
    const host = await visited();
    expect(await lost()).toEqual([]);
    expect((await hostRow(pool, String(host))).suspect_at).not.toBeNull();
    expect(await lost()).toEqual([]);
    await set(host, { suspect_at: fromNow(-4) });
    expect(await lost()).toEqual([{ id: host, lease: 77 }]);
    expect(await lost()).toEqual([]);
    await set(host, { suspect_at: fromNow(-4) });
    expect(await lost()).toEqual([{ id: host, lease: 77 }]);
  });

  it('are not those of a holder that renews its lease once Postgres is back, however long it was away', async () => {
    const host = await visited();
    await set(host, { lease_until: fromNow(-600) });
    expect(await lost()).toEqual([]);
    await set(host, { suspect_at: fromNow(-4), lease_until: fromNow(8) });
    expect(await lost()).toEqual([]);
    // Long after that look it counts for nothing.
    await set(host, { suspect_at: fromNow(-60), lease_until: fromNow(-1) });
    expect(await lost()).toEqual([]);
  });

  it.each<Case>([
    ['whose lease is held', (host) => set(host, { lease_until: fromNow(300) })],
    ['whose lease was returned', (host) => set(host, { lease_token: null })],
    ['that no workflow has', (host) => set(host, { fed: false })],
    ['that is parked', (host) => set(host, { parked_at: fromNow() })],
    ['of another shard', (host) => set(host, { shard: shard + 1_000 })],
  ])('are not those of a host %s', async (_what, put) => {
    const host = await visited();
    await set(host, { suspect_at: fromNow(-4) });
    await put(host);
    expect(await lost()).toEqual([]);
  });
});

describe('feeding once more what was lost', () => {
  /** A host that was given to a workflow that is not there: it was fed, and for long nobody held its lease. */
  const lostHost = async (urls = 1): Promise<number> => {
    const host = await waitingHost(urls);
    await set(host, { fed: true, fed_at: long, lease_until: long, not_before: long });
    return host;
  };

  it('finds a host that is marked and not worked, and leaves it alone then', async () => {
    const host = await lostHost();
    expect(await fed()).toEqual([]);
    expect(await refed()).toEqual([host]);
    expect(await refed()).toEqual([]);
    await set(host, { fed_at: long });
    expect(await refed()).toEqual([host]);
  });

  it('also one whose lease nobody ever took', async () => {
    const host = await lostHost();
    await set(host, { lease_until: null, not_before: longAgo });
    expect(await refed()).toEqual([host]);
  });

  it.each<Case>([
    ...obstacles,
    ['that is parked', (host) => set(host, { parked_at: fromNow() })],
    ['of another shard', (host) => set(host, { shard: shard + 1_000 })],
    ['that was fed a moment ago', (host) => set(host, { fed_at: lately })],
    ['that is visited', (host) => set(host, { lease_until: fromNow(300) })],
    ['that was visited a moment ago', (host) => set(host, { lease_until: lately })],
    ['that may be visited since a moment', (host) => set(host, { not_before: lately })],
    ['that may not be visited yet', (host) => set(host, { not_before: fromNow(60) })],
    // It is the next feeding's, under the cap.
    ['that is not marked', (host) => set(host, { fed: false })],
  ])('leaves out a host %s', async (_what, put) => {
    const host = await lostHost();
    await put(host);
    expect(await refed()).toEqual([]);
  });

  it('finds a host where URLs were left leased, marked or not, whatever its crawl is doing', async () => {
    const host = await lostHost();
    await fetch(host, 'leased');
    await set(host, { fed: false, lease_until: long });
    await moveCrawl(pool, crawl, 'paused');
    expect(await fed()).toEqual([]);
    expect(await refed()).toEqual([host]);
    expect(await active()).toBe(1);
  });

  it('takes twenty at a time, those first that were fed longest ago', async () => {
    const hosts: number[] = [];
    for (let at = 0; at < 22; at++) hosts.push(await lostHost());
    const [last, first] = [hosts[3] ?? 0, hosts[20] ?? 0];
    for (const host of hosts) await set(host, { fed_at: fromNow(-11 - host) });
    await set(last, { fed_at: long });
    await set(first, { fed_at: fromNow(-86_400) });
    const found = await refed();
    expect(found).toHaveLength(20);
    expect(found).toContain(first);
    expect(found).not.toContain(last);
    expect(await refed()).toHaveLength(2);
  });
});
