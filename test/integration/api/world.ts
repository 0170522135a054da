/** A database of the test's own with a few ways to fill it, and the API over it on a free port. */
import type { Regions } from '../../../domain/regions.ts';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import { hash, randomUUID } from 'node:crypto';
import path from 'node:path';
import pino from 'pino';
import { expect } from 'vitest';
import { aside } from '../../../content/aside.ts';
import { noCaps } from '../../../engine/caps/cap-book.ts';
import { createVersionReader } from '../../../engine/changes/read-version.ts';
import { createTextReader } from '../../../engine/page-text.ts';
import { buildApp } from '../../../api/app.ts';
import type { CrawlControl } from '../../../api/crawls/crawl-control.ts';
import type { Dependencies } from '../../../api/dependencies.ts';
import { createTurns } from '../../../api/way-in/turns.ts';
import { createHttpServer } from '../../../api/way-in/http-server.ts';
import { defaultCrawlConfig, type CrawlConfig } from '../../../contracts/crawl.ts';
import { Archive, SegmentFolder } from '../../../storage/archive/index.ts';
import { adoptAdminKey, makeSecret } from '../../../storage/tenancy/index.ts';
import { createCrawl } from '../../../storage/starting/index.ts';
import type { Pool } from '../../../storage/postgres/index.ts';
import { ExportFiles } from '../../../storage/exports/index.ts';
import { packOutlinks } from '../../../storage/pages/index.ts';
import { redriveBatch } from '../../../storage/letters/index.ts';
import { PostgresIndex } from '../../../storage/search/index.ts';
import { readSeeds } from '../../../storage/seeds/index.ts';
import { given } from '../../support/given.ts';
import { testKeys } from '../../support/keys.ts';
import {
  addReadings,
  addUrl,
  setState,
  type UrlColumns,
  type UrlPlace,
} from '../../support/database/index.ts';
import { createDatabase, poolOf, type Database } from '../../support/world.ts';

export interface Services {
  readonly world: Database;
  readonly pool: Pool;
  stop(): Promise<void>;
}

export async function startServices(): Promise<Services> {
  const world = await createDatabase();
  const pool = poolOf(world, 8);
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
    wakeJob: () => Promise.resolve(),
    ping: () => Promise.resolve(),
  };
}

/** The bodies of the pages, by their hash. */
const bodies = new Map<string, Buffer>();
const stored = {
  get: (hash: Uint8Array) => Promise.resolve(bodies.get(Buffer.from(hash).toString('hex')) ?? null),
};
export const textOf = createTextReader(stored, (...body) => aside('shown', ...body));
const readStored = createVersionReader(stored, (...input) => aside('extracted', ...input));

/** An archive whose segments are files below the folder. */
export const archiveIn = (pool: Pool, folder: string, format: 'gzip' | 'zstd' = 'zstd'): Archive =>
  new Archive(pool, new SegmentFolder(path.join(folder, 'blobs')), 16 * 1024 * 1024, {
    owner: randomUUID(),
    format,
    maxBytes: 2 ** 30,
    maxAgeMs: 3_600_000,
    software: 'Test',
  });

const noArchive: Dependencies['archive'] = {
  answer: () => Promise.resolve(null),
  ownAnswer: () => Promise.resolve(null),
};

/** In no folder that is there: no export of such an API has a file. */
const noExports: Dependencies['exports'] = { files: new ExportFiles('/nowhere', null), days: 7 };

export interface Api {
  readonly url: string;
  /** Of an admin of the instance. Sent with every request that brings none, unless the API was served anonymously. */
  readonly key: string;
  stop(): Promise<void>;
}

export type Served = Partial<Omit<Dependencies, 'pool' | 'stopping' | 'settings'>> & {
  readonly requestsPer10s?: number;
  /** No request is sent with the key of an admin. */
  readonly anonymous?: boolean;
  readonly hostNames?: readonly string[];
  readonly trustedProxies?: readonly string[];
  readonly webhookAllowPrivate?: readonly string[];
  readonly regions?: Regions;
  readonly temporalWeb?: string;
};

