/** Which hosts the scheduler is given, gets back when their workflow was lost, and when a host is given back. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CrawlState } from '../../../contracts/crawl.ts';
import { inTransaction, type Pool } from '../../../storage/pool.ts';
import { feedHosts } from '../../../storage/statements/feed-hosts.ts';
import { refeedHosts } from '../../../storage/statements/refeed-hosts.ts';
import { retireHost } from '../../../storage/statements/retire-host.ts';
import { shardActivity } from '../../../storage/statements/shard-activity.ts';
import {
  admission,
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
  await pool.query('update host set shard = $2 where id = $1', [host, shard]);
  const admissions = Array.from({ length: urls }, () =>
    admission(host, crawl, `https://x.example/feeding/${String(made++)}`),
  );
  if (urls > 0) await frontier.writer.write({ admissions });
  return host;
}
const set = (host: number, what: string) => pool.query(`update host set ${what} where id = $1`, [host]);
const ids = (rows: readonly { readonly id: number }[]): number[] =>
  rows.map(({ id }) => id).sort((a, b) => a - b);
const fed = async (cap = 100): Promise<number[]> => ids(await feedHosts(pool, shard, cap));
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
  await set(host, 'lease_token = null, lease_until = null');
}

type Case = readonly [what: string, put: (host: number) => Promise<unknown>];
const states: readonly CrawlState[] = ['seeding', 'paused', 'draining', 'finished', 'cancelled', 'failed'];
const dueLater = `update url set due_at = now() + interval '1 minute' where crawl_id = $1`;
/** What keeps the work of a host from being work for now. */
const obstacles: readonly Case[] = [
  ['whose URLs are due later', () => pool.query(dueLater, [crawl])],
  ...states.map((state): Case => [`of a crawl that is ${state}`, () => moveCrawl(pool, crawl, state)]),
];

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
    ['that is parked', (host) => set(host, 'parked_at = now()')],
    ['that may not be visited yet', (host) => set(host, `not_before = now() + interval '1 minute'`)],
    ['of another shard', (host) => set(host, `shard = shard + 1000`)],
    ['that is being worked', (host) => set(host, 'fed = true')],
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
    await set(elsewhere, 'shard = shard + 1000, fed = true');
    expect(await fed(2)).toEqual(hosts.slice(0, 2));
    expect(await fed(2)).toEqual([]);
    expect(await fed(0)).toEqual([]);
    await set(hosts[0] ?? 0, 'fed = false, parked_at = now()');
    expect(await fed(2)).toEqual([hosts[2]]);
  });

  it.each([
    ['in backoff', `not_before = now() + interval '2 minutes'`],
    ['outside its windows', `closed_until = now() + interval '1 hour'`],
  ])('a host that sleeps for long %s takes nobody’s place', async (_what, asleep) => {
    const [sleeper, waiting] = [await waitingHost(), await waitingHost()];
    await set(sleeper, 'fed = true');
    expect(await fed(1)).toEqual([]);
    await set(sleeper, asleep);
    expect(await active()).toBe(0);
    expect(await fed(1)).toEqual([waiting]);
    expect(await fed(1)).toEqual([]);
    await set(sleeper, `not_before = now() + interval '30 seconds', closed_until = '-infinity'`);
    expect(await active()).toBe(2);
  });

  it('takes the host first that was fed longest ago, and before it those that never were', async () => {
    const [recent, old, never] = [await waitingHost(), await waitingHost(), await waitingHost()];
    await set(recent, `fed_at = now() - interval '1 minute'`);
    await set(old, `fed_at = now() - interval '1 hour'`);
    expect([await fed(1), await fed(2), await fed(3)]).toEqual([[never], [old], [recent]]);
  });

  it('gives no host to two that feed at once, and neither waits for the other', async () => {
    const hosts: number[] = [];
    for (let at = 0; at < 6; at++) hosts.push(await waitingHost());
    const both = await inTransaction(pool, async (db) => [
      ids(await feedHosts(db, shard, 4)),
      // Of another session, that sees nothing of what the first is about to commit.
      await fed(),
    ]);
    expect(both).toEqual([hosts.slice(0, 4), hosts.slice(4)]);
  });
});

