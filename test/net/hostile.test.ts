/** Servers that misbehave: each gives one clear outcome, in bounded time and memory. */
import { randomBytes } from 'node:crypto';
import * as zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { expectFault, expectResponse, fetching, text, until } from './fetching.ts';
import { pour, rawServer, response, type Answer } from './raw-server.ts';

const MiB = 1024 * 1024;
const head = (lines: string): string => `HTTP/1.1 200 OK\r\n${lines}\r\n\r\n`;
const short = { limits: { maxBodyBytes: MiB, totalTimeoutMs: 1_000 } };

describe('long bodies', () => {
  it.each([
    ['10 GB', 'Content-Length: 10737418240', Buffer.alloc(65_536, 'x')],
    ['endless until close', 'Connection: close', Buffer.alloc(65_536, 'x')],
    ['endless in chunks', 'Transfer-Encoding: chunked', Buffer.from(`8000\r\n${'x'.repeat(0x8000)}\r\n`)],
  ])('%s: kept up to the limit, and the connection is dropped', async (_name, lines, chunk) => {
    let poured = { written: 0 };
    const server = await rawServer((socket) => {
      socket.write(head(lines));
      poured = pour(socket, chunk, 10 * 1024 * MiB);
    });
    const result = expectResponse(await fetching()(server.origin));
    expect(result).toMatchObject({ status: 200, truncated: 'too-large' });
    expect(result.body.length).toBe(MiB);
    await until(() => server.connections.open === 0);
    expect(poured.written).toBeLessThan(32 * MiB);
  });

  it('a body of exactly the limit is whole', async () => {
    const server = await rawServer((socket) => socket.write(response(Buffer.alloc(MiB))));
    expect(expectResponse(await fetching()(server.origin))).toMatchObject({
      truncated: false,
      wireBytes: MiB,
    });
  });

  it('an endless slow body ends with the time limit', async () => {
    const server = await rawServer((socket) => {
      socket.write(head('Connection: close'));
      const drip = setInterval(() => socket.write('.'), 10);
      socket.on('close', () => clearInterval(drip));
    });
    const fault = expectFault(await fetching()(server.origin, short));
    expect(fault.fault).toBe('timeout');
    expect(fault.message).toMatch(/127\.0\.0\.1:\d+ did not finish its response within 1000 ms\./);
    await until(() => server.connections.open === 0);
  });

  it('an endless coded body that yields nothing ends when it is longer than it may be undone', async () => {
    const gzipHead = zlib.gzipSync('').subarray(0, 10);
    const emptyBlocks = Buffer.concat(
      Array.from({ length: 10_000 }, () => Buffer.from([0, 0, 0, 0xff, 0xff])),
    );
    let poured = { written: 0 };
    const server = await rawServer((socket) => {
      socket.write(head('Content-Encoding: gzip\r\nConnection: close'));
      socket.write(gzipHead);
      poured = pour(socket, emptyBlocks, 10 * 1024 * MiB);
    });
    expect(expectResponse(await fetching()(server.origin))).toMatchObject({ truncated: 'too-large' });
    await until(() => server.connections.open === 0);
    expect(poured.written).toBeLessThan(32 * MiB);
  });
});

describe('bombs', () => {
  const zeros = Buffer.alloc(48 * MiB);
  const bombs: [string, string, () => Buffer][] = [
    ['gzip', 'gzip', () => zlib.gzipSync(zeros)],
    ['deflate', 'deflate', () => zlib.deflateSync(zeros)],
    ['raw deflate', 'deflate', () => zlib.deflateRawSync(zeros)],
    [
      'br',
      'br',
      () => zlib.brotliCompressSync(zeros, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 3 } }),
    ],
    ['zstd', 'zstd', () => zlib.zstdCompressSync(zeros)],
    ['gzip in gzip', 'gzip, gzip', () => zlib.gzipSync(zlib.gzipSync(zeros))],
  ];
  it.each(bombs)('%s: cut at the limit', async (_name, coding, bomb) => {
    const wire = bomb();
    const server = await rawServer((socket) => socket.write(response(wire, { 'Content-Encoding': coding })));
    const result = expectResponse(await fetching()(server.origin));
    expect(result.truncated).toBe('too-large');
    expect(result.body.length).toBe(MiB);
    expect(result.wireBytes).toBe(wire.length);
  });

  it('an endless bomb is cut while it comes', async () => {
    const member = zlib.gzipSync(Buffer.alloc(256 * 1024, 'a'));
    let poured = { written: 0 };
    const server = await rawServer((socket) => {
      socket.write(head('Content-Encoding: gzip\r\nConnection: close'));
      poured = pour(socket, Buffer.concat(Array.from({ length: 200 }, () => member)), 1024 * MiB);
    });
    const result = expectResponse(await fetching()(server.origin));
    expect(result).toMatchObject({ truncated: 'too-large' });
    expect(result.body.length).toBe(MiB);
    await until(() => server.connections.open === 0);
    expect(poured.written).toBeLessThan(32 * MiB);
  });
});

