/** Heads and framing that break the rules of HTTP/1.1 (RFC 9110, 9112): one clear outcome each. */
import * as zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { expectFault, expectResponse, fetching, text, until } from './fetching.ts';
import { pour, rawServer, response, type Answer } from './raw-server.ts';

const MiB = 1024 * 1024;
const head = (lines: string, status = '200 OK'): string => `HTTP/1.1 ${status}\r\n${lines}\r\n\r\n`;
const length5 = 'Content-Length: 5';
const chunked = 'Transfer-Encoding: chunked';
const short = { limits: { maxBodyBytes: MiB, totalTimeoutMs: 1_000 } };
const sending = (bytes: string | Buffer) =>
  rawServer((socket) => socket.end(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes));

describe('lengths that are none (RFC 9110 section 8.6)', () => {
  it.each<[string, string]>([
    ['negative', 'Content-Length: -5'],
    ['signed', 'Content-Length: +5'],
    ['hexadecimal', 'Content-Length: 0x5'],
    ['fractional', 'Content-Length: 5.0'],
    ['empty', 'Content-Length:'],
    ['beyond 64 bits', 'Content-Length: 99999999999999999999'],
    ['twice and different', 'Content-Length: 5\r\nContent-Length: 6'],
  ])('%s: protocol', async (_name, lines) => {
    const server = await sending(`${head(lines)}hello`);
    const fault = expectFault(await fetching()(server.origin));
    expect(fault.fault).toBe('protocol');
    expect(fault.repeatable).toBeUndefined();
    expect(server.requests.length).toBe(1);
  });
});

describe('heads and framing that all clients read (RFC 9112)', () => {
  it.each<[string, string]>([
    ['section 5.2: a folded field', `${head(`X-A: a\r\n  b\r\n${length5}`)}hello`],
    ['section 5.2: a fold by a tab, twice', `${head(`X-A: a\r\n\tb\r\n c\r\n${length5}`)}hello`],
    ['section 2.2: blanks before the first field', `${head(` X-A: a\r\n${length5}`)}hello`],
    ['section 2.2: line feeds alone', `HTTP/1.1 200 OK\n${length5}\nX-A: b\n\nhello`],
    ['section 2.2: both kinds of line ends', `HTTP/1.1 200 OK\r\n${length5}\nX-A: b\r\n\nhello`],
    ['section 5.1: a space before the colon', `${head(`Expires : never\r\n${length5}`)}hello`],
    ['a line that is no field', `${head(`X-Frame-Options SAMEORIGIN\r\n${length5}`)}hello`],
    ['a field without a name', `${head(`: b\r\n${length5}`)}hello`],
    ['RFC 9110 section 8.6: one length twice', `${head(`${length5}\r\n${length5}`)}hello`],
    ['RFC 9110 section 8.6: one length in a list', `${head('Content-Length: 5, 5')}hello`],
    ['section 6.3: a length beside chunks', `${head(`${length5}\r\n${chunked}`)}5\r\nhello\r\n0\r\n\r\n`],
    ['chunks said twice', `${head(`${chunked}\r\n${chunked}`)}5\r\nhello\r\n0\r\n\r\n`],
    [
      'RFC 2616 section 3.6: identity',
      `HTTP/1.0 200 OK\r\nTransfer-Encoding: identity\r\n${length5}\r\n\r\nhello`,
    ],
    ['padded sizes', `${head(chunked)}3  \r\nhel\r\n2 \t\r\nlo\r\n0   \r\n\r\n`],
    ['padded sizes before extensions', `${head(chunked)}5 ;a=b\r\nhello\r\n0\r\n\r\n`],
  ])('%s: read, and the connection is not used again', async (_name, bytes) => {
    const server = await rawServer((socket) => socket.write(Buffer.from(bytes, 'latin1')));
    const get = fetching();
    for (const path of ['/1', '/2']) {
      const result = expectResponse(await get(server.origin + path));
      expect(result).toMatchObject({ status: 200, truncated: false, mended: true });
      expect(text(result)).toBe('hello');
    }
    expect(server.connections.total).toBe(2);
  });

  it('is read wherever TCP divides it', async () => {
    const bytes = `HTTP/1.1 200 OK\nX-A : a\r\n b\r\n${chunked}\n\r\n3 \r\nhel\r\n2  ;x=y\r\nlo\r\n0 \r\n\r\n`;
    const server = await rawServer((socket, request) => {
      const at = Number(/^GET \/(\d+)/.exec(request)?.[1]);
      socket.setNoDelay(true).write(bytes.slice(0, at));
      setTimeout(() => socket.write(bytes.slice(at)), 2);
    });
    const get = fetching();
    for (let at = 1; at < bytes.length; at++) {
      const result = expectResponse(await get(`${server.origin}/${String(at)}`));
      expect(text(result), `at ${String(at)}`).toBe('hello');
      expect(result.headers['x-a']).toBe('a b');
    }
  });

  it('an answer without a fault keeps its connection', async () => {
    const server = await rawServer((socket) => socket.write(`${head(chunked)}5\r\nhello\r\n0\r\n\r\n`));
    const get = fetching();
    for (const path of ['/1', '/2']) {
      expect(expectResponse(await get(server.origin + path)).mended).toBeUndefined();
    }
    expect(server.connections.total).toBe(1);
  });

  it('however many interim heads come at once, and however small the parts of a head', async () => {
    const many = await rawServer((socket) =>
      pour(socket, Buffer.from('HTTP/1.1 100\n\n'.repeat(20_000)), MiB),
    );
    expect(expectFault(await fetching()(many.origin)).message).toContain('more than 32 interim responses');
    const lines = Buffer.from(`HTTP/1.1 200 OK\n${'a\n'.repeat(20_000)}${length5}\n\nhello`);
    const server = await rawServer((socket) => {
      socket.setNoDelay(true);
      for (let at = 0; at < lines.length; at += 64) socket.write(lines.subarray(at, at + 64));
    });
    expect(text(expectResponse(await fetching()(server.origin)))).toBe('hello');
  });

  it('a head that breaks off is no answer', async () => {
    const server = await sending('HTTP/1.1 200 OK\r\nX-A: b\r\n');
    expect(expectFault(await fetching()(server.origin)).fault).toBe('reset');
  });
});

