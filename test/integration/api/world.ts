/** A database of the test's own with a few ways to fill it, and the API over it on a free port. */
import type { AddressInfo } from 'node:net';
import { hash } from 'node:crypto';
import pino from 'pino';
import { createTextReader } from '../../../engine/page-text.ts';
import { buildApp } from '../../../api/app.ts';
import type { CrawlControl } from '../../../api/crawls/crawl-control.ts';
import type { Dependencies } from '../../../api/dependencies.ts';
import { createHttpServer } from '../../../api/way-in/http-server.ts';
import { defaultCrawlConfig, type CrawlConfig, type CrawlState } from '../../../contracts/crawl.ts';
import type { CrawlCause } from '../../../domain/crawl-life.ts';
import { canonicalize } from '../../../domain/url.ts';
import { adoptAdminKey, makeSecret } from '../../../storage/tenancy/index.ts';
import { createCrawl } from '../../../storage/starting/index.ts';
import { urlKey } from '../../../contracts/url-key.ts';
import { createPool, type Pool } from '../../../storage/postgres/index.ts';
import { packOutlinks } from '../../../storage/pages/index.ts';
import { redriveBatch } from '../../../storage/letters/index.ts';
import { readSeeds } from '../../../storage/seeds/index.ts';
import { createWorld, type World } from '../../support/world.ts';

export interface Services {
  readonly world: World;
  readonly pool: Pool;
  stop(): Promise<void>;
}

export async function startServices(): Promise<Services> {
  const world = await createWorld();
  const pool = createPool(world.databaseUrl, 8, () => undefined);
  return {
    world,
    pool,
    stop: async () => {
      await pool.end();
      await world.close();
    },
  };
}

/** Takes every order, carries out none but to note the state in Postgres, as the workflow would. */
export function noteTaker(pool: Pool): CrawlControl & { readonly started: string[] } {
  const started: string[] = [];
  const states = { pause: 'paused', resume: 'running', cancel: 'cancelled' } as const;
  return {
    started,
    start: (id) => {
      started.push(id);
      return Promise.resolve();
    },
    reopen: (id) => {
      started.push(id);
      return Promise.resolve();
    },
    change: async (id, change, reason, cause) => {
      await setState(pool, id, states[change], reason, cause);
      return { state: states[change], reason };
    },
    redrive: async ({ crawlId, class: letterClass }) => {
      const filter = { crawlId, hostId: null, class: letterClass, key: null };
      return { done: true, view: { ...(await redriveBatch(pool, filter, null)), unparked: false } };
    },
    applyEdit: () => Promise.resolve(),
    ping: () => Promise.resolve(),
  };
}

/** The bodies of the pages, by their hash. */
const bodies = new Map<string, Buffer>();
export const textOf = createTextReader({
  get: (hash) => Promise.resolve(bodies.get(Buffer.from(hash).toString('hex')) ?? null),
});

export interface Api {
  readonly url: string;
  /** Of an admin of the instance. Sent with every request that brings none, unless the API was served anonymously. */
  readonly key: string;
  stop(): Promise<void>;
}

type Extras = Partial<
  Pick<Dependencies, 'verifyToken' | 'sharedCounts' | 'log' | 'actOnHost' | 'freeBytes'>
> & {
  readonly anonymous?: boolean;
  readonly hostNames?: readonly string[];
  readonly trustedProxies?: readonly string[];
};

