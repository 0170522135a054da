/** Which hosts the scheduler is given, gets back when their workflow was lost, and when a host is given back. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newFront } from '../../../domain/front-queue/front-state.ts';
import type { CrawlConfig, CrawlState } from '../../../contracts/crawl.ts';
import { inTransaction, type Pool, type Queryable } from '../../../storage/postgres/index.ts';
import {
  lostVisits,
  refeedHosts,
  retireHost,
  shardActivity,
  takeTurns as turns,
} from '../../../storage/feeding/index.ts';
import {
  addHosts,
  addTenant,
  addUrls,
  changeCrawl,
  changeHost,
  fromNow,
  hostRow,
  longAgo,
  noOptOuts,
  optedOut,
  tables,
  tidyTables,
  type HostColumns,
} from '../../support/database/index.ts';
import {
  admission,
  expectExact,
  leased,
  moveCrawl,
  newHost,
  openFrontier,
  result,
  runningCrawl,
  takenLease,
  type Frontier,
} from './frontier.ts';

let frontier: Frontier;
let pool: Pool;
let crawl: number;
/** Each test has a shard of its own, and so no hosts but its own. */
let shard = 0;

beforeAll(async () => {
  frontier = await openFrontier();
  ({ pool } = frontier);
});
afterAll(() => frontier.close());
beforeEach(async () => {
  shard++;
  crawl = await runningCrawl(pool);
});

let made = 0;
/** A host of the shard with `urls` queued URLs of the crawl. */
async function waitingHost(urls = 1): Promise<number> {
  const host = await newHost(pool);
  await changeHost(pool, host, { shard, known_at: fromNow() });
  const admissions = Array.from({ length: urls }, () =>
    admission(host, crawl, `https://x.example/feeding/${String(made++)}`),
  );
  if (urls > 0) await frontier.writer.write({ admissions });
  return host;
}
const set = (host: number, columns: HostColumns) => changeHost(pool, host, columns);
const moveAway = async (host: number): Promise<void> => {
  await set(host, { shard: shard + 1_000 });
  await tables.queue.change(pool, { host_id: host }, { shard: shard + 1_000 });
};
const ids = (rows: readonly { readonly id: number }[]): number[] =>
  rows.map(({ id }) => id).sort((a, b) => a - b);
/** A look of a scheduler, whose turns go on from its last look. */
let front = newFront(1);
async function takeTurns(db: Queryable, cap: number): ReturnType<typeof turns> {
  const taken = await turns(db, shard, cap, front);
  ({ front } = taken);
  return taken;
}
const fed = async (cap = 100): Promise<number[]> => ids((await takeTurns(pool, cap)).fed);
const refed = async (): Promise<number[]> => ids(await refeedHosts(pool, shard));
const retired = async (host: number): Promise<boolean> => (await retireHost(pool, String(host))).length > 0;
const active = async (): Promise<number | undefined> => (await shardActivity(pool, shard))[0]?.active;

/** Fetches the first URL of a host: leased (as a crash leaves it), or done with its body owed its reading. */
async function fetch(host: number, upTo: 'leased' | 'body'): Promise<void> {
  const token = await takenLease(pool, host);
  const [place] = await leased(pool, host, token, 1);
  if (place === undefined) throw new Error('nothing was leased');
  if (upTo === 'body') {
    await frontier.writer.write({
      results: [result(place, 'done', { stage: 1, content_hash: 'ab'.repeat(32) })],
    });
  }
  await set(host, { lease_token: null, lease_until: null });
}

type Case = readonly [what: string, put: (host: number) => Promise<unknown>];
const states: readonly CrawlState[] = ['seeding', 'paused', 'draining', 'finished', 'cancelled', 'failed'];
/** What keeps the work of a host from being work for now. */
const obstacles: readonly Case[] = [
  ['whose URLs are due later', () => tables.url.change(pool, { crawl_id: crawl }, { due_at: fromNow(60) })],
  ...states.map((state): Case => [`of a crawl that is ${state}`, () => moveCrawl(pool, crawl, state)]),
];

/** A node of a plan, with what it did. */
interface Looked {
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly Plans?: readonly Looked[];
}
/** Rows that came out of the busiest part of a plan. */
const mostRows = ({ Plans = [], ...node }: Looked): number =>
  Math.max((node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 0), ...Plans.map(mostRows));

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
    crawl = await runningCrawl(pool);
    await frontier.writer.write({ admissions: [admission(host, crawl, 'https://x.example/another-crawl')] });
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
    ['whose lease is held', (host) => set(host, { lease_until: fromNow(3) })],
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
    ['that is visited', (host) => set(host, { lease_until: fromNow(5) })],
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
      const url = `https://x.example/race/${String(made++)}`;
      const [gone] = await Promise.all([
        retired(host),
        frontier.writer.write({ admissions: [admission(host, crawl, url)] }),
      ]);
      // Either the holder goes on, or the next feeding finds it.
      expect(await fed()).toEqual(gone ? [host] : []);
    }
  });
});

