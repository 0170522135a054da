/** Which addresses a fetcher connects to, and what it says when it does not. */
import { createServer as createTlsServer } from 'node:tls';
import { createServer as createTcpServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFetcher } from '../../net/fetcher.ts';
import type { ResolvedAddress, Resolver } from '../../net/resolver.ts';
import { cert, key } from './certificate.ts';
import { expectFault, expectResponse, fetching, stopClock, text, until } from './fetching.ts';
import { closedEndpoint, listen } from '../support/loopback.ts';
import { rawServer, response } from './raw-server.ts';

const v4 = (address: string): ResolvedAddress => ({ address, family: 4 });
const v6 = (address: string): ResolvedAddress => ({ address, family: 6 });
/** Gives the answers one after another, the last one for ever, and counts the questions. */
function resolving(...answers: (readonly ResolvedAddress[])[]): Resolver & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    resolve: (hostname) => {
      asked.push(hostname);
      return Promise.resolve(answers[Math.min(asked.length, answers.length) - 1] ?? []);
    },
  };
}
const failing = (code: string): Resolver => ({
  resolve: () => Promise.reject(Object.assign(new Error(`resolver says ${code}`), { code })),
});
const ok = () => rawServer((socket) => socket.write(response('reached')));

describe('literal addresses', () => {
  it.each([
    '127.0.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '017700000001',
    '127.1',
    '0',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '169.254.169.254',
    '１２７.０.０.１',
  ])('%s is refused, and nothing connects', async (host) => {
    const server = await ok();
    const fault = expectFault(
      await fetching()(`http://${host}:${String(server.port)}/`, { allowPrivate: [] }),
    );
    expect(fault.fault).toBe('address-refused');
    expect(fault.message).toMatch(
      / is an? (loopback|unspecified|link-local) address, which this crawl may not reach\.$/,
    );
    expect(server.connections.total).toBe(0);
  });

  it('is refused by its own even where another is allowed', async () => {
    const result = await fetching()('http://127.0.0.2:80/', { allowPrivate: ['127.0.0.1/32', '10.0.0.0/8'] });
    expect(expectFault(result).fault).toBe('address-refused');
  });

  it('of IPv6 is reached where allowed', async () => {
    const server = await rawServer((socket) => socket.write(response('six')), '::1');
    const result = expectResponse(await fetching()(server.origin));
    expect(text(result)).toBe('six');
    expect(result.remoteAddress).toBe('::1');
    expect(server.requests[0]).toContain(`host: [::1]:${String(server.port)}`);
  });

  it('that leads elsewhere is caught once connected, before anything is sent', async () => {
    const server = await ok();
    // The kernel connects 0.0.0.0 to 127.0.0.1, which is not in the allowed block.
    const fault = expectFault(
      await fetching()(`http://0.0.0.0:${String(server.port)}/`, { allowPrivate: ['0.0.0.0/32'] }),
    );
    expect(fault.fault).toBe('address-refused');
    expect(fault.message).toContain('connected to 127.0.0.1, a loopback address');
    expect(server.requests).toEqual([]);
  });
});

