/** A 100 Continue that nobody asked for is passed over, wherever it stands before the answer (RFC 9110 section 15.2). */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPoster } from '../../net/poster.ts';
import { cert, key } from './certificate.ts';
import { expectFault, expectResponse, fetching, loopback, text, until } from './fetching.ts';
import { frame, frameTypes, rawH2Server, responseHead } from './raw-h2-server.ts';
import { listen } from '../support/loopback.ts';
import { pour, rawServer, response } from './raw-server.ts';

const goOn = 'HTTP/1.1 100 Continue\r\n\r\n';
const page = response('page').toString('latin1');

describe('an unasked 100 Continue', () => {
  it.each<[string, string]>([
    ['before an answer', goOn + page],
    ['several times', goOn.repeat(32) + page],
    ['without a reason', `HTTP/1.1 100\r\n\r\n${page}`],
    ['with fields', `HTTP/1.1 100 Continue\r\nServer: a\r\nContent-Length: 0\r\n\r\n${page}`],
    ['after an empty line', `\r\n${goOn}${page}`],
    ['among other interim responses', `HTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\n${goOn}${page}`],
  ])('%s is passed over', async (_name, bytes) => {
    const server = await rawServer((socket) => socket.write(bytes));
    const result = expectResponse(await fetching()(server.origin));
    expect(result).toMatchObject({ status: 200, truncated: false, remoteAddress: '127.0.0.1' });
    expect(text(result)).toBe('page');
    expect(server.requests.length).toBe(1);
  });

  it('is passed over wherever TCP divides it', async () => {
    const bytes = `${goOn}${goOn}${response(goOn).toString('latin1')}`;
    const inParts = async (socket: Socket, parts: Iterable<string>): Promise<void> => {
      for (const part of parts) {
        socket.write(part);
        await sleep(2);
      }
    };
    const server = await rawServer((socket, request) => {
      const at = Number(/^GET \/(\d+)/.exec(request)?.[1]);
      void inParts(socket.setNoDelay(true), at === 0 ? bytes : [bytes.slice(0, at), bytes.slice(at)]);
    });
    const get = fetching();
    for (let at = 0; at <= goOn.length * 2; at++) {
      expect(text(expectResponse(await get(`${server.origin}/${String(at)}`))), `at ${String(at)}`).toBe(
        goOn,
      );
    }
    expect(server.connections.total).toBe(1);
  });

  it('is passed over before each answer of a kept connection', async () => {
    const server = await rawServer((socket) => socket.write(goOn + page));
    const get = fetching();
    for (let i = 0; i < 5; i++) expect(text(expectResponse(await get(server.origin)))).toBe('page');
    expect(server.connections.total).toBe(1);
  });

  it('is passed over out of TLS', async () => {
    let connections = 0;
    const server = createTlsServer({ key, cert }, (socket) => {
      connections++;
      socket.on('error', () => undefined).on('data', () => socket.write(goOn + page));
    });
    const port = await listen(server);
    onTestFinished(() => void server.close());
    const get = fetching({ ca: cert });
    for (let i = 0; i < 3; i++) {
      expect(text(expectResponse(await get(`https://127.0.0.1:${String(port)}/`)))).toBe('page');
    }
    expect(connections).toBe(1);
  });

  it('is passed over by HTTP/2', async () => {
    const server = await rawH2Server((socket, id) => {
      const interim = responseHead(id, [[':status', '100']]);
      socket.write(
        Buffer.concat([interim, responseHead(id), frame(frameTypes.data, 1, id, Buffer.from('page'))]),
      );
    });
    expect(text(expectResponse(await fetching({ ca: cert })(server.origin)))).toBe('page');
  });

  it('is passed over by who sends webhooks', async () => {
    const server = await rawServer((socket) => socket.write(`${goOn}HTTP/1.1 204 No Content\r\n\r\n`));
    const post = createPoster({ allowPrivate: loopback, userAgent: 'orbweaver-tests/1.0' });
    const answer = await post({ url: server.origin, headers: {}, body: goOn.repeat(9), timeoutMs: 60_000 });
    expect(answer).toMatchObject({ kind: 'response', status: 204 });
  });

  it('with nothing after it ends with the time limit', async () => {
    const server = await rawServer((socket, _request, count) => socket.write(count === 1 ? page : goOn));
    const get = fetching();
    // What the limit is spent on is the response: the connection is there.
    expectResponse(await get(server.origin));
    const limits = { maxBodyBytes: 1_000, totalTimeoutMs: 300 };
    expect(expectFault(await get(server.origin, { limits })).fault).toBe('timeout');
    expect(server.connections.total).toBe(1);
    await until(() => server.connections.open === 0);
  });

  it('without end is a fault long before the time limit', async () => {
    const server = await rawServer((socket) => {
      pour(socket, Buffer.from(goOn.repeat(100)), 2 ** 30);
    });
    const fault = expectFault(await fetching()(server.origin));
    expect(fault.message).toContain('more than 32 interim responses');
    await until(() => server.connections.open === 0);
  });

  it('with a head without end is a fault', async () => {
    const server = await rawServer((socket) => {
      socket.write('HTTP/1.1 100 Continue\r\n');
      pour(socket, Buffer.from('X-A: b\r\n'.repeat(1_000)), 2 ** 30);
    });
    expect(expectFault(await fetching()(server.origin)).message).toContain(
      'response head of more than 65536',
    );
    await until(() => server.connections.open === 0);
  });

  it('is text where it stands in a body, however that is divided', async () => {
    const body = `${goOn}HTTP/1.1 200 OK\r\n\r\n`.repeat(2_000);
    const answer = async (socket: Socket, isChunked: boolean): Promise<void> => {
      const framing = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${String(body.length)}`;
      socket.write(`HTTP/1.1 200 OK\r\n${framing}\r\n\r\n`);
      await sleep(5);
      socket.write(isChunked ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body);
    };
    const server = await rawServer((socket, request) => {
      void answer(socket, request.startsWith('GET /chunked'));
    });
    const get = fetching();
    for (const path of ['/plain', '/chunked', '/plain']) {
      expect(text(expectResponse(await get(server.origin + path)))).toBe(body);
    }
    expect(server.connections.total).toBe(1);
  });
});