describe('codings', () => {
  const page = Buffer.from('<p>some text of the page</p>'.repeat(2_000));
  it.each<[string, string, Buffer, false | string]>([
    ['raw deflate', 'deflate', zlib.deflateRawSync(page), false],
    ['stacked', 'gzip, br', zlib.brotliCompressSync(zlib.gzipSync(page)), false],
    ['a word that is none', 'UTF-8', page, false],
    ['truncated gzip', 'gzip', zlib.gzipSync(page, { level: 0 }).subarray(0, 30_000), 'incomplete'],
    ['plain text sent as gzip', 'gzip', page, 'bad-encoding'],
  ])('%s', async (_name, coding, wire, truncated) => {
    const server = await rawServer((socket) => socket.write(response(wire, { 'Content-Encoding': coding })));
    const result = expectResponse(await fetching()(server.origin));
    expect(result.truncated).toBe(truncated);
    if (truncated === false) expect(page.equals(result.body)).toBe(true);
    else expect(page.subarray(0, result.body.length).equals(result.body)).toBe(true);
    if (truncated === 'incomplete') expect(result.body.length).toBeGreaterThan(29_000);
  });

  it('bytes in a coding nobody asked for are kept and marked', async () => {
    const server = await rawServer((socket) =>
      socket.write(response('LZW', { 'Content-Encoding': 'compress' })),
    );
    const result = expectResponse(await fetching()(server.origin));
    expect(result.truncated).toBe('bad-encoding');
    expect(text(result)).toBe('LZW');
  });

  it('a long coded body is decoded while it comes, whole or cut off', async () => {
    const noise = randomBytes(900_000);
    const wire = zlib.gzipSync(noise);
    expect(wire.length).toBeGreaterThan(300 * 1024);
    const server = await rawServer((socket, request) => {
      const whole = response(wire, { 'Content-Encoding': 'gzip' });
      if (request.startsWith('GET /whole')) socket.write(whole);
      else socket.end(whole.subarray(0, whole.length - 2_000));
    });
    const get = fetching();
    const whole = expectResponse(await get(`${server.origin}/whole`));
    expect(whole.truncated).toBe(false);
    expect(noise.equals(whole.body)).toBe(true);
    const cut = expectResponse(await get(`${server.origin}/cut`));
    expect(cut.truncated).toBe('incomplete');
    expect(cut.body.length).toBeGreaterThan(800_000);
    expect(noise.subarray(0, cut.body.length).equals(cut.body)).toBe(true);
  });
});

