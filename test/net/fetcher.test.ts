import { createSecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFetcher } from '../../net/fetcher.ts';
import { cert, key } from './certificate.ts';
import { expectFault, expectResponse, fetching, loopback, text, until } from './fetching.ts';
import { listen } from '../support/loopback.ts';
import { rawServer, response } from './raw-server.ts';

describe('an exchange', () => {
  it('sends what is needed and no more', async () => {
    const server = await rawServer((socket) => socket.write(response('page')));
    await fetching()(`${server.origin}/a%20b/%E9?q=%2F&&x#fragment`);
    const lines = server.requests[0]?.split('\r\n') ?? [];
    expect(lines[0]).toBe('GET /a%20b/%E9?q=%2F&&x HTTP/1.1');
    expect(
      lines
        .slice(1)
        .map((line) => line.toLowerCase())
        .sort(),
    ).toEqual([
      'accept-encoding: gzip, deflate, br, zstd',
      'accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'connection: keep-alive',
      `host: 127.0.0.1:${String(server.port)}`,
      'user-agent: orbweaver-tests/1.0',
    ]);
  });

  it('tells status, fields, body, times and address', async () => {
    const server = await rawServer((socket) =>
      socket.write(
        Buffer.from(
          'HTTP/1.1 404 Not Found\r\nX-A: 1\r\nx-a: 2\r\nContent-Type: Text/HTML\r\nX-Latin: \xe9\r\nContent-Length: 4\r\n\r\nbody',
          'latin1',
        ),
      ),
    );
    const before = performance.now();
    const result = expectResponse(await fetching()(server.origin));
    expect(result).toMatchObject({ status: 404, truncated: false, wireBytes: 4, remoteAddress: '127.0.0.1' });
    expect({ ...result.headers }).toEqual({
      'x-a': '1, 2',
      'content-type': 'Text/HTML',
      'x-latin': 'é',
      'content-length': '4',
    });
    expect(text(result)).toBe('body');
    expect(result.headAt).toBeGreaterThan(before);
    expect(result.endAt).toBeGreaterThanOrEqual(result.headAt);
    expect(result.endAt).toBeLessThanOrEqual(performance.now());
  });

  it('sends validators, and takes 304 for an answer without a body', async () => {
    const server = await rawServer((socket) =>
      socket.write('HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n'),
    );
    const result = expectResponse(
      await fetching()(server.origin, { etag: 'W/"1"', lastModified: 'Sat, 21 Nov 2026 12:00:00 GMT' }),
    );
    expect(result).toMatchObject({ status: 304, truncated: false });
    expect(result.body.length).toBe(0);
    expect(server.requests[0]).toContain(
      'if-none-match: W/"1"\r\nif-modified-since: Sat, 21 Nov 2026 12:00:00 GMT',
    );
  });

  it('leaves out validators that cannot be sent', async () => {
    const server = await rawServer((socket) => socket.write(response('')));
    expectResponse(await fetching()(server.origin, { etag: '"a\r\nX-Evil: 1"', lastModified: '\u{1f600}' }));
    expect(server.requests[0]).not.toMatch(/if-|evil/i);
  });

  it.each([301, 302, 303, 307, 308])('%i is answered, not followed', async (status) => {
    const server = await rawServer((socket) =>
      socket.write(response('moved', { Location: '/elsewhere' }, `${String(status)} Moved`)),
    );
    const get = fetching();
    const result = expectResponse(await get(server.origin));
    expect(result).toMatchObject({ status, headers: { location: '/elsewhere' }, truncated: false });
    expect(result.body.length).toBe(0);
    await get(server.origin);
    expect(server.requests.length).toBe(2);
    expect(server.connections.total).toBe(1);
  });

  it.each([
    ['long', 'Content-Length: 1000000'],
    ['endless', 'Transfer-Encoding: chunked'],
  ])('the %s body of a redirect is not waited for', async (_name, lines) => {
    const server = await rawServer((socket) => {
      socket.write(`HTTP/1.1 302 Found\r\nLocation: /x\r\n${lines}\r\n\r\n`);
      if (lines.startsWith('Transfer')) socket.write(`8000\r\n${'x'.repeat(0x8000)}\r\n`);
    });
    const patient = { limits: { maxBodyBytes: 1, totalTimeoutMs: 600_000 } };
    const result = expectResponse(await fetching()(server.origin, patient));
    expect(result).toMatchObject({ status: 302, truncated: false });
    await until(() => server.connections.open === 0);
  });

  it.each(['ftp://example.com/', 'example.com', 'http://', 'javascript:alert(1)', 'http://[::1', ''])(
    'a URL that is none of ours: protocol (%j)',
    async (url) => {
      const fault = expectFault(await fetching()(url));
      expect(fault.fault).toBe('protocol');
      expect(fault.message).toContain('is no absolute http(s) URL');
    },
  );

  it("bad settings are the caller's errors", async () => {
    const get = fetching();
    await expect(get('http://127.0.0.1/', { allowPrivate: ['10.0.0.0/99'] })).rejects.toThrow('10.0.0.0/99');
    await expect(get('http://127.0.0.1/', { userAgent: 'a\r\nb' })).rejects.toThrow(TypeError);
  });
});

