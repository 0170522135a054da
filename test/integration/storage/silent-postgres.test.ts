/**
 * A Postgres that goes silent, refuses, or takes no writes: how long it is waited for, and what the probe makes of it.
 *
 * @module-tag long
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createPool,
  inTransaction,
  probePostgres,
  isStorageOutage,
  type Pool,
} from '../../../storage/postgres/index.ts';
import { auditCrawl, reportCrawl } from '../../../storage/reports/index.ts';
import { holdTable } from '../../support/database/index.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { withDatabase } from '../../support/world.ts';
import { newCrawl } from '../api/world.ts';

const world = withDatabase();
let proxy: TcpProxy;
let url: string;
beforeAll(async () => {
  const direct = new URL(world.databaseUrl);
  proxy = await startTcpProxy(Number(direct.port));
  direct.port = String(proxy.port);
  url = direct.href;
});
afterEach(() => {
  proxy.set('open');
});
afterAll(async () => {
  await proxy.close();
});

/** Milliseconds until it fails as an outage of ours. */
async function failsAfter(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  const error: unknown = await work().then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(isStorageOutage(error)).toBe(true);
  return performance.now() - start;
}

/** Long enough for every answer of a Postgres that is busy and not silent. */
const silentMs = 1_500;

describe('a pool', () => {
  const open = () => createPool(url, 2, () => undefined, { silentMs });

  it('gives up a server that says nothing, and works on when it is back', async () => {
    const pool = open();
    await pool.query('select 1');
    proxy.set('silent');
    expect(await failsAfter(() => pool.query('select 1'))).toBeLessThan(30_000);
    proxy.set('open');
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  it('does not wait for a rollback by a server that is away', async () => {
    const pool = open();
    const working = inTransaction(pool, async (db) => {
      await db.query('select 1');
      proxy.set('silent');
      await db.query('select 2');
    });
    expect(await failsAfter(() => working)).toBeLessThan(30_000);
    proxy.set('open');
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });
});

/** Connections whose statements may take `silentMs`, by their own limit and by the server's. */
const briefPool = async (): Promise<Pool> => {
  const pool = createPool(url, 1, () => undefined, { silentMs });
  await pool.query(`set statement_timeout = ${String(silentMs)}`);
  return pool;
};
const makes = {
  'an audit': async (pool: Pool, crawl: string) =>
    expect(await auditCrawl(pool, crawl)).toMatchObject({ ok: true }),
  'a report': async (pool: Pool, crawl: string) =>
    expect(await reportCrawl(pool, crawl, new Date())).toMatchObject({ crawl: { id: crawl } }),
};

describe.each([
  ['an audit', 'url'],
  ['an audit', 'host_queue'],
  ['an audit', 'left_out'],
  ['an audit', 'dead_letter'],
  ['a report', 'reading'],
] as const)('%s', (made, table) => {
  it(`waits for its walk over ${table} longer than other statements may take`, async () => {
    const [pool, other] = [await briefPool(), createPool(url, 2, () => undefined)];
    const crawl = await newCrawl(other, {}, ['https://a.example/']);
    const held = await holdTable(other, table);
    const making = makes[made](pool, crawl);
    making.catch(() => undefined);
    await expect.poll(() => held.waiting()).toBe(1);
    const began = performance.now();
    await expect.poll(() => performance.now() - began).toBeGreaterThan(2 * silentMs);
    await held.release();
    await making;
    await Promise.all([pool.end(), other.end()]);
  });
});

describe('the probe', () => {
  it('passes where Postgres takes writes, and leaves nothing behind', async () => {
    await probePostgres(url);
    const pool = createPool(url, 1, () => undefined);
    const { rows } = await pool.query(`select relname from pg_class where relname = 'orbweaver_probe'`);
    expect(rows).toEqual([]);
    await pool.end();
  });

  it('fails where connections are refused, at once', async () => {
    proxy.set('refusing');
    expect(await failsAfter(() => probePostgres(url))).toBeLessThan(30_000);
  });

  it('fails where nothing is said, in its time', async () => {
    proxy.set('silent');
    expect(await failsAfter(() => probePostgres(url))).toBeLessThan(30_000);
  });

  it('fails where nothing may be written', async () => {
    const readOnly = new URL(url);
    readOnly.searchParams.set('options', '-c default_transaction_read_only=on');
    await failsAfter(() => probePostgres(readOnly.href));
  });

  it('fails where there is no such database', async () => {
    const nowhere = new URL(url);
    nowhere.pathname = '/no_such_database';
    await failsAfter(() => probePostgres(nowhere.href));
  });
});