const long = `now() - interval '11 seconds'`;
const lately = `now() - interval '5 seconds'`;

describe('feeding once more what was lost', () => {
  /** A host that was given to a workflow that is not there: it was fed, and for long nobody held its lease. */
  const lostHost = async (urls = 1): Promise<number> => {
    const host = await waitingHost(urls);
    await set(host, `fed = true, fed_at = ${long}, lease_until = ${long}, not_before = ${long}`);
    return host;
  };

  it('finds a host that is marked and not worked, and leaves it alone then', async () => {
    const host = await lostHost();
    expect(await fed()).toEqual([]);
    expect(await refed()).toEqual([host]);
    expect(await refed()).toEqual([]);
    await set(host, `fed_at = ${long}`);
    expect(await refed()).toEqual([host]);
  });

  it('also one whose lease nobody ever took', async () => {
    const host = await lostHost();
    await set(host, `lease_until = null, not_before = '-infinity'`);
    expect(await refed()).toEqual([host]);
  });

  it.each<Case>([
    ...obstacles,
    ['that is parked', (host) => set(host, 'parked_at = now()')],
    ['of another shard', (host) => set(host, `shard = shard + 1000`)],
    ['that was fed a moment ago', (host) => set(host, `fed_at = ${lately}`)],
    ['that is visited', (host) => set(host, `lease_until = now() + interval '5 seconds'`)],
    ['that was visited a moment ago', (host) => set(host, `lease_until = ${lately}`)],
    ['that may be visited since a moment', (host) => set(host, `not_before = ${lately}`)],
    ['that may not be visited yet', (host) => set(host, `not_before = now() + interval '1 minute'`)],
    // It is the next feeding's, under the cap.
    ['that is not marked', (host) => set(host, 'fed = false')],
  ])('leaves out a host %s', async (_what, put) => {
    const host = await lostHost();
    await put(host);
    expect(await refed()).toEqual([]);
  });

  it.each([
    ['a body waits to be read', 'body'],
    ['URLs were left leased', 'leased'],
  ] as const)('finds a host where %s, marked or not, whatever its crawl is doing', async (_what, upTo) => {
    const host = await lostHost();
    await fetch(host, upTo);
    await set(host, `fed = false, lease_until = ${long}`);
    await moveCrawl(pool, crawl, 'paused');
    expect(await fed()).toEqual([]);
    expect(await refed()).toEqual([host]);
    expect(await active()).toBe(1);
  });

  it('takes twenty at a time, those first that were fed longest ago', async () => {
    const hosts: number[] = [];
    for (let at = 0; at < 22; at++) hosts.push(await lostHost());
    const [last, first] = [hosts[3] ?? 0, hosts[20] ?? 0];
    await pool.query(`update host set fed_at = ${long} - id * interval '1 second' where shard = $1`, [shard]);
    await set(last, `fed_at = ${long}`);
    await set(first, `fed_at = now() - interval '1 day'`);
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

  it.each(['body', 'leased'] as const)('is refused while work in hand is owed: %s', async (upTo) => {
    const host = await waitingHost();
    await fed();
    await fetch(host, upTo);
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
    await set(host, 'fed = true, fed_at = now()');
    expect(await retired(host)).toBe(true);
    expect(await fed()).toEqual([]);
    await frontier.writer.write({ admissions: [admission(host, crawl, 'https://x.example/later')] });
    expect(await fed()).toEqual([host]);
  });

  it('loses nothing that is admitted at the same moment', async () => {
    for (let round = 0; round < 25; round++) {
      const host = await waitingHost(0);
      await set(host, 'fed = true');
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
