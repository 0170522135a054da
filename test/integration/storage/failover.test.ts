/** Postgres moves to another address, under the name by which it is known. */
import dns from 'node:dns';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createPool, isStorageOutage, probePostgres } from '../../../storage/postgres/index.ts';
import { freshAddress } from '../../support/loopback.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { withDatabase } from '../../support/world.ts';

const world = withDatabase();
const name = 'postgres.failover.test';

it('a name that leads to another server is followed by the next connection, the standby’s refusals included', async () => {
  const url = new URL(world.databaseUrl);
  const server = Number(url.port);
  const first = await startTcpProxy(server, { host: freshAddress() });
  // Both servers have the same port, as with any failover.
  const moved = await startTcpProxy(server, { host: freshAddress(), port: first.port });
  let address = first.address;
  const hostOf = (place: string): string => place.split(':')[0] ?? '';
  const lookup = dns.lookup;
  const asked: string[] = [];
  const spy = vi.spyOn(dns, 'lookup').mockImplementation((host: string, ...others: unknown[]) => {
    asked.push(host);
    Reflect.apply(lookup, dns, [host === name ? hostOf(address) : host, ...others]);
  });
  url.hostname = name;
  url.port = String(first.port);
  const pool = createPool(url.href, 2, () => undefined);
  onTestFinished(async () => {
    spy.mockRestore();
    await pool.end();
    for (const line of [first, moved]) await line.close();
  });
  const answer = (): Promise<unknown> => pool.query('select 1').then(() => 'answered');
  expect(await answer()).toBe('answered');
  // The old one is gone, and the name still leads there: an outage of ours, and nobody is blamed.
  first.set('refusing');
  expect(await answer().catch(isStorageOutage)).toBe(true);
  expect(await probePostgres(url.href).catch(isStorageOutage)).toBe(true);
  // A standby that answers before it is promoted takes no writes.
  address = moved.address;
  const standby = new URL(url);
  standby.searchParams.set('options', '-c default_transaction_read_only=on');
  expect(await probePostgres(standby.href).catch(isStorageOutage)).toBe(true);
  // Promoted: the same pool goes on there.
  await probePostgres(url.href);
  expect(await answer()).toBe('answered');
  expect(asked).toContain(name);
});
