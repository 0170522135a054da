/** The resolver of a process as the fetcher uses it, on a real DNS resolver that lies, stops and is slow. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createDnsResolver, type DnsResolver, type DnsResolverOptions } from '../../net/dns-resolver.ts';
import { hasDnsmasq, startDnsmasq, startDnsRelay, type Dnsmasq } from '../support/dnsmasq.ts';
import { expectFault, expectResponse, fetching } from './fetching.ts';
import { rawServer, response } from './raw-server.ts';
import { ownFolder } from '../support/given.ts';

const minute = 60_000;
const folder = ownFolder();
const noHosts = path.join(folder, 'none');

const resolving = (own: Partial<DnsResolverOptions> = {}): DnsResolver => {
  const dns = createDnsResolver({
    servers: () => ['127.0.0.1:1'],
    hostsFile: noHosts,
    // The resolver that is asked is either gone, which shows at once, or answers, however late on a busy machine.
    nextAfterMs: 60_000,
    giveUpMs: 60_000,
    replyMs: 60_000,
    ...own,
  });
  onTestFinished(() => dns.close());
  return dns;
};
/** A page at 127.0.0.1 that closes each connection, so that each request needs another. */
const site = () => rawServer((socket) => socket.end(response('reached', { Connection: 'close' })));
const addressesOf = async (dns: DnsResolver, name: string) =>
  (await dns.resolve(name)).map(({ address }) => address);