describe('connections', () => {
  it('are kept for the next request', async () => {
    const server = await rawServer((socket) => socket.write(response('x')));
    const get = fetching();
    for (let i = 0; i < 5; i++) expectResponse(await get(server.origin));
    expect(server.connections.total).toBe(1);
  });

  it('are not shared between sets of permitted addresses', async () => {
    const server = await rawServer((socket) => socket.write(response('x')));
    const get = fetching();
    expectResponse(await get(server.origin));
    expect(expectFault(await get(server.origin, { allowPrivate: [] })).fault).toBe('address-refused');
    expectResponse(await get(server.origin, { allowPrivate: [...loopback, '10.0.0.0/8'] }));
    expect(server.connections.total).toBe(2);
    expectResponse(await get(server.origin, { allowPrivate: ['10.0.0.0/8', ...loopback, ...loopback] }));
    expect(server.connections.total).toBe(2);
  });

  it('close with the fetcher, which then takes no more requests', async () => {
    const server = await rawServer((socket) => setTimeout(() => socket.write(response('late')), 50));
    const fetcher = createFetcher();
    const request = {
      url: server.origin,
      userAgent: 'x',
      allowPrivate: loopback,
      limits: { maxBodyBytes: 100, totalTimeoutMs: 60_000 },
    };
    const inFlight = fetcher.fetch(request);
    await until(() => server.requests.length === 1);
    const closing = fetcher.close();
    await expect(fetcher.fetch(request)).rejects.toThrow('closed');
    expect(text(expectResponse(await inFlight))).toBe('late');
    await closing;
    await until(() => server.connections.open === 0);
  });
});

describe('a request reaches the server once at most', () => {
  it('when the server closes after each response without a word', async () => {
    const server = await rawServer((socket) => {
      socket.end(response('x', { Connection: 'keep-alive', 'Keep-Alive': 'timeout=60' }));
    });
    const get = fetching();
    for (let i = 0; i < 40; i++) {
      const result = await get(`${server.origin}/${String(i)}`);
      if (result.kind === 'fault') expect(result.fault).toBe('reset');
      if (i % 3 === 0) await sleep(2);
    }
    const paths = server.requests.map((request) => request.split(' ')[1]);
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths.length).toBeGreaterThan(20);
  });

  it('when the server drops a kept connection as the request comes', async () => {
    const server = await rawServer((socket, _request, count) => {
      if (count === 1) socket.write(response('x'));
      else socket.destroy();
    });
    const get = fetching();
    expectResponse(await get(`${server.origin}/1`));
    expect(expectFault(await get(`${server.origin}/2`)).fault).toBe('reset');
    expectResponse(await get(`${server.origin}/3`));
    expect(server.requests.map((request) => request.split(' ')[1])).toEqual(['/1', '/2', '/3']);
  });

  it('when an HTTP/2 server refuses the stream, which clients may send again (RFC 9113 section 8.7)', async () => {
    const paths: (string | undefined)[] = [];
    const server = createSecureServer({ key, cert });
    server.on('stream', (stream, headers) => {
      paths.push(headers[':path']);
      stream.on('error', () => undefined);
      stream.close(7);
    });
    const port = await listen(server);
    onTestFinished(() => void server.close());
    const fault = expectFault(await fetching({ ca: cert })(`https://127.0.0.1:${String(port)}/once`));
    expect(fault.fault).toBe('reset');
    await sleep(50);
    expect(paths).toEqual(['/once']);
  });
});