describe('chunks that are none (RFC 9112 section 7.1)', () => {
  it.each<[string, string]>([
    ['a negative size', '-5\r\nhello\r\n0\r\n\r\n'],
    ['a size beyond 64 bits', 'FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n'],
    ['bare line feeds', '5\nhello\n0\n\n'],
    ['longer than it says', '3\r\nhello\r\n0\r\n\r\n'],
    ['no size', '\r\nhello\r\n0\r\n\r\n'],
    ['a size in two parts', '0 5\r\nhello\r\n0\r\n\r\n'],
    ['plain text', 'hello'],
  ])('%s: protocol', async (_name, body) => {
    const server = await sending(head(chunked) + body);
    expect(expectFault(await fetching()(server.origin)).fault).toBe('protocol');
  });

  it('extensions and trailers are passed over', async () => {
    const server = await sending(`${head(chunked)}5;a=b;c="d"\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n`);
    const result = expectResponse(await fetching()(server.origin));
    expect(result).toMatchObject({ truncated: false });
    expect(text(result)).toBe('hello');
    expect(result.headers['x-sum']).toBeUndefined();
  });

  it('an endless extension ends with the time limit', async () => {
    const server = await rawServer((socket) => {
      socket.write(`${head(chunked)}5;`);
      const drip = setInterval(() => socket.write('x'.repeat(1_000)), 5);
      socket.on('close', () => clearInterval(drip));
    });
    expect(expectFault(await fetching()(server.origin, short)).fault).toBe('timeout');
    await until(() => server.connections.open === 0);
  });

  it('a coding of the transfer is undone after those of the content', async () => {
    const wire = zlib.deflateSync(zlib.gzipSync('hello'));
    const server = await rawServer((socket) => {
      socket.write(head(`Content-Encoding: gzip\r\nTransfer-Encoding: deflate, chunked`));
      socket.write(`${wire.length.toString(16)}\r\n`);
      socket.write(wire);
      socket.write('\r\n0\r\n\r\n');
    });
    expect(text(expectResponse(await fetching()(server.origin)))).toBe('hello');
  });
});

