/**
 * A server may close a kept connection at the moment a request is on its way (RFC 9112 section 9.3.1). The fetcher never
 * sends it again by itself, which would be sooner than the host's delay; it says that sending it again is right.
 */
import { createSecureServer } from 'node:http2';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cert, key } from './certificate.ts';
import { expectFault, expectResponse, fetching, text } from './fetching.ts';
import { frame, frameTypes, rawH2Server, responseHead, words } from './raw-h2-server.ts';
import { listen } from '../support/loopback.ts';
import { rawServer, response } from './raw-server.ts';

const ok = response('page');

describe('a request that went unheard', () => {
  it.each<[string, 'end' | 'destroy' | 'resetAndDestroy']>([
    ['closes', 'end'],
    ['drops', 'destroy'],
    ['resets', 'resetAndDestroy'],
  ])('may be repeated where the server %s a kept connection under it', async (_name, how) => {
    const server = await rawServer((socket, _request, count) => {
      if (count === 1) socket.write(ok);
      else socket[how]();
    });
    const get = fetching();
    expectResponse(await get(`${server.origin}/1`));
    expect(expectFault(await get(`${server.origin}/2`))).toMatchObject({ fault: 'reset', repeatable: true });
    expect(server.requests.length).toBe(2);
  });

  it('is one that was not answered at all, on a connection that was not new', async () => {
    const server = await rawServer((socket, request, count) => {
      if (request.startsWith('GET /new')) socket.end();
      else if (count === 1) socket.write(ok);
      else socket.end(request.startsWith('GET /hint') ? 'HTTP/1.1 103 Early Hints\r\n\r\n' : 'HTTP/1.1 200');
    });
    const get = fetching();
    expect(expectFault(await get(`${server.origin}/new`)).repeatable).toBeUndefined();
    for (const path of ['/head', '/hint']) {
      expectResponse(await get(`${server.origin}/first`));
      expect(expectFault(await get(server.origin + path)).repeatable).toBeUndefined();
    }
  });

  it('makes the next ones go on connections of their own, for a while', async () => {
    const server = await rawServer((socket, _request, count) => {
      if (count === 1) socket.write(ok);
      else socket.destroy();
    });
    const get = fetching();
    const ends: string[] = [];
    for (let i = 0; i < 56; i++) {
      const result = await get(server.origin);
      ends.push(result.kind === 'fault' && result.repeatable === true ? 'unheard' : result.kind);
    }
    const unheard = ends.flatMap((end, at) => (end === 'unheard' ? [at] : []));
    expect(unheard).toEqual([1, 53]);
    expect(ends.filter((end) => end === 'response').length).toBe(54);
  });

  it('does not cost hosts that keep their word their connection', async () => {
    const server = await rawServer((socket) => socket.write(ok));
    const other = await rawServer((socket, _request, count) => {
      if (count === 1) socket.write(ok);
      else socket.destroy();
    });
    const get = fetching();
    for (let i = 0; i < 3; i++) {
      await get(other.origin);
      expectResponse(await get(server.origin));
    }
    expect(server.connections.total).toBe(1);
  });
});

describe('an HTTP/2 request that was turned away (RFC 9113 section 8.7)', () => {
  it.each<[string, (streamId: number) => Buffer]>([
    ['refused', (id) => frame(frameTypes.rstStream, 0, id, words(7))],
    ['above the last that a farewell names', () => frame(frameTypes.goaway, 0, 0, words(0, 0))],
  ])('%s: was sent once, and may be repeated', async (_name, refusal) => {
    const server = await rawH2Server((socket, id) => {
      if (server.requests.length === 1) socket.write(refusal(id));
      else socket.write(responseHead(id, [[':status', '204']], 5));
    });
    const get = fetching({ ca: cert });
    expect(expectFault(await get(`${server.origin}/1`))).toMatchObject({ fault: 'reset', repeatable: true });
    expect(server.requests.length).toBe(1);
    expect(expectResponse(await get(`${server.origin}/1`)).status).toBe(204);
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 2]);
  });

  it('for calm: is not to be repeated', async () => {
    const server = await rawH2Server((socket) => socket.write(frame(frameTypes.goaway, 0, 0, words(0, 11))));
    const fault = expectFault(await fetching({ ca: cert })(server.origin));
    expect(fault.repeatable).toBeUndefined();
    expect(fault.message).toContain('asked for calm');
  });

  it.each<[string, 'stream' | 'session']>([
    ['stream', 'stream'],
    ['session', 'session'],
  ])('for HTTP/1.1, by its %s: is repeated by that', async (_name, by) => {
    const versions: string[] = [];
    const server = createSecureServer({ key, cert, allowHTTP1: true }, (request, answer) => {
      versions.push(request.httpVersion);
      if (request.httpVersion === '1.1') answer.end('by 1.1');
    });
    server.on('stream', (stream) => {
      stream.on('error', () => undefined);
      if (by === 'stream') stream.close(13);
      else stream.session?.goaway(13, 0);
    });
    const port = await listen(server);
    onTestFinished(() => void server.close());
    const get = fetching({ ca: cert });
    const url = `https://127.0.0.1:${String(port)}/`;
    const first = expectFault(await get(url, { limits: { maxBodyBytes: 100, totalTimeoutMs: 2_000 } }));
    if (by === 'stream') expect(first).toMatchObject({ fault: 'reset', repeatable: true });
    expect(text(expectResponse(await get(url)))).toBe('by 1.1');
    expect(versions).toEqual(['2.0', '1.1']);
  });

  it('one on a session that died unnoticed goes to a new one', async () => {
    const server = await rawH2Server((socket, id, count) => {
      if (count === 1) socket.write(responseHead(id, [[':status', '204']], 5));
      else socket.destroy();
    });
    const get = fetching({ ca: cert });
    expectResponse(await get(server.origin));
    expect(expectFault(await get(server.origin))).toMatchObject({ fault: 'reset', repeatable: true });
    expectResponse(await get(server.origin));
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1, 2]);
  });
});