/** @param served what is not as usual */
export function appOf(pool: Pool, served: Omit<Served, 'anonymous'>, stopping: AbortSignal): Express {
  const {
    requestsPer10s = 1e6,
    hostNames = [],
    trustedProxies = [],
    webhookAllowPrivate = [],
    regions,
    temporalWeb,
    ...dependencies
  } = served;
  return buildApp({
    pool,
    keys: testKeys,
    control: noteTaker(pool),
    textOf,
    readVersion: readStored,
    archive: noArchive,
    search: new PostgresIndex(pool),
    exports: noExports,
    freeBytes: () => Promise.resolve(Infinity),
    wakeHost: () => Promise.resolve(),
    actOnHost: () => Promise.resolve({ dropped: 0, more: false }),
    schedulers: { view: () => Promise.resolve(null), wake: () => Promise.resolve() },
    turns: createTurns(),
    verifyToken: null,
    sharedCounts: null,
    log: pino({ level: 'silent' }),
    ...dependencies,
    stopping,
    settings: {
      version: '0.0.0',
      userAgent: 'Orbweaver/0 (test)',
      contact: null,
      hostNames,
      trustedProxies,
      webhookAllowPrivate,
      shards: 1,
      ...(regions !== undefined && { regions }),
      ...(temporalWeb !== undefined && { temporalWeb }),
      caps: noCaps,
      requestsPer10s,
    },
  });
}

export async function serve(pool: Pool, { anonymous = false, ...served }: Served = {}): Promise<Api> {
  const key = makeSecret();
  // A test may serve over a database that is away.
  await adoptAdminKey(pool, key, 'test').catch(() => undefined);
  const stopping = new AbortController();
  const app = appOf(pool, served, stopping.signal);
  const server = createHttpServer((request, response) => {
    const { authorization, 'api-x-token': token } = request.headers;
    if (!anonymous && authorization === undefined && token === undefined)
      request.rawHeaders.push('Authorization', `Bearer ${key}`);
    app(request, response);
  });
  // Only the client ends an idle connection. Otherwise, after a pause of this process, both ends would do so at the same
  // time, and a request that was just sent would be lost.
  server.keepAliveTimeout = 0;
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

/** The same for the tests of a file. */
export const withServices = (): Pick<Services, 'world' | 'pool'> =>
  given(startServices, (services) => services.stop());

/** An API over this database for the tests of a file. */
export const withServed = (pool: Pool, served: Served = {}): Api =>
  given(
    () => serve(pool, served),
    (api) => api.stop(),
  );

/** A database for the tests of a file, with an API over it whose orders are noted. */
export function withApi(served: Omit<Served, 'control'> = {}) {
  const { world, pool } = withServices();
  const control = noteTaker(pool);
  return { world, pool, control, api: withServed(pool, { control, ...served }) };
}

export async function newCrawl(
  pool: Pool,
  config: Partial<CrawlConfig> = {},
  seeds: readonly string[] = ['https://a.example/'],
): Promise<string> {
  return createCrawl(pool, { ...defaultCrawlConfig, ...config }, readSeeds(seeds));
}

export async function newRunningCrawl(...of: Parameters<typeof newCrawl>): Promise<string> {
  const id = await newCrawl(...of);
  await setState(of[0], id, 'running');
  return id;
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
  columns: UrlColumns = {},
): Promise<UrlPlace & { readonly contentId: number }> {
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
  const [contentId = 0] = await addReadings(pool, [
    {
      ...{ host_id: place.hostId, crawl_id: crawlId, key: place.key, title: content.title },
      ...{ language: 'en', charset: 'utf-8', noindex: false, nofollow: false },
      words: content.text.split(' ').length,
      links: content.links.length,
      outlinks: packOutlinks(new URL(url).origin, content.links),
    },
  ]);
  return { ...place, contentId };
}

/** What the API answers to a GET that it has to answer. */
export async function getOk<T>(url: string): Promise<T> {
  const response = await fetch(url);
  expect(response.status, await response.clone().text()).toBe(200);
  return (await response.json()) as T;
}
