/** Requests by way of an egress proxy (RFC 9110 §9.3.6, RFC 1928, RFC 1929). */
import { createServer as createTlsServer } from 'node:https';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ProxyDown } from '../../contracts/fetching.ts';
import { proxies } from '../support/egress-proxies.ts';
import { closedEndpoint, freshAddress, listen } from '../support/loopback.ts';
import { cert, key } from './certificate.ts';
import { expectFault, expectResponse, fetching, text } from './fetching.ts';
import { rawServer, response } from './raw-server.ts';

const allowPrivate = ['127.0.0.0/8'];
const site = () => rawServer((socket) => socket.write(response('page')), freshAddress());
const kinds = Object.entries(proxies);

describe.each(kinds)('by %s', (scheme, start) => {
  it('a request goes to the address that was judged here, and the answer comes back', async () => {
    const [proxy, server] = [await start(), await site()];
    const [, address = ''] = /\/\/(.*):/.exec(server.origin) ?? [];
    const resolver = { resolve: () => Promise.resolve([{ address, family: 4 as const }]) };
    const get = fetching({ resolver });
    const url = `http://shop.example:${String(server.port)}/a`;
    const result = expectResponse(await get(url, { allowPrivate, proxy: proxy.url }));
    expect([text(result), result.remoteAddress]).toEqual(['page', address]);
    expect(proxy.asked).toEqual([`${address}:${String(server.port)}`]);
    expect(server.requests[0]).toContain(`host: shop.example:${String(server.port)}`);
    expect(server.requests.join().toLowerCase()).not.toContain('proxy');
    // Another request without it goes directly, on a connection of its own.
    expectResponse(await get(url, { allowPrivate }));
    expect(proxy.asked).toHaveLength(1);
    expect(server.connections.total).toBe(2);
  });

  it('TLS is with the site, under its name', async () => {
    const proxy = await start();
    const server = createTlsServer({ key, cert }, (_, answer) => answer.end('safe'));
    const address = freshAddress();
    const port = await listen(server, address);
    onTestFinished(() => void server.close());
    const resolver = { resolve: () => Promise.resolve([{ address, family: 4 as const }]) };
    const url = `https://localhost:${String(port)}/`;
    const result = await fetching({ resolver, ca: cert })(url, { allowPrivate, proxy: proxy.url });
    expect(text(expectResponse(result))).toBe('safe');
    expect(proxy.asked).toEqual([`${address}:${String(port)}`]);
  });

  it('the address guard refuses what may not be reached before the proxy is asked', async () => {
    const [proxy, server] = [await start(), await site()];
    for (const origin of [server.origin, 'http://169.254.169.254', 'http://metadata.example']) {
      const resolver = { resolve: () => Promise.resolve([{ address: '10.0.0.7', family: 4 as const }]) };
      const result = await fetching({ resolver })(`${origin}/`, { allowPrivate: [], proxy: proxy.url });
      expect(expectFault(result).fault).toBe('address-refused');
    }
    expect(proxy.asked).toEqual([]);
    expect(server.connections.total).toBe(0);
  });

  it('a host that the proxy cannot reach is to blame itself', async () => {
    const [proxy, server] = [await start(), await site()];
    proxy.refuseBy(scheme === 'SOCKS5' ? 5 : 502);
    const { fault, message } = expectFault(
      await fetching()(server.origin, { allowPrivate, proxy: proxy.url }),
    );
    expect(fault).toBe('connect-refused');
    expect(message).not.toContain('pr0xy-pass');
  });

  it.each<[string, (url: string) => Promise<string> | string]>([
    ['is not there', async (url) => url.replace(/@.*/, `@${new URL((await closedEndpoint()).origin).host}`)],
    ['wants another password', (url) => url.replace('pr0xy-pass', 'wr0ng-pass')],
    ['has no name', (url) => url.replace(/@.*/, '@proxy.invalid:3128')],
  ])('a proxy that %s is no fault of the host, and its password is not told', async (_, change) => {
    const [proxy, server] = [await start(), await site()];
    const resolver = { resolve: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })) };
    const asked = fetching({ resolver })(server.origin, { allowPrivate, proxy: await change(proxy.url) });
    const error = await asked.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ProxyDown);
    expect(String(error)).not.toMatch(/r0/);
    expect(server.connections.total).toBe(0);
  });

  it('a proxy that refuses, or breaks off, is no fault of the host', async () => {
    const [proxy, server] = [await start(), await site()];
    proxy.refuseBy(scheme === 'SOCKS5' ? 2 : 403);
    await expect(fetching()(server.origin, { allowPrivate, proxy: proxy.url })).rejects.toThrow(ProxyDown);
    proxy.close();
    await expect(fetching()(server.origin, { allowPrivate, proxy: proxy.url })).rejects.toThrow(ProxyDown);
  });

  it('no proxy may stand where the stack itself listens', async () => {
    const [proxy, server] = [await start(), await site()];
    const own = (port: number) =>
      proxy.host.endsWith(`:${String(port)}`) ? Promise.resolve(() => true) : null;
    const asked = fetching({ own })(server.origin, { allowPrivate, proxy: proxy.url });
    await expect(asked).rejects.toThrow("the crawler's own stack");
    expect(proxy.asked).toEqual([]);
  });
});