describe('heads', () => {
  const protocolFaults: [string, Answer, RegExp][] = [
    [
      'a field of 1 MB',
      (s) => s.write(head(`X-Flood: ${'x'.repeat(MiB)}`)),
      /response head of more than 65536 bytes/,
    ],
    [
      '100,000 fields',
      (s) => s.write(head('A: b\r\n'.repeat(100_000))),
      /response head of more than 65536 bytes/,
    ],
    ['not HTTP', (s) => s.write('SSH-2.0-OpenSSH_9.2\r\n\r\n'), /does not speak HTTP properly/],
    ['HTTP/0.9', (s) => s.end('<html>hello</html>'), /does not speak HTTP properly/],
    [
      'a switch of protocols',
      (s) => s.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n'),
      /switched protocols/,
    ],
    [
      'two lengths',
      (s) => s.write(`${head('Content-Length: 1\r\nContent-Length: 2')}ab`),
      /contradicts itself about the length/,
    ],
    [
      'chunk garbage at once',
      (s) => s.write(`${head('Transfer-Encoding: chunked')}zz\r\nhello`),
      /does not speak HTTP properly/,
    ],
    [
      'chunk garbage later',
      (s) => s.write(`${head('Transfer-Encoding: chunked')}5\r\nhello\r\nxyz\r\n`),
      /does not speak HTTP properly/,
    ],
    [
      'endless trailers',
      (s) => s.write(`${head('Transfer-Encoding: chunked')}1\r\na\r\n0\r\n${'T: x\r\n'.repeat(100_000)}`),
      /more than 65536 bytes/,
    ],
  ];
  it.each(protocolFaults)('%s: protocol', async (_name, answer, message) => {
    const server = await rawServer(answer);
    const fault = expectFault(await fetching()(server.origin));
    expect(fault.fault).toBe('protocol');
    expect(fault.message).toMatch(message);
    expect(fault.message).toContain(new URL(server.origin).host);
    await until(() => server.connections.open === 0);
  });

  it('a server that says nothing: timeout', async () => {
    const server = await rawServer(() => undefined);
    const fault = expectFault(await fetching()(server.origin, short));
    expect(fault).toMatchObject({ fault: 'timeout' });
    expect(fault.message).toContain('did not answer within 1000 ms');
  });

  it('a head that never ends: timeout', async () => {
    const server = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('A: b\r\n'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    expect(expectFault(await fetching()(server.origin, short)).fault).toBe('timeout');
  });

  it('early hints come before the response (RFC 8297)', async () => {
    const server = await rawServer((socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n'.repeat(3));
      socket.write(response('page', { 'X-Final': 'yes' }));
    });
    const result = expectResponse(await fetching()(server.origin));
    expect(result.status).toBe(200);
    expect(result.headers['link']).toBeUndefined();
    expect(result.headers['x-final']).toBe('yes');
    expect(text(result)).toBe('page');
  });

  it('field names of JavaScript objects are fields like any other', async () => {
    const server = await rawServer((socket) =>
      socket.write(head('__proto__: p\r\nconstructor: c\r\nContent-Length: 0')),
    );
    const fields = new Map(Object.entries(expectResponse(await fetching()(server.origin)).headers));
    expect(fields.get('constructor')).toBe('c');
    expect(fields.get('__proto__')).toBe('p');
  });
});

describe('broken connections', () => {
  it.each<[string, Answer]>([
    ['reset', (socket) => socket.resetAndDestroy()],
    ['closed', (socket) => socket.end()],
    ['closed after early hints', (socket) => socket.end('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n')],
    ['closed within the head', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-')],
  ])('%s before the response: reset', async (_name, answer) => {
    const server = await rawServer(answer);
    const fault = expectFault(await fetching()(server.origin));
    expect(fault.fault).toBe('reset');
    expect(fault.message).toMatch(/^127\.0\.0\.1:\d+ closed the connection before the response was whole\.$/);
    expect(server.requests.length).toBe(1);
  });

  it.each<[string, Answer]>([
    ['short of its Content-Length', (socket) => socket.end(`${head('Content-Length: 100')}only this`)],
    [
      'short of its Content-Length, reset',
      (socket) => {
        socket.write(`${head('Content-Length: 100')}only this`);
        setTimeout(() => socket.resetAndDestroy(), 50);
      },
    ],
    [
      'short of its Content-Length, announced',
      (socket) => socket.end(`${head('Connection: close\r\nContent-Length: 100')}only this`),
    ],
    ['within its chunks', (socket) => socket.end(`${head('Transfer-Encoding: chunked')}9\r\nonly this\r\n`)],
    [
      'within its chunks, announced',
      (socket) => socket.end(`${head('Transfer-Encoding: chunked\r\nConnection: close')}9\r\nonly this\r\n`),
    ],
    [
      'without the trailer of its gzip',
      (socket) => {
        socket.write(head('Connection: close\r\nContent-Encoding: gzip'));
        socket.end(zlib.gzipSync('only this').subarray(0, -8));
      },
    ],
  ])('a body that ends %s is incomplete, and kept', async (_name, answer) => {
    const server = await rawServer(answer);
    const result = expectResponse(await fetching()(server.origin));
    expect(result.truncated).toBe('incomplete');
    expect(text(result)).toBe('only this');
  });

  it.each<[string, Answer]>([
    [
      'whose Content-Length is that of the text',
      (socket) => {
        socket.write(head('Content-Length: 9000\r\nContent-Encoding: gzip'));
        socket.end(zlib.gzipSync('only this'));
      },
    ],
    [
      'without a last chunk',
      (socket) => {
        const wire = zlib.gzipSync('only this');
        socket.write(head('Transfer-Encoding: chunked\r\nContent-Encoding: gzip'));
        socket.write(`${wire.length.toString(16)}\r\n`);
        socket.write(wire);
        socket.end('\r\n');
      },
    ],
  ])('a coded body %s that has its own end is whole', async (_name, answer) => {
    const server = await rawServer(answer);
    const result = expectResponse(await fetching()(server.origin));
    expect(result.truncated).toBe(false);
    expect(text(result)).toBe('only this');
  });

  it('a body longer than its Content-Length ends there, and the rest is never taken for the next response', async () => {
    const server = await rawServer((socket, request, count) => {
      if (count === 1) socket.write(`${head('Content-Length: 4')}page${head('Content-Length: 4')}evil`);
      else socket.write(response(request.slice(4, 6)));
    });
    const get = fetching();
    expect(text(expectResponse(await get(`${server.origin}/1`)))).toBe('page');
    for (const path of ['/2', '/3']) {
      const next = await get(server.origin + path);
      if (next.kind === 'response') expect(text(next)).not.toBe('evil');
    }
  });
});