describe('names', () => {
  it('that lead to refused addresses only are refused', async () => {
    const resolver = resolving([v4('10.0.0.1'), v6('fe80::1')]);
    const fault = expectFault(await fetching({ resolver })('http://site.test/'));
    expect(fault.fault).toBe('address-refused');
    expect(fault.message).toBe(
      'site.test:80 resolves to 10.0.0.1, a private address, which this crawl may not reach.',
    );
  });

  it('are reached at their permitted addresses, never at the others', async () => {
    const server = await ok();
    const trap = await rawServer((socket) => socket.write(response('trap')), '127.0.0.2').catch(() => null);
    const resolver = resolving([v4('127.0.0.2'), v4('127.0.0.1')]);
    const result = expectResponse(await fetching({ resolver })(`http://site.test:${String(server.port)}/`));
    expect(result.remoteAddress).toBe('127.0.0.1');
    expect(trap?.connections.total ?? 0).toBe(0);
  });

  it('localhost is judged by its address', async () => {
    const server = await ok();
    const url = `http://localhost:${String(server.port)}/`;
    expect(expectFault(await fetching()(url, { allowPrivate: [] })).fault).toBe('address-refused');
    expectResponse(await fetching()(url));
  });

  it('that change their answer gain nothing: each connection is checked, and asks once', async () => {
    const server = await rawServer((socket) => socket.end(response('x', { Connection: 'close' })));
    const resolver = resolving([v4('127.0.0.1')], [v4('127.0.0.2')], [v4('127.0.0.1')]);
    const get = fetching({ resolver });
    const url = `http://site.test:${String(server.port)}/`;
    expectResponse(await get(url));
    expect(resolver.asked.length).toBe(1);
    expect(expectFault(await get(url)).fault).toBe('address-refused');
    expectResponse(await get(url));
    expect(resolver.asked).toEqual(['site.test', 'site.test', 'site.test']);
  });

  it.each([
    [
      'each answer has another address',
      [[v4('127.0.0.1')], [v4('127.0.0.2')], [v4('127.0.0.3')], [v4('127.0.0.4')]],
    ],
    [
      'each answer has its addresses in another order',
      [
        [v4('127.0.0.1'), v4('127.0.0.2'), v4('127.0.0.3')],
        [v4('127.0.0.2'), v4('127.0.0.3'), v4('127.0.0.1')],
        [v4('127.0.0.3'), v4('127.0.0.1'), v4('127.0.0.2')],
      ],
    ],
  ])('lead where a request was withheld to the same address again, where %s', async (_, answers) => {
    const server = await rawServer((socket) => socket.end(response('x', { Connection: 'close' })), '0.0.0.0');
    const resolver = resolving(...answers);
    const fetcher = createFetcher({ resolver });
    onTestFinished(() => fetcher.close());
    const request = {
      ...{ url: `http://site.test:${String(server.port)}/`, userAgent: 'orbweaver-tests/1.0' },
      ...{ allowPrivate: ['127.0.0.0/8'], limits: { maxBodyBytes: 1_024, totalTimeoutMs: 10_000 } },
    };
    expectResponse(await fetcher.fetch(request));
    // The next connection asks anew, by itself.
    const led: (string | null)[] = [];
    const withheld = fetcher.fetch({ ...request, maySend: (address) => led.push(address) === 0 });
    await expect(withheld).rejects.toThrow('withheld');
    const again = await fetcher.fetch({ ...request, maySend: (address) => led.push(address) > 0 });
    expect(expectResponse(again).remoteAddress).toBe(led[0]);
    expect(led[1]).toBe(led[0]);
  });

  it('lead to the address that was foretold, in whatever order the next answer has them', async () => {
    const server = await rawServer((socket) => socket.end(response('x', { Connection: 'close' })), '0.0.0.0');
    const [a, b] = [v4('127.0.0.1'), v4('127.0.0.2')];
    const fetcher = createFetcher({ resolver: resolving([a, b], [b, a]) });
    onTestFinished(() => fetcher.close());
    const request = {
      ...{ url: `http://site.test:${String(server.port)}/`, userAgent: 'orbweaver-tests/1.0' },
      ...{ allowPrivate: ['127.0.0.0/8'], limits: { maxBodyBytes: 1_024, totalTimeoutMs: 10_000 } },
    };
    for (let turn = 0; turn < 2; turn++) {
      const foretold = await fetcher.addressOf(request);
      const { remoteAddress } = expectResponse(await fetcher.fetch(request));
      expect(remoteAddress).toBe(foretold);
      await expect.poll(() => server.connections.open).toBe(0);
    }
  });

  it('the next address has its turn when one is dead', async () => {
    const server = await ok();
    const resolver = resolving([v6('::1'), v4('127.0.0.1')]);
    const result = expectResponse(await fetching({ resolver })(`http://site.test:${String(server.port)}/`));
    expect(result.remoteAddress).toBe('127.0.0.1');
  });

  it.each(['ENOTFOUND', 'ENODATA'])('%s: dns-not-found', async (code) => {
    const fault = expectFault(await fetching({ resolver: failing(code) })('http://site.test/'));
    expect(fault).toMatchObject({ fault: 'dns-not-found', message: 'The name site.test does not exist.' });
  });

  it('no address at all: dns-not-found', async () => {
    const fault = expectFault(await fetching({ resolver: resolving([]) })('http://site.test/'));
    expect(fault).toMatchObject({ fault: 'dns-not-found', message: 'The name site.test has no address.' });
  });

  it.each(['EAI_AGAIN', 'ESERVFAIL', 'ETIMEOUT', 'ECONNREFUSED'])('%s: dns-unavailable', async (code) => {
    const fault = expectFault(await fetching({ resolver: failing(code) })('http://site.test/'));
    expect(fault).toMatchObject({
      fault: 'dns-unavailable',
      message: `The name site.test could not be resolved (${code}).`,
    });
  });

  it("names longer than DNS can hold: dns-not-found, by the system's resolver", async () => {
    for (const host of [`${'a'.repeat(70)}.invalid`, `${'a.'.repeat(150)}invalid`]) {
      expect(expectFault(await fetching()(`http://${host}/`)).fault).toBe('dns-not-found');
    }
  });
});

