/**
 * A shard for each test of a file, with a running crawl and no hosts but the test's own: for tests of what schedulers are
 * given.
 */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { CrawlState } from '../../../contracts/crawl.ts';
import { newFront, type FrontState } from '../../../domain/front-queue/front-state.ts';
import type { Pool, Queryable } from '../../../storage/postgres/index.ts';
import { retireHost, shardActivity, takeTurns as turns } from '../../../storage/feeding/index.ts';
import { changeHost, fromNow, tables, type HostColumns } from '../../support/database/index.ts';
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

/** As they are in the test that runs. */
export let frontier: Frontier;
export let pool: Pool;
export let crawl: number;
export let shard = 0;

/** Another shard and crawl, within a test. */
export async function nextShard(): Promise<void> {
  shard++;
  crawl = await runningCrawl(pool);
}

/** A file calls this once. */
export function ownShards(): void {
  beforeAll(async () => {
    frontier = await openFrontier();
    ({ pool } = frontier);
    front = newFront(1);
  });
  afterAll(() => frontier.close());
  beforeEach(nextShard);
}

let made = 0;
/** A number that no test had before. */
export const nextNumber = (): string => String(made++);

/** A host of the shard that is known to answer. */
export async function knownHost(): Promise<number> {
  const host = await newHost(pool);
  await set(host, { shard, known_at: fromNow() });
  return host;
}

/** The same with `urls` queued URLs of the crawl. */
export async function waitingHost(urls = 1): Promise<number> {
  const host = await knownHost();
  const admissions = Array.from({ length: urls }, () =>
    admission(host, crawl, `https://x.example/feeding/${nextNumber()}`),
  );
  if (urls > 0) await frontier.writer.write({ admissions });
  return host;
}

export const set = (host: number, columns: HostColumns): Promise<unknown> => changeHost(pool, host, columns);

export async function moveAway(host: number): Promise<void> {
  await set(host, { shard: shard + 1_000 });
  await tables.queue.change(pool, { host_id: host }, { shard: shard + 1_000 });
}

export const ids = (rows: readonly { readonly id: number }[]): number[] =>
  rows.map(({ id }) => id).sort((a, b) => a - b);

let front: FrontState;
/** A look of a scheduler, whose turns go on from its last look. */
export async function takeTurns(db: Queryable, cap: number): ReturnType<typeof turns> {
  const taken = await turns(db, shard, cap, front);
  ({ front } = taken);
  return taken;
}

/** Hosts that a look gives. */
export const fed = async (cap = 100): Promise<number[]> => ids((await takeTurns(pool, cap)).fed);

export type Case = readonly [what: string, put: (host: number) => Promise<unknown>];

/** Fetches the first URL of a host: leased (as a crash leaves it), or done with its body owed its reading. */
export async function fetch(host: number, upTo: 'leased' | 'body'): Promise<void> {
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

/** Could the host be given back? */
export const retired = async (host: number): Promise<boolean> =>
  (await retireHost(pool, String(host))).length > 0;
/** Hosts that are worked in the shard. */
export const active = async (): Promise<number | undefined> => (await shardActivity(pool, shard))[0]?.active;

const states: readonly CrawlState[] = ['seeding', 'paused', 'draining', 'finished', 'cancelled', 'failed'];
/** What keeps the work of a host from being work for now. */
export const obstacles: readonly Case[] = [
  ['whose URLs are due later', () => tables.url.change(pool, { crawl_id: crawl }, { due_at: fromNow(60) })],
  ...states.map((state): Case => [`of a crawl that is ${state}`, () => moveCrawl(pool, crawl, state)]),
];
