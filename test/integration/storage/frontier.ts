/** A frontier of the test's own: a fresh database, crawls, hosts and URLs in it, and a recount of all its sums. */
import { expect } from 'vitest';
import { defaultCrawlConfig, type CrawlConfig, type CrawlState } from '../../../contracts/crawl.ts';
import type { UrlState } from '../../../domain/ledger.ts';
import { auditCrawl } from '../../../storage/reports/index.ts';
import { setCrawlState } from '../../../storage/crawls/index.ts';
import { createCrawl } from '../../../storage/starting/index.ts';
import {
  FrontierWriter,
  type AdmissionRow,
  type ResultRow,
  leaseUrls,
} from '../../../storage/frontier/index.ts';
import { urlKey } from '../../../contracts/url-key.ts';
import { type Pool, retrying } from '../../../storage/postgres/index.ts';
import { readSeeds } from '../../../storage/seeds/index.ts';
import { takeLease } from '../../../storage/leases/index.ts';
import { waitingCrawls } from '../../../storage/feeding/index.ts';
import { addHost, moveHostAway } from '../../support/database/index.ts';
import { given } from '../../support/given.ts';
import { createDatabase, poolOf } from '../../support/world.ts';

export interface Frontier {
  readonly pool: Pool;
  readonly writer: FrontierWriter;
  close(): Promise<void>;
}

export async function openFrontier(connections = 8): Promise<Frontier> {
  const world = await createDatabase();
  const pool = poolOf(world, connections);
  return {
    pool,
    writer: new FrontierWriter(pool),
    close: async () => {
      await pool.end();
      await world.close();
    },
  };
}

/** The same for the tests of a file. */
export const withFrontier = (connections?: number): Frontier =>
  given(
    () => openFrontier(connections),
    (frontier) => frontier.close(),
  );

/** A crawl that runs. */
export async function runningCrawl(
  pool: Pool,
  config: Partial<CrawlConfig> = {},
  seeds: readonly string[] = ['https://seed.example/'],
): Promise<number> {
  const id = Number(await createCrawl(pool, { ...defaultCrawlConfig, ...config }, readSeeds(seeds)));
  await moveCrawl(pool, id, 'running');
  return id;
}

export async function moveCrawl(pool: Pool, id: number, state: CrawlState): Promise<void> {
  await setCrawlState(pool, id, state, null, null);
}

export async function newHost(
  pool: Pool,
  origin = `https://host-${String(Math.random())}.example`,
): Promise<number> {
  // The system gives a port again that a server of an earlier test had: its host is out of the way then.
  await moveHostAway(pool, origin);
  return addHost(pool, origin);
}

/** A host with three queued URLs of a crawl that runs, all of them its own. */
export async function hostOfCrawl(
  { pool, writer }: Frontier,
  config: Partial<CrawlConfig> = {},
): Promise<{ readonly host: number; readonly crawl: number }> {
  const [host, crawl] = [await newHost(pool), await runningCrawl(pool, config)];
  const admissions = names(3, 'own').map((url) => admission(host, crawl, url));
  await writer.write({ admissions });
  return { host, crawl };
}

export const keyOf = (url: string): string => urlKey(url).toString('hex');

export const admission = (
  host: number,
  crawl: number,
  url: string,
  over: Partial<AdmissionRow> = {},
): AdmissionRow => ({
  host_id: host,
  crawl_id: crawl,
  config_version: 1,
  key: keyOf(url),
  url,
  kind: 0,
  seed: false,
  depth: 1,
  hops: 0,
  priority: 0.5,
  parent_host: null,
  parent_key: null,
  reason: null,
  detail: null,
  host_limit: 100_000,
  ...over,
});

/** Names `count` URLs that differ from all others. */
export const names = (count: number, stem: string): string[] =>
  Array.from({ length: count }, (_, at) => `https://x.example/${stem}/${String(at)}`);

const usualReasons = {
  queued: 'server-error',
  done: 'fetched',
  excluded: 'robots',
  dead: 'gone',
  failed: 'client-error',
} as const;

export const result = (
  place: Pick<ResultRow, 'host_id' | 'crawl_id' | 'key' | 'token'>,
  state: ResultRow['state'],
  over: Partial<ResultRow> = {},
): ResultRow => ({
  host_id: place.host_id,
  crawl_id: place.crawl_id,
  key: place.key,
  token: place.token,
  state,
  config_version: null,
  reason: usualReasons[state],
  detail: null,
  stage: 0,
  due_in_ms: 0,
  own: false,
  behind: 0,
  attempted: false,
  answered: true,
  status: state === 'done' ? 200 : 404,
  bytes: 100,
  content_hash: null,
  content_type: null,
  robots_tag: null,
  link_fields: null,
  etag: null,
  last_modified: null,
  redirect_to: null,
  next_url: null,
  truncated: null,
  took_ms: null,
  headers: null,
  ...over,
});

/** Takes the host's lease for ten minutes; throws where somebody has it. */
export async function takenLease(pool: Pool, host: number): Promise<number> {
  const [lease] = await takeLease(pool, String(host), 600_000);
  if (lease === undefined) throw new Error('the lease is taken');
  return lease.token;
}

/** Leases URLs of a host under a token, of any crawl that runs; answers them as places for results, in their order. */
export async function leased(
  pool: Pool,
  host: number,
  token: number,
  limit: number,
): Promise<{ host_id: number; crawl_id: number; key: string; token: number }[]> {
  const rooms = (await waitingCrawls(pool, host)).map(({ crawl_id }) => ({ crawl_id, pages: null }));
  const urls = await retrying(() => leaseUrls(pool, String(host), token, limit, JSON.stringify(rooms)));
  return urls
    .sort((a, b) => a.turn - b.turn)
    .map(({ crawl_id, key }) => ({ host_id: host, crawl_id, key, token }));
}

/** Recounts every sum that is kept, host by host: ledger, host_queue and the rules between tables (G1). */
export async function expectExact(pool: Pool, crawl: number): Promise<Readonly<Record<UrlState, number>>> {
  const audit = await auditCrawl(pool, String(crawl));
  expect(audit?.differences).toEqual([]);
  expect(audit?.balanced).toBe(true);
  if (audit === null) throw new Error('there is no such crawl');
  return audit.ledger;
}