/** Hosts that are asked to give their places back. */
const askedBack = async (cap: number): Promise<number[]> => ids((await takeTurns(pool, cap)).asked);

describe('fair turns', () => {
  /** Hosts of the shard that answered just now. */
  const knownHosts = (count: number, origin: (n: number) => string): Promise<number[]> =>
    count === 0 ? Promise.resolve([]) : addHosts(pool, count, origin, { shard, known_at: new Date() });
  /** A crawl with so many hosts of its own, known to answer or not. */
  const crawlWith = async (hosts: number, config: Partial<CrawlConfig> = {}, tenant = 1): Promise<number> => {
    crawl = await runningCrawl(pool, config);
    await changeCrawl(pool, crawl, { tenant_id: tenant });
    const made = await knownHosts(hosts, (n) => `https://fair-${String(crawl)}-${String(n)}.example`);
    await frontier.writer.write({
      admissions: made.map((id) => admission(id, crawl, `https://x.example/fair/${String(id)}`)),
    });
    return crawl;
  };
  const tenant = (): Promise<number> => addTenant(pool, `tenant of shard ${String(shard)}.${String(made++)}`);
  /** Whose the hosts are that are worked. */
  const places = async (): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {};
    for (const { fed_for: crawlId } of await tables.host.rows(pool, { shard, fed: true }))
      counts[String(crawlId)] = (counts[String(crawlId)] ?? 0) + 1;
    return counts;
  };
  /** So many of those that were fed longest ago. */
  const giveBack = async (count: number): Promise<void> => {
    const worked = await tables.host.rows(pool, { shard, fed: true });
    const oldest = worked.sort((a, b) => a.fed_at_ms - b.fed_at_ms || a.id - b.id).slice(0, count);
    for (const { id } of oldest) await set(id, { fed: false, not_before: fromNow(3_600) });
  };

  it('give a crawl all places that nobody else wants, and each that comes free to the one that comes late', async () => {
    const first = await crawlWith(60);
    await fed(20);
    expect(await places()).toEqual({ [first]: 20 });
    const late = await crawlWith(30);
    expect(await fed(20)).toEqual([]);
    await giveBack(3);
    await fed(20);
    expect(await places()).toEqual({ [first]: 17, [late]: 3 });
    await giveBack(8);
    await fed(20);
    expect(await places()).toEqual({ [first]: 10, [late]: 10 });
    await giveBack(10);
    await fed(20);
    expect(await places()).toEqual({ [first]: 10, [late]: 10 });
  });

  it('are of tenants first, then of their crawls by weight', async () => {
    const [one, other] = [await tenant(), await tenant()];
    const [a, b] = [await crawlWith(40, { weight: 3 }, one), await crawlWith(40, {}, one)];
    const c = await crawlWith(40, {}, other);
    await fed(24);
    expect(await places()).toEqual({ [a]: 9, [b]: 3, [c]: 12 });
  });

  it('count a host that several crawls want once, and give it once', async () => {
    await crawlWith(4);
    const b = await crawlWith(0);
    const rows = await tables.host.rows(pool, { shard });
    await frontier.writer.write({
      admissions: rows.map(({ id }) => admission(id, b, `https://x.example/shared/${String(id)}`)),
    });
    expect(await fed(10)).toHaveLength(4);
    expect(Object.values(await places())).toEqual([2, 2]);
    expect(await fed(10)).toEqual([]);
  });

  /** As if a slice of each host that is worked were under way; what was fed first was so long ago. */
  const atWork = async (): Promise<void> => {
    for (const { id } of await tables.host.rows(pool, { shard, fed: true }))
      await set(id, { lease_until: fromNow(8), fed_at: fromNow(id - 20_000) });
  };

  it('take places back for the one that comes late: of those worked longest, once, though they have URLs that are due', async () => {
    const first = await crawlWith(60);
    const held = await fed(20);
    await atWork();
    expect(await askedBack(20)).toEqual([]);
    const late = await crawlWith(30);
    const asked = await askedBack(20);
    expect(asked).toEqual(held.slice(0, 10));
    expect(await askedBack(20)).toEqual([]);
    expect(await retired(held[10] ?? 0)).toBe(false);
    for (const host of asked) expect(await retired(host)).toBe(true);
    await fed(20);
    expect(await places()).toEqual({ [first]: 10, [late]: 10 });
    await atWork();
    expect(await askedBack(20)).toEqual([]);
    // Each has its turn again, and need not yield for what was asked before.
    await moveCrawl(pool, late, 'paused');
    await tables.host.change(pool, { shard, fed_for: late }, { fed: false });
    await tables.queue.change(pool, { host_id: asked }, { turn_at: fromNow(-3_600) });
    await fed(20);
    expect(await places()).toEqual({ [first]: 20 });
    for (const host of asked) expect(await retired(host)).toBe(false);
  });

  it('take back no more than makes the places of tenants even, and in each those of its crawls by weight', async () => {
    const [one, other, third] = [await tenant(), await tenant(), await tenant()];
    const a = await crawlWith(40, {}, one);
    const c = await crawlWith(40, {}, other);
    await fed(24);
    expect(await places()).toEqual({ [a]: 12, [c]: 12 });
    const b = await crawlWith(40, { weight: 3 }, one);
    const d = await crawlWith(2, {}, third);
    for (let turn = 0; turn < 3; turn++) {
      await atWork();
      for (const host of await askedBack(24)) expect(await retired(host)).toBe(true);
      await fed(24);
    }
    const shares = await places();
    expect(shares).toMatchObject({ [d]: 2 });
    expect([(shares[a] ?? 0) + (shares[b] ?? 0), shares[c]]).toEqual([11, 11]);
    expect([shares[a], shares[b]]).toEqual([3, 8]);
    await atWork();
    expect(await askedBack(24)).toEqual([]);
  });

  it('leave places with hosts in trouble, and wake those that sleep until they may be visited', async () => {
    await crawlWith(4);
    const [troubled = 0, asleep = 0, lately = 0, queued = 0] = await fed(4);
    await atWork();
    await set(troubled, { failures: 1 });
    await set(asleep, { lease_until: null, not_before: fromNow(20) });
    await set(queued, { lease_until: null, fed_at: fromNow(-86_400) });
    await crawlWith(9);
    expect((await takeTurns(pool, 4)).asked).toEqual([
      expect.objectContaining({ id: asleep, asleep: true }),
      expect.objectContaining({ id: lately, asleep: false }),
    ]);
  });

  it('look at a few hosts alone, however many wait, sleep or are parked', async () => {
    const all = await crawlWith(0);
    // In parts, each of which a busy machine takes in before the pool gives it up.
    for (let part = 0; part < 15; part++) {
      const hosts = await knownHosts(2_000, (n) => `https://many-${String(part * 2_000 + n)}.example`);
      const [later, parked] = [0, 1].map((rest) => hosts.filter((_, at) => at % (2 + rest) === 0));
      await tables.host.change(pool, { id: later }, { not_before: fromNow(3_600) });
      await tables.host.change(pool, { id: parked }, { parked_at: fromNow() });
      await addUrls(
        pool,
        all,
        hosts.map((id) => ({ host_id: id, url: `https://x.example/${String(id)}`, priority: 0.5 })),
      );
    }
    // What earlier tests left dead is gone too, whether or not the autovacuum has come by.
    await tidyTables(pool, 'host', 'host_queue', 'url');
    const late = await crawlWith(1);
    const db = await pool.connect();
    try {
      expect((await takeTurns(db, 10)).fed).toHaveLength(10);
      expect(await places()).toEqual({ [all]: 9, [late]: 1 });
      await crawlWith(3);
      await atWork();
      expect((await takeTurns(db, 10)).asked).toHaveLength(3);
      for (const cap of [20, 10]) {
        const { rows } = await db.query<{ 'QUERY PLAN': [{ Plan: Looked }] }>(
          `explain (analyze, buffers, format json) execute "hosts-for-places" (${String(shard)}, ${String(cap)})`,
        );
        const plan = rows[0]?.['QUERY PLAN'][0].Plan ?? {};
        // Some plans read all hosts from few pages.
        expect(mostRows(plan)).toBeLessThan(1_000);
        // Pages of tables and indexes: a scan of the hosts alone would be thousands.
        expect((plan['Shared Hit Blocks'] ?? NaN) + (plan['Shared Read Blocks'] ?? NaN)).toBeLessThan(5_000);
      }
    } finally {
      db.release();
    }
  });

  it('leave no domain that has opted out with anything queued, in a look or two', async () => {
    await crawlWith(0);
    const hosts = await knownHosts(300, (n) => `https://h${String(n)}.opted.example`);
    const admissions = hosts.map((id) => admission(id, crawl, `https://x.example/${String(id)}`));
    await frontier.writer.write({ admissions });
    await optedOut(pool, 'opted.example');
    try {
      for (let look = 0; look < 3; look++) expect(await fed(200)).toEqual([]);
      const left = await tables.url.rows(pool, { crawl_id: crawl });
      expect(left).toHaveLength(300);
      const { detail } = left[0] ?? {};
      expect(detail).toBe('opted.example has opted out');
      expect(
        await tables.url.count(pool, { crawl_id: crawl, state: 'excluded', reason: 'opt-out', detail }),
      ).toBe(300);
      await expectExact(pool, crawl);
    } finally {
      await noOptOuts(pool);
    }
  });
});
