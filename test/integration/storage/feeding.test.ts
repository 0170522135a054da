/** Which hosts the scheduler is given, and when a host is given back. */
import { describe, expect, it } from 'vitest';
import { inTransaction } from '../../../storage/postgres/index.ts';
import { fromNow, longAgo, tables } from '../../support/database/index.ts';
import { admission, moveCrawl, runningCrawl } from './frontier.ts';
import {
  active,
  crawl,
  fed,
  fetch,
  frontier,
  ids,
  moveAway,
  nextNumber,
  obstacles,
  ownShards,
  pool,
  retired,
  set,
  shard,
  takeTurns,
  waitingHost,
  type Case,
} from './own-shard.ts';

ownShards();

describe('feeding', () => {
  it('marks hosts with due URLs, and gives each once', async () => {
    const [host, other] = [await waitingHost(), await waitingHost(3)];
    await waitingHost(0);
    expect(await active()).toBe(0);
    expect(await fed()).toEqual([host, other]);
    expect(await active()).toBe(2);
    expect(await fed()).toEqual([]);
  });

  it.each<Case>([
    ...obstacles,
    ['that is parked', (host) => set(host, { parked_at: fromNow() })],
    ['that may not be visited yet', (host) => set(host, { not_before: fromNow(60) })],
    ['of another shard', (host) => moveAway(host)],
    ['that is being worked', (host) => set(host, { fed: true })],
    ['that is not known to answer', (host) => set(host, { known_at: null })],
    ['that was not heard of for a day', (host) => set(host, { known_at: fromNow(-90_000) })],
  ])('leaves out a host %s', async (_what, put) => {
    const host = await waitingHost();
    await put(host);
    expect(await fed()).toEqual([]);
  });

  it('sees the due URL of one crawl behind those of others that wait', async () => {
    const host = await waitingHost(5);
    await moveCrawl(pool, crawl, 'paused');
    expect(await fed()).toEqual([]);
    const other = await runningCrawl(pool);
    await frontier.writer.write({ admissions: [admission(host, other, 'https://x.example/another-crawl')] });
    expect(await fed()).toEqual([host]);
  });

  it('keeps to the cap, over all that are worked in the shard, and fills up what is given back', async () => {
    const hosts = [await waitingHost(), await waitingHost(), await waitingHost()];
    const elsewhere = await waitingHost();
    await set(elsewhere, { shard: shard + 1_000, fed: true });
    expect(await fed(2)).toEqual(hosts.slice(0, 2));
    expect(await fed(2)).toEqual([]);
    expect(await fed(0)).toEqual([]);
    await set(hosts[0] ?? 0, { fed: false, parked_at: fromNow() });
    expect(await fed(2)).toEqual([hosts[2]]);
  });

  it.each([
    ['in backoff', { not_before: fromNow(120) }],
    ['outside its windows', { closed_until: fromNow(3_600) }],
  ])('a host that sleeps for long %s takes nobody’s place', async (_what, asleep) => {
    const [sleeper, waiting] = [await waitingHost(), await waitingHost()];
    await set(sleeper, { fed: true });
    expect(await fed(1)).toEqual([]);
    await set(sleeper, asleep);
    expect(await active()).toBe(0);
    expect(await fed(1)).toEqual([waiting]);
    expect(await fed(1)).toEqual([]);
    await set(sleeper, { not_before: fromNow(30), closed_until: longAgo });
    expect(await active()).toBe(2);
  });

  it('takes the host first that has waited longest since it was given back, or was met', async () => {
    const [given, later, met] = [await waitingHost(), await waitingHost(), await waitingHost()];
    for (const [host, seconds] of [
      [given, 60],
      [later, 1],
    ] as const) {
      await set(host, { fed: true });
      await set(host, { fed: false, not_before: fromNow(-seconds) });
    }
    await tables.queue.change(pool, { host_id: met }, { turn_at: fromNow(-30) });
    expect([await fed(1), await fed(2), await fed(3)]).toEqual([[given], [met], [later]]);
  });

  it('gives no host to two that feed at once, and neither waits for the other', async () => {
    const hosts: number[] = [];
    for (let at = 0; at < 6; at++) hosts.push(await waitingHost());
    const both = await inTransaction(pool, async (db) => [
      ids((await takeTurns(db, 4)).fed),
      // Of another session, that sees nothing of what the first is about to commit.
      await fed(),
    ]);
    expect(both).toEqual([hosts.slice(0, 4), hosts.slice(4)]);
  });
});

describe('giving back', () => {
  it('is refused while URLs are due', async () => {
    const host = await waitingHost();
    await fed();
    expect(await retired(host)).toBe(false);
    expect(await active()).toBe(1);
  });

  it('is refused while URLs are in hand, and not for bodies that wait to be read', async () => {
    const read = await waitingHost();
    await set(read, { fed: true, fed_at: fromNow() });
    await fetch(read, 'body');
    expect(await retired(read)).toBe(true);
    const host = await waitingHost();
    await fed();
    await fetch(host, 'leased');
    await moveCrawl(pool, crawl, 'draining');
    expect(await retired(host)).toBe(false);
    expect(await active()).toBe(1);
  });

  it.each(obstacles)('takes back a host %s', async (_what, put) => {
    const host = await waitingHost();
    await fed();
    await put(host);
    expect(await retired(host)).toBe(true);
    expect(await active()).toBe(0);
    expect(await retired(host)).toBe(true);
  });

  it('takes back a host with nothing left, which is fed again when there is something', async () => {
    const host = await waitingHost(0);
    await set(host, { fed: true, fed_at: fromNow() });
    expect(await retired(host)).toBe(true);
    expect(await fed()).toEqual([]);
    await frontier.writer.write({ admissions: [admission(host, crawl, 'https://x.example/later')] });
    expect(await fed()).toEqual([host]);
  });

  it('loses nothing that is admitted at the same moment', async () => {
    for (let round = 0; round < 25; round++) {
      const host = await waitingHost(0);
      await set(host, { fed: true });
      const url = `https://x.example/race/${nextNumber()}`;
      const [gone] = await Promise.all([
        retired(host),
        frontier.writer.write({ admissions: [admission(host, crawl, url)] }),
      ]);
      // Either the holder goes on, or the next feeding finds it.
      expect(await fed()).toEqual(gone ? [host] : []);
    }
  });
});