describe('HTTP/2', () => {
  async function h2Server(): Promise<{ origin: string; sockets: Set<Socket> }> {
    const sockets = new Set<Socket>();
    const server = createSecureServer({ key, cert, maxHeaderListPairs: 100_000 });
    server.on('connection', (socket: Socket) => sockets.add(socket).size);
    server.on('stream', (stream, headers) => {
      stream.on('error', () => undefined);
      switch (headers[':path'] ?? '') {
        case '/early':
          stream.additionalHeaders({ ':status': 103, link: '</a>' });
          stream.respond({ ':status': 200, 'x-protocol': 'h2', 'set-cookie': ['a=1', 'b=2'] });
          stream.end('page');
          return;
        case '/endless':
          stream.respond({ ':status': 200 });
          stream.on('drain', () => stream.write(Buffer.alloc(65_536)));
          stream.write(Buffer.alloc(65_536));
          return;
        case '/short':
          stream.respond({ ':status': 200, 'content-length': '100' });
          stream.end('only this');
          return;
        case '/flood':
          stream.respond({
            ':status': 200,
            ...Object.fromEntries(
              Array.from({ length: 15 }, (_, i) => [`x-${String(i)}`, 'x'.repeat(60_000)]),
            ),
          });
          stream.end('page');
          return;
        case '/gone':
          stream.session?.destroy();
          return;
        default:
      }
    });
    const port = await listen(server);
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return { origin: `https://127.0.0.1:${String(port)}`, sockets };
  }

  it('is spoken where the server wants it', async () => {
    const { origin, sockets } = await h2Server();
    const get = fetching({ ca: cert });
    for (let i = 0; i < 3; i++) {
      const result = expectResponse(await get(`${origin}/early`));
      expect(result).toMatchObject({ status: 200, remoteAddress: '127.0.0.1', truncated: false });
      expect({ ...result.headers }).toMatchObject({ 'x-protocol': 'h2', 'set-cookie': 'a=1\nb=2' });
      expect(text(result)).toBe('page');
    }
    expect(sockets.size).toBe(1);
  });

  it('has the same limits', async () => {
    const { origin } = await h2Server();
    const get = fetching({ ca: cert });
    const endless = expectResponse(await get(`${origin}/endless`));
    expect(endless).toMatchObject({ truncated: 'too-large' });
    expect(endless.body.length).toBe(1024 * 1024);
    expect(expectResponse(await get(`${origin}/short`))).toMatchObject({ truncated: 'incomplete' });
    // What the limit is spent on is the response: the connection is there.
    expect(expectResponse(await get(`${origin}/early`)).status).toBe(200);
    expect(
      expectFault(await get(`${origin}/silent`, { limits: { maxBodyBytes: 1, totalTimeoutMs: 200 } })).fault,
    ).toBe('timeout');
    expect(['protocol', 'reset']).toContain(expectFault(await get(`${origin}/flood`)).fault);
    expect(expectFault(await get(`${origin}/gone`)).fault).toBe('reset');
    expect(expectResponse(await get(`${origin}/early`)).status).toBe(200);
  });
});

describe('abort', () => {
  it('rejects with its reason and drops the connection', async () => {
    const server = await rawServer(() => undefined);
    const abort = new AbortController();
    const result = fetching()(server.origin, { signal: abort.signal });
    await until(() => server.requests.length === 1);
    abort.abort(new Error('told to stop'));
    await expect(result).rejects.toThrow('told to stop');
    await until(() => server.connections.open === 0);
  });

  it('before anything was sent sends nothing', async () => {
    const server = await rawServer((socket) => socket.write(response('x')));
    const get = fetching();
    await expect(get(server.origin, { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no');
    const abort = new AbortController();
    const result = get(server.origin, { signal: abort.signal });
    abort.abort(new Error('stop'));
    await expect(result).rejects.toThrow('stop');
    expectResponse(await get(`${server.origin}/next`));
    expect(server.requests.map((request) => request.split(' ')[1])).toEqual(['/next']);
  });

  it('in the middle of a body', async () => {
    const server = await rawServer((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'),
    );
    const abort = new AbortController();
    const result = fetching()(server.origin, { signal: abort.signal });
    setTimeout(() => abort.abort(new Error('stop')), 100);
    await expect(result).rejects.toThrow('stop');
    await until(() => server.connections.open === 0);
  });
});