export async function serve(
  pool: Pool,
  control: CrawlControl,
  requestsPer10s = 10_000,
  wakeHost: (origin: string) => Promise<void> = () => Promise.resolve(),
  {
    anonymous = false,
    verifyToken = null,
    sharedCounts = null,
    log = pino({ level: 'silent' }),
    freeBytes = () => Promise.resolve(Infinity),
    hostNames = [],
    trustedProxies = [],
    actOnHost = () => Promise.resolve({ dropped: 0, more: false }),
  }: Extras = {},
): Promise<Api> {
  const settings = {
    version: '0.0.0',
    userAgent: 'Orbweaver/0 (test)',
    contact: null,
    hostNames,
    trustedProxies,
    shards: 1,
    requestsPer10s,
  };
  const key = makeSecret();
  // A test may serve over a database that is away.
  await adoptAdminKey(pool, key, 'test').catch(() => undefined);
  const stopping = new AbortController();
  const app = buildApp({
    pool,
    control,
    textOf,
    freeBytes,
    wakeHost,
    actOnHost,
    verifyToken,
    sharedCounts,
    log,
    stopping: stopping.signal,
    settings,
  });
  const server = createHttpServer((request, response) => {
    if (!anonymous && request.headers['api-x-token'] === undefined)
      request.headers.authorization ??= `Bearer ${key}`;
    app(request, response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    key,
    stop: async () => {
      stopping.abort();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

export async function newCrawl(
  pool: Pool,
  config: Partial<CrawlConfig> = {},
  seeds: readonly string[] = ['https://a.example/'],
): Promise<string> {
  return createCrawl(pool, { ...defaultCrawlConfig, ...config }, readSeeds(seeds));
}

/** What a crawl in this state has most often come to it by. */
const usualCauses: Partial<Record<CrawlState, CrawlCause>> = {
  ...{ paused: 'asked', draining: 'cancelled', cancelled: 'cancelled' },
  ...{ finished: 'complete', failed: 'nothing-fetched' },
};

export async function setState(
  pool: Pool,
  id: string,
  state: CrawlState,
  reason: string | null,
  cause: CrawlCause | null = usualCauses[state] ?? null,
): Promise<void> {
  await pool.query(
    `update crawl set state = $2::crawl_state, reason = $3, cause = $4, started_at = coalesce(started_at, now()),
            ended_at = case when $2::crawl_state in ('finished', 'cancelled', 'failed') then now() end where id = $1`,
    [id, state, reason, cause],
  );
}

export async function addHost(pool: Pool, origin: string): Promise<number> {
  const { rows } = await pool.query<{ id: number }>(
    `insert into host (origin, shard) values ($1, 0) on conflict (origin) do update set shard = 0 returning id`,
    [origin],
  );
  return rows[0]?.id ?? 0;
}

/** What a URL row holds besides its name; columns as in the schema. */
export type Columns = Readonly<Record<string, string | number | boolean | Buffer | Date | null>>;

/** Admits a URL as queued, then moves it on, as workers do; answers its host and key. */
export async function addUrl(
  pool: Pool,
  crawlId: string,
  url: string,
  columns: Columns = {},
): Promise<{ hostId: number; key: Buffer }> {
  const read = canonicalize(url);
  if (!read.ok) throw new Error(`${url}: ${read.rejected}`);
  const hostId = await addHost(pool, read.value.host);
  const key = urlKey(read.value.canonical);
  const { state = 'queued', depth = 0, priority = 1, kind = 0, ...rest } = columns;
  await pool.query(
    `insert into url (host_id, crawl_id, key, url, state, depth, priority, kind)
     values ($1, $2, $3, $4, 'queued', $5, $6, $7)`,
    [hostId, crawlId, key, read.value.url, depth, priority, kind],
  );
  const changes = Object.entries({ state, ...rest });
  const sets = changes.map(([column], index) => `${column} = $${String(index + 4)}`).join(', ');
  await pool.query(`update url set ${sets} where host_id = $1 and crawl_id = $2 and key = $3`, [
    hostId,
    crawlId,
    key,
    ...changes.map(([, value]) => value),
  ]);
  return { hostId, key };
}

export interface Content {
  readonly title: string;
  readonly text: string;
  readonly links: readonly string[];
}

/** Keeps a body that is all text; answers its hash. */
export function storeBody(text: string): Buffer {
  const body = Buffer.from(text);
  const contentHash = hash('sha256', body, 'buffer');
  bodies.set(contentHash.toString('hex'), body);
  return contentHash;
}

/** A page that was fetched and read. */
export async function addPage(
  pool: Pool,
  crawlId: string,
  url: string,
  content: Content,
  columns: Columns = {},
): Promise<{ hostId: number; key: Buffer }> {
  const place = await addUrl(pool, crawlId, url, {
    state: 'done',
    status: 200,
    fetched_at: new Date(),
    fetches: 1,
    bytes: 100,
    content_hash: storeBody(content.text),
    content_type: 'text/html',
    ...columns,
  });
  await pool.query(
    `insert into page (host_id, crawl_id, key, title, language, charset, words, links, noindex, nofollow, outlinks)
     values ($1, $2, $3, $4, 'en', 'utf-8', $5, $6, false, false, $7)`,
    [
      place.hostId,
      crawlId,
      place.key,
      content.title,
      content.text.split(' ').length,
      content.links.length,
      packOutlinks(new URL(url).origin, content.links),
    ],
  );
  return place;
}