describe('heads', () => {
  it.each<[string, string]>([
    ['a status of four digits', head(length5, '1000 X')],
    ['a status of two digits', head(length5, '99 X')],
    ['a status of zero', head(length5, '000 X')],
    ['a negative status', head(length5, '-200 X')],
    ['an unknown version', `HTTP/3.7 200 OK\r\n${length5}\r\n\r\n`],
    ['a streaming server', `ICY 200 OK\r\n${length5}\r\n\r\n`],
    ['junk before the status', `junk\r\n${head(length5)}`],
    ['a NUL in a value', head(`X-A: a\0b\r\n${length5}`)],
    ['a control character in a value', head(`X-A: a\x01b\r\n${length5}`)],
    ['a carriage return in a value', head(`X-A: a\rb\r\n${length5}`)],
    ['a NUL in Location', head(`Location: /a\0b\r\n${length5}`, '302 Found')],
    ['an alert of TLS', '\x15\x03\x01\x00\x02\x02\x28'],
    ['a frame of HTTP/2', '\0\0\0\x04\0\0\0\0\0'],
  ])('%s: protocol, in one sentence', async (_name, bytes) => {
    const server = await sending(`${bytes}hello`);
    const fault = expectFault(await fetching()(server.origin));
    expect(fault.fault).toBe('protocol');
    expect(fault.message).toMatch(/^127\.0\.0\.1:\d+ [^\n]+\.$/);
  });

  it.each<[string, string, number]>([
    ['HTTP/1.0, to the end', 'HTTP/1.0 200 OK\r\n\r\nhello', 200],
    ['no reason', `HTTP/1.1 200\r\n${length5}\r\n\r\nhello`, 200],
    ['empty lines before', `\r\n\r\n${head(length5)}hello`, 200],
    ['a status nobody knows', `${head(length5, '999 Denied')}hello`, 999],
    ['an offer to upgrade', `${head(`Upgrade: h2c\r\nConnection: Upgrade\r\n${length5}`)}hello`, 200],
    ['a keep-alive of minus one', `${head(`Keep-Alive: timeout=-1\r\n${length5}`)}hello`, 200],
  ])('%s: read', async (_name, bytes, status) => {
    const server = await sending(bytes);
    const result = expectResponse(await fetching()(server.origin));
    expect(result).toMatchObject({ status, truncated: false });
    expect(text(result)).toBe('hello');
  });

  it.each(['204 No Content', '304 Not Modified'])(
    '%s with a body: it has none, and what follows is no answer to the next request',
    async (status) => {
      const server = await rawServer((socket, request) => {
        if (request.startsWith('GET /1')) socket.write(`${head(length5, status)}hello`);
        else socket.write(response('second'));
      });
      const get = fetching();
      const result = expectResponse(await get(`${server.origin}/1`));
      expect(result.body.length).toBe(0);
      expect(text(expectResponse(await get(`${server.origin}/2`)))).toBe('second');
    },
  );

  it.each(['102 Processing', '103 Early Hints', '199 Whatever'])(
    'some of %s are passed over',
    async (status) => {
      const server = await sending(`${head('A: b', status).repeat(10)}${head(length5)}hello`);
      expect(text(expectResponse(await fetching()(server.origin)))).toBe('hello');
    },
  );

  it('an endless row of interim responses ends long before the time limit', async () => {
    const server = await rawServer((socket) => {
      pour(socket, Buffer.from(head('Link: </a>', '103 Early Hints').repeat(100)), 1024 * MiB);
    });
    const fault = expectFault(await fetching()(server.origin));
    expect(fault).toMatchObject({ fault: 'protocol' });
    expect(fault.message).toContain('more than 32 interim responses');
    await until(() => server.connections.open === 0);
  });
});

describe('a status that says it all', () => {
  it.each<[string, Answer]>([
    ['whose body hangs', (socket) => socket.write(`${head('Content-Length: 10', '404 Gone')}x`)],
    ['whose body breaks off', (socket) => socket.end(`${head('Content-Length: 10', '404 Gone')}x`)],
    ['whose chunks are none', (socket) => socket.write(`${head(chunked, '404 Gone')}zz\r\n`)],
  ])('%s is an answer', async (_name, answer) => {
    const server = await rawServer(answer);
    const result = expectResponse(await fetching()(server.origin, short));
    expect(result).toMatchObject({ status: 404, truncated: 'incomplete' });
    await until(() => server.connections.open === 0);
  });

  it('Retry-After is heard though the body never ends', async () => {
    const server = await rawServer((socket) =>
      socket.write(head(`Retry-After: 600\r\n${chunked}`, '503 Busy')),
    );
    const result = expectResponse(await fetching()(server.origin, short));
    expect(result.headers['retry-after']).toBe('600');
  });
});

describe('fields that are repeated', () => {
  it('X-Robots-Tag a line each, Location only where all agree', async () => {
    const lines = 'X-Robots-Tag: otherbot: noindex\r\nX-Robots-Tag: nofollow\r\nContent-Length: 0';
    const server = await rawServer((socket, request) => {
      const second = request.startsWith('GET /same') ? '/a' : '/b';
      socket.write(head(`${lines}\r\nLocation: /a\r\nLocation: ${second}`, '302 Found'));
    });
    const get = fetching();
    const same = expectResponse(await get(`${server.origin}/same`));
    expect(same.headers).toMatchObject({
      'x-robots-tag': 'otherbot: noindex\nnofollow',
      location: '/a',
    });
    const different = expectResponse(await get(`${server.origin}/different`));
    expect(different.headers['location']).toBe('/a\n/b');
  });
});
