/** The frontier for other fetchers, as a fetcher asks it: what it gets, reports and offers. */
import type { CrawlConfig } from '../../../contracts/crawl.ts';
import type { Pool } from '../../../storage/postgres/index.ts';
import {
  addHost,
  addUrl,
  changeHost,
  type hostRow,
  hostRested,
  leaseEnded,
  robotsRead,
  tables,
} from '../../support/database/index.ts';
import { ask, type Answer } from './asking.ts';
import { newRunningCrawl, type Api, withApi } from './world.ts';

export interface Batch {
  readonly lease_id: string | null;
  readonly urls: readonly { readonly url: string; readonly host: string; readonly origin: string; readonly crawl_id: string; readonly user_agent: string; readonly depth: number }[]; // prettier-ignore
  readonly expires_at: string | null;
  readonly expires_in_seconds: number | null;
}
export interface Acked {
  readonly results: readonly { readonly url: string; readonly result: string }[];
}
export type Result = Readonly<Record<string, unknown>>;

export let pool: Pool;
export let api: Api;
export const woken: string[] = [];

/** An API for all tests of a file; a file calls this once. */
export function frontierApi(): void {
  ({ pool, api } = withApi({
    wakeHost: (origin) => {
      woken.push(origin);
      return Promise.resolve();
    },
  }));
}

/** Milliseconds from the last request to a host to the next one that its pace allows. */
export const restMs = ({ not_before: next, asked_at: asked }: Awaited<ReturnType<typeof hostRow>>): number =>
  Number(next) - Number(asked ?? NaN);

export const wanted = { fetcher_id: 'test', batch_size: 10, lease_seconds: 30 };
export const leaseOf = (over: Result = {}, key = api.key): Promise<Answer<Batch>> =>
  ask<Batch>(api.url, key, 'POST', '/frontier/0/lease_batch', { ...wanted, ...over });
export const ack = (
  leaseId: string | null,
  results: readonly Result[],
  key = api.key,
): Promise<Answer<Acked>> =>
  ask<Acked>(api.url, key, 'POST', '/frontier/0/ack', { lease_id: leaseId, results });
export const offer = (candidates: readonly Result[], over: Result = {}, key = api.key) =>
  ask<{ new_urls: string[]; rejected: { index: number; why: string }[] }>(api.url, key, 'POST', '/dedup/check_and_add', { candidates, ...over }); // prettier-ignore

let hosts = 0;
/** A running crawl with pages queued at a host of its own whose robots.txt is known. */
export async function queued(
  { config = {}, paths = ['/a', '/b', '/c'], robots = null }: { config?: Partial<CrawlConfig>; paths?: readonly string[]; robots?: string | null } = {}, // prettier-ignore
) {
  const origin = `https://h${String(++hosts)}.example`;
  const crawlId = await newRunningCrawl(pool, { scope: 'any', delaySeconds: 0, ...config }, [`${origin}/`]);
  const hostId = await addHost(pool, origin);
  await robotsRead(pool, hostId, { status: 200, body: robots });
  for (const [at, path] of paths.entries()) await addUrl(pool, crawlId, origin + path, { priority: 1 / (1 + at) }); // prettier-ignore
  return { origin, crawlId, hostId };
}
export const urlRow = async (crawlId: string, url: string) =>
  (await tables.url.rows(pool, { crawl_id: crawlId, url }))[0];
/** Milliseconds from a crawl's last request at its one host to its next turn there. */
export const turnMs = async (crawlId: string): Promise<number> => {
  const { own_turn_at: turn, asked_at: asked } = await tables.queue.row(pool, { crawl_id: crawlId });
  return Number(turn) - Number(asked ?? NaN);
};
/** As if the loan had run out just now. */
export const expire = (hostId: number) => leaseEnded(pool, hostId);
/** The workers have had their turn, and no pace is owed. */
export const rested = async (hostId: number): Promise<void> => {
  await hostRested(pool, hostId);
  await changeHost(pool, hostId, { lent: false });
};