describe('connecting', () => {
  it('refused', async () => {
    const { address, port, origin } = await closedEndpoint();
    const fault = expectFault(await fetching()(`${origin}/`, { allowPrivate: [address] }));
    expect(fault).toMatchObject({
      fault: 'connect-refused',
      message: `${address}:${String(port)} refused the connection.`,
    });
  });

  it('refused at every address of a name', async () => {
    const { address, port } = await closedEndpoint();
    const resolver = resolving([v6('::1'), v4(address)]);
    const request = { allowPrivate: [address, '::1'] };
    const fault = expectFault(await fetching({ resolver })(`http://site.test:${String(port)}/`, request));
    expect(fault.fault).toBe('connect-refused');
  });

  it.each([
    ['its own', { connectTimeoutMs: 100 }, 10_000],
    ["the request's", {}, 100],
  ])('a resolver that hangs ends with %s limit: dns-unavailable', async (_name, options, totalTimeoutMs) => {
    const resolver: Resolver = { resolve: () => new Promise(() => undefined) };
    const get = fetching({ resolver, connectTimeoutMs: 500, ...options });
    const fault = expectFault(
      await get('http://site.test/', { limits: { maxBodyBytes: 1, totalTimeoutMs } }),
    );
    expect(fault).toMatchObject({ fault: 'dns-unavailable' });
    expect(fault.message).toContain('site.test:80 was not resolved within 100 ms');
  });

  it('a handshake that hangs: connect-timeout, and the socket is closed', async () => {
    const pass = stopClock();
    let open = 0;
    let greeted = false;
    const server = createTcpServer((socket) => {
      open++;
      socket
        .on('error', () => undefined)
        .on('close', () => open--)
        .on('data', () => (greeted = true));
    });
    const port = await listen(server);
    onTestFinished(() => void server.close());
    const get = fetching({ ca: cert, connectTimeoutMs: 150 });
    const result = get(`https://127.0.0.1:${String(port)}/`);
    await until(() => greeted);
    pass(150);
    const fault = expectFault(await result);
    expect(fault).toMatchObject({ fault: 'connect-timeout' });
    expect(fault.message).toContain('did not finish the TLS handshake within 150 ms');
    await until(() => open === 0);
  });
});

describe('TLS', () => {
  async function tlsServer(): Promise<{ port: number; names: string[]; resumed: boolean[] }> {
    const names: string[] = [];
    const resumed: boolean[] = [];
    const server = createTlsServer({ key, cert }, (socket) => {
      names.push(String(socket.servername));
      resumed.push(socket.isSessionReused());
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(response('secret', { Connection: 'close' })));
    });
    server.on('tlsClientError', () => undefined);
    const port = await listen(server);
    onTestFinished(() => void server.close());
    return { port, names, resumed };
  }

  it('is verified: a certificate of no known authority', async () => {
    const { port } = await tlsServer();
    const fault = expectFault(await fetching()(`https://127.0.0.1:${String(port)}/`));
    expect(fault.fault).toBe('tls');
    expect(fault.message).toMatch(/^TLS with 127\.0\.0\.1:\d+ failed: .*self.signed certificate\.$/);
  });

  it('is verified: a certificate of another name', async () => {
    const { port } = await tlsServer();
    const get = fetching({ ca: cert, resolver: resolving([v4('127.0.0.1')]) });
    const fault = expectFault(await get(`https://other.test:${String(port)}/`));
    expect(fault.fault).toBe('tls');
    expect(fault.message).toContain('other.test');
  });

  it('names the host to the server, and resumes its session', async () => {
    const { port, names, resumed } = await tlsServer();
    const get = fetching({ ca: cert, resolver: resolving([v4('127.0.0.1')]) });
    for (let i = 0; i < 2; i++) {
      const result = expectResponse(await get(`https://site.test.:${String(port)}/`));
      expect(text(result)).toBe('secret');
      expect(result.remoteAddress).toBe('127.0.0.1');
    }
    expect(names).toEqual(['site.test', 'site.test']);
    expect(resumed).toEqual([false, true]);
  });

  it('to a port that speaks something else', async () => {
    // One that waits for the end of a request, which a TLS hello has not.
    const server = await ok();
    const get = fetching({ connectTimeoutMs: 200 });
    expect(expectFault(await get(`https://127.0.0.1:${String(server.port)}/`)).fault).toBe('connect-timeout');
    const speaker = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    const port = await listen(speaker);
    onTestFinished(() => void speaker.close());
    expect(expectFault(await fetching()(`https://127.0.0.1:${String(port)}/`)).fault).toBe('tls');
  });
});