describe('names that DNS is not asked for', () => {
  it('are literal addresses: no lookup, no question, nothing kept', async () => {
    const dns = resolving();
    const server = await site();
    expectResponse(await fetching({ resolver: dns })(server.origin));
    expect(await addressesOf(dns, '192.0.2.1')).toEqual(['192.0.2.1']);
    expect(await addressesOf(dns, '2001:db8::1')).toEqual(['2001:db8::1']);
    for (const host of ['192.0.2.1', '[2001:db8::1]', 'localhost', 'a.invalid']) dns.prefetch(host);
    await expect.poll(() => dns.stats().names).toBeGreaterThan(0);
    // Of all these only the last is a name to be looked up.
    const { hits, misses, failures, questions, names } = dns.stats();
    expect([hits, misses, failures, questions, names]).toEqual([0, 0, 0, 1, 1]);
  });

  it('are those of the hosts file, in any case and with the root’s dot, and what is below localhost', async () => {
    const hostsFile = path.join(folder, 'hosts');
    writeFileSync(hostsFile, '10.1.2.3 intranet.test intranet\n127.0.0.9 localhost\n');
    const dns = resolving({ hostsFile });
    expect(await addressesOf(dns, 'Intranet.Test.')).toEqual(['10.1.2.3']);
    expect(await addressesOf(dns, 'intranet')).toEqual(['10.1.2.3']);
    expect(await addressesOf(dns, 'localhost')).toEqual(['127.0.0.9']);
    expect(await addressesOf(dns, 'a.localhost')).toEqual(['127.0.0.1', '::1']);
    expect(dns.stats().questions).toBe(0);
  });

  it('are single labels, which the system knows better', async () => {
    // No resolver would answer; the system's own list of names does.
    const hosts = resolving({ hostsFile: '/etc/hosts' });
    const system = resolving();
    expect(await hosts.resolve('localhost')).not.toEqual([]);
    const outcome = await system.resolve('no-such-machine').catch((error: unknown) => error);
    expect(outcome).not.toMatchObject({ silent: true });
  });

  it('are those below .invalid, which do not exist (RFC 6761 §6.4)', async () => {
    await expect(resolving().resolve('a.invalid')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });
});

describe.skipIf(!hasDnsmasq())('fetching by name (needs dnsmasq)', () => {
  let dnsmasq: Dnsmasq;
  beforeAll(async () => {
    dnsmasq = await startDnsmasq([]);
  });
  afterAll(() => dnsmasq.close());
  const serving = async (...records: readonly string[]): Promise<Partial<DnsResolverOptions>> => {
    await dnsmasq.restart(records.map((record) => `host-record=${record}`));
    return { servers: () => [dnsmasq.address] };
  };

  it('asks once for each name: 190 of 200 connections to 10 hosts are hits', async () => {
    const names = Array.from({ length: 10 }, (_, n) => `${String(n)}.test`);
    const dns = resolving(await serving(...names.map((name) => `${name},127.0.0.1,60`)));
    const server = await site();
    const get = fetching({ resolver: dns });
    for (let round = 0; round < 20; round++) {
      const results = names.map((name) => get(`http://${name}:${String(server.port)}/`));
      for (const result of await Promise.all(results)) expectResponse(result);
    }
    expect(server.connections.total).toBe(200);
    expect(dns.stats()).toMatchObject({ hits: 190, misses: 10, hitRate: 0.95, questions: 10, names: 10 });
    expect(dnsmasq.questions().sort()).toEqual(names.flatMap((name) => [`A ${name}`, `AAAA ${name}`]).sort());
  });

  it('finds a prefetched name answered', async () => {
    const dns = resolving(await serving('site.test,127.0.0.1,60'));
    dns.prefetch('site.test');
    await expect.poll(() => dns.stats().names).toBe(1);
    await dnsmasq.stop();
    const server = await site();
    expectResponse(await fetching({ resolver: dns })(`http://site.test:${String(server.port)}/`));
    expect(dns.stats()).toMatchObject({ hits: 1, misses: 0, questions: 1 });
  });

  it('refuses a name that turns to a private address once its time is up, and pins it until then', async () => {
    let now = 0;
    const dns = resolving({ ...(await serving('site.test,127.0.0.1,1')), now: () => now });
    const server = await site();
    let caught = 0;
    const trap = createServer(() => caught++).listen(server.port, '127.0.0.2');
    onTestFinished(() => void trap.close());
    await once(trap, 'listening');
    const get = fetching({ resolver: dns });
    // What may be reached, 127.0.0.1, stands for the public internet.
    const request = { allowPrivate: ['127.0.0.1/32'] };
    const url = `http://site.test:${String(server.port)}/`;
    expectResponse(await get(url, request));
    for (const lie of ['127.0.0.2', '10.0.0.1', '169.254.169.254', '::ffff:127.0.0.2', 'fd00::1']) {
      await serving(`site.test,${lie},1`);
      expectResponse(await get(url, request));
      now += 5 * minute;
      const fault = expectFault(await get(url, request));
      expect([lie, fault.fault]).toEqual([lie, 'address-refused']);
      expect(expectFault(await get(url, request)).fault).toBe('address-refused');
      await serving('site.test,127.0.0.1,1');
      now += 5 * minute;
      expectResponse(await get(url, request));
    }
    expect(caught).toBe(0);
  });

  it('judges a kept answer for each crawl anew: what one may reach is refused to another', async () => {
    const dns = resolving(
      await serving('site.test,127.0.0.1,60', 'mixed.test,10.0.0.1,60', 'mixed.test,127.0.0.1'),
    );
    const server = await site();
    const get = fetching({ resolver: dns });
    const url = `http://site.test:${String(server.port)}/`;
    expectResponse(await get(url));
    expect(expectFault(await get(url, { allowPrivate: [] })).fault).toBe('address-refused');
    for (let turn = 0; turn < 4; turn++) {
      expectResponse(await get(`http://mixed.test:${String(server.port)}/`));
    }
    expect(dns.stats()).toMatchObject({ questions: 2, hits: 4 });
  });

  it('goes on with expired addresses while the resolver is stopped, and with its answers once it is back', async () => {
    let now = 0;
    const dns = resolving({ ...(await serving('site.test,127.0.0.1,60')), now: () => now });
    const server = await site();
    const get = fetching({ resolver: dns });
    const url = `http://site.test:${String(server.port)}/`;
    expectResponse(await get(url));
    await dnsmasq.stop();
    now += 60 * minute;
    for (let times = 0; times < 3; times++) expectResponse(await get(url));
    expect(dns.stats()).toMatchObject({ stale: 3, failures: 0 });
    const unknown = expectFault(await get('http://other.test/'));
    expect(unknown).toMatchObject({
      fault: 'dns-unavailable',
      message: 'The name other.test could not be resolved (ECONNREFUSED).',
    });
    expect(await dns.answering()).toBe(false);
    await serving('site.test,127.0.0.1,60', 'other.test,127.0.0.1,60');
    expect(await dns.answering()).toBe(true);
    expectResponse(await get(`http://other.test:${String(server.port)}/`));
    now += minute;
    expectResponse(await get(url));
    expect(dns.stats()).toMatchObject({ stale: 3, failures: 1 });
  });

  it('does not wait long for a slow resolver where it has expired addresses', async () => {
    let now = 0;
    const options = await serving('site.test,127.0.0.1,60');
    const relay = await startDnsRelay(dnsmasq.address);
    onTestFinished(() => relay.close());
    const dns = resolving({ ...options, servers: () => [relay.address], nextAfterMs: 300, now: () => now });
    const server = await site();
    const get = fetching({ resolver: dns });
    const url = `http://site.test:${String(server.port)}/`;
    expectResponse(await get(url));
    now += 60 * minute;
    relay.delayMs = () => 2_500;
    expectResponse(await get(url));
    expect(dns.stats()).toMatchObject({ stale: 1 });
    // The slow answer is kept when it comes, though nobody waits for it any more.
    const isKept = async () => {
      await dns.resolve('site.test');
      return dns.stats().hits > 0;
    };
    await expect.poll(isKept).toBe(true);
    expect(dns.stats().questions).toBe(2);
  });

  it('says of a name that does not exist that it does not, and asks again after 30 s', async () => {
    let now = 0;
    const dns = resolving({ ...(await serving()), now: () => now });
    const server = await site();
    const get = fetching({ resolver: dns });
    const url = `http://site.test:${String(server.port)}/`;
    for (let times = 0; times < 3; times++) {
      const fault = expectFault(await get(url));
      expect(fault).toMatchObject({ fault: 'dns-not-found', message: 'The name site.test does not exist.' });
    }
    expect(dnsmasq.questions().filter((question) => question.startsWith('A ')).length).toBe(1);
    await serving('site.test,127.0.0.1,60');
    now += 30_000;
    expectResponse(await get(url));
  });
});
