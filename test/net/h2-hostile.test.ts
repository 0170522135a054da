/** HTTP/2 servers that break the rules of RFC 9113: one clear outcome each, and the next request starts afresh. */
import type { Socket } from 'node:net';
import * as zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { cert } from './certificate.ts';
import type { FetchRequest } from '../../contracts/fetching.ts';
import { expectFault, expectResponse, fetching, text, until } from './fetching.ts';
import {
  endHeaders,
  endStream,
  frame,
  frameTypes,
  hpack,
  rawH2Server,
  responseHead,
  setting,
  words,
  type FrameAnswer,
} from './raw-h2-server.ts';

const limits = { maxBodyBytes: 1024 * 1024, totalTimeoutMs: 120_000 };
const short = { limits: { ...limits, totalTimeoutMs: 1_000 } };
const data = (streamId: number, body: string | Buffer, flags = 0): Buffer =>
  frame(frameTypes.data, flags, streamId, Buffer.from(body));
const whole: FrameAnswer = (socket, id) =>
  socket.write(Buffer.concat([responseHead(id), data(id, 'page', endStream)]));
const reset = (streamId: number, code: number): Buffer =>
  frame(frameTypes.rstStream, 0, streamId, words(code));
const goaway = (lastStreamId: number, code = 0): Buffer =>
  frame(frameTypes.goaway, 0, 0, words(lastStreamId, code));
/** A request that tells when its head has come: what the server sends after that comes by itself. */
function headSeen(): { readonly seen: () => Promise<void>; readonly request: Partial<FetchRequest> } {
  const state = { seen: false };
  return {
    seen: () => until(() => state.seen),
    request: { limits, wantsBody: () => (state.seen = true) },
  };
}
const headed = (streamId: number, ...fields: [string, string][]): Buffer =>
  responseHead(streamId, [[':status', '200'], ...fields]);

/** Again and again, as fast as the other side reads, until it hangs up. */
function flood(socket: Socket, bytes: Buffer): void {
  const burst = Buffer.concat(Array.from({ length: 100 }, () => bytes));
  const more = (): void => {
    while (!socket.destroyed) if (!socket.write(burst)) return;
  };
  socket.on('drain', more);
  more();
}

describe('HTTP/2 that is broken: protocol', () => {
  it.each<[string, FrameAnswer]>([
    ['a push that was forbidden', (s, id) => s.write(frame(5, 4, id, Buffer.concat([words(2), hpack([])])))],
    ['a flood of SETTINGS', (s) => flood(s, frame(frameTypes.settings, 0, 0, setting(4, 65_535)))],
    ['a flood of PING', (s) => flood(s, frame(frameTypes.ping, 0, 0, Buffer.alloc(8)))],
    [
      'a flood of empty DATA',
      (s, id) => {
        s.write(responseHead(id));
        flood(s, frame(frameTypes.data, 0, id));
      },
    ],
    [
      'a head without end',
      (s, id) => {
        s.write(frame(frameTypes.headers, 0, id, hpack([[':status', '200']])));
        flood(s, frame(frameTypes.continuation, 0, id, hpack([['x-a', 'b'.repeat(8_000)]])));
      },
    ],
    ['interim responses without end', (s, id) => flood(s, responseHead(id, [[':status', '103']]))],
    ['no status', (s, id) => s.write(responseHead(id, [['x', 'y']]))],
    ['a status of letters', (s, id) => s.write(responseHead(id, [[':status', 'abc']]))],
    ['a status of 101', (s, id) => s.write(responseHead(id, [[':status', '101']]))],
    ['two statuses', (s, id) => s.write(headed(id, [':status', '404']))],
    ['a field in capitals', (s, id) => s.write(headed(id, ['X-A', 'b']))],
    ['a field of HTTP/1.1', (s, id) => s.write(headed(id, ['transfer-encoding', 'chunked']))],
    ['a negative length', (s, id) => s.write(headed(id, ['content-length', '-4']))],
    ['two lengths', (s, id) => s.write(headed(id, ['content-length', '4'], ['content-length', '5']))],
    ['a body before its head', (s, id) => s.write(data(id, 'page', endStream))],
    ['a body on stream 0', (s) => s.write(data(0, 'page'))],
    ['a body on a stream nobody opened', (s, id) => s.write(data(id + 2, 'page'))],
    ['padding longer than its frame', (s, id) => s.write(frame(0, 8, id, Buffer.of(200, 1, 2)))],
    ['a frame longer than agreed', (s, id) => s.write(data(id, Buffer.alloc(100_000)))],
    ['a window beyond its size', (s) => flood(s, frame(8, 0, 0, words(0x7fffffff)))],
    ['a window that grows by nothing', (s, id) => s.write(frame(8, 0, id, words(0)))],
    ['the answer in HTTP/1.1', (s) => s.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')],
    ['a protocol error of ours, it says', (s, id) => s.write(reset(id, 1))],
  ])('%s', async (_name, answer) => {
    let broken = true;
    const server = await rawH2Server((socket, id, count) => {
      if (broken) answer(socket, id, count);
      else whole(socket, id, count);
    });
    const get = fetching({ ca: cert });
    const fault = expectFault(await get(`${server.origin}/1`, { limits }));
    expect(fault.fault).toBe('protocol');
    expect(fault.repeatable).toBeUndefined();
    broken = false;
    expect(text(expectResponse(await get(`${server.origin}/2`, { limits })))).toBe('page');
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 2]);
  });

  it('a head of few bytes that unfold to many (RFC 7541 section 7.3)', async () => {
    const server = await rawH2Server((socket, id) => {
      // An entry of 4 kB in the dynamic table (01……, name and value as literals), then it again and again.
      const value = Buffer.alloc(3_900, 'v');
      const entry = Buffer.concat([Buffer.of(0x40, 1, 0x78, 127, (3_773 & 127) | 128, 3_773 >> 7), value]);
      const block = Buffer.concat([Buffer.of(0x88), entry, Buffer.alloc(12_000, 0xbe)]);
      socket.write(frame(frameTypes.headers, endHeaders, id, block));
    });
    const before = process.memoryUsage().rss;
    expect(expectFault(await fetching({ ca: cert })(server.origin, { limits })).fault).toBe('reset');
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });
});

describe('HTTP/2 that breaks off', () => {
  it.each<[string, FrameAnswer]>([
    ['the stream, without a word', (s, id) => s.write(reset(id, 0))],
    ['the stream, by an error of its own', (s, id) => s.write(reset(id, 2))],
    ['the stream, cancelled', (s, id) => s.write(reset(id, 8))],
    ['the stream, asking for calm', (s, id) => s.write(reset(id, 11))],
    ['the connection', (s) => s.end()],
    ['the connection, after taking the request', (s, id) => s.end(goaway(id))],
    ['the connection, by an error of its own', (s, id) => s.end(goaway(id, 2))],
  ])('%s, before its head: reset', async (_name, answer) => {
    const server = await rawH2Server(answer);
    const fault = expectFault(await fetching({ ca: cert })(server.origin, { limits }));
    expect(fault.fault).toBe('reset');
    expect(fault.repeatable).toBeUndefined();
    expect(server.requests.length).toBe(1);
  });

  it.each<[string, FrameAnswer]>([
    // Node and undici take this one for the end of the body.
    ['the stream, cancelled', (s, id) => s.write(reset(id, 8))],
    ['the stream, by an error of its own', (s, id) => s.write(reset(id, 2))],
    ['the stream, asking for calm', (s, id) => s.write(reset(id, 11))],
    ['the connection', (s) => s.end()],
    ['the connection, after a farewell', (s, id) => s.end(goaway(id))],
    ['the connection, by an error of its own', (s, id) => s.write(goaway(id, 2))],
    ['the connection, denying the request it answers', (s) => s.write(goaway(0))],
  ])('%s, within its body: incomplete', async (_name, answer) => {
    const { seen, request } = headSeen();
    const server = await rawH2Server((socket, id, count) => {
      socket.write(Buffer.concat([responseHead(id), data(id, 'half')]));
      void seen().then(() => answer(socket, id, count));
    });
    const result = expectResponse(await fetching({ ca: cert })(server.origin, request));
    expect(result.truncated).toBe('incomplete');
    expect(text(result)).toBe('half');
    expect(server.requests.length).toBe(1);
  });

  it('nothing, but says farewell within a body: the body is whole, the next request goes elsewhere', async () => {
    let head = headSeen();
    const server = await rawH2Server((socket, id) => {
      socket.write(Buffer.concat([responseHead(id), data(id, 'ha'), goaway(id)]));
      void head.seen().then(() => socket.write(data(id, 'lf', endStream)));
    });
    const get = fetching({ ca: cert });
    for (let i = 0; i < 2; i++) {
      head = headSeen();
      const result = expectResponse(await get(server.origin, head.request));
      expect(result.truncated).toBe(false);
      expect(text(result)).toBe('half');
    }
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 2]);
  });

  it.each<[string, string]>([
    ['shorter', '9'],
    ['longer', '2'],
  ])('a body %s than its length is incomplete', async (_name, length) => {
    const server = await rawH2Server((socket, id) =>
      socket.write(Buffer.concat([headed(id, ['content-length', length]), data(id, 'page', endStream)])),
    );
    const result = expectResponse(await fetching({ ca: cert })(server.origin, { limits }));
    expect(result.truncated).toBe('incomplete');
  });
});

describe('HTTP/2 that stalls', () => {
  it.each<[string, FrameAnswer, RegExp]>([
    ['before its head', () => undefined, /did not answer within 1000 ms/],
    ['after a farewell', (s, id) => s.write(goaway(id)), /did not answer within 1000 ms/],
    [
      'within its head',
      (s, id) => s.write(frame(frameTypes.headers, 0, id, hpack([[':status', '200']]))),
      /did not answer within 1000 ms/,
    ],
    ['within its body', (s, id) => s.write(responseHead(id)), /did not finish its response within 1000 ms/],
    [
      'in drops',
      (s, id) => {
        s.write(responseHead(id));
        const drip = setInterval(() => s.write(data(id, '.')), 20);
        s.on('close', () => clearInterval(drip));
      },
      /did not finish its response within 1000 ms/,
    ],
  ])('%s: timeout, and the connection is not used again', async (_name, answer, message) => {
    let stalls = false;
    const server = await rawH2Server((socket, id, count) => {
      if (stalls) answer(socket, id, count);
      else whole(socket, id, count);
    });
    const get = fetching({ ca: cert });
    // What the limit is spent on is the response: the connection is there.
    expectResponse(await get(server.origin, { limits }));
    stalls = true;
    const fault = expectFault(await get(server.origin, short));
    expect(fault.fault).toBe('timeout');
    expect(fault.message).toMatch(message);
    stalls = false;
    expectResponse(await get(server.origin, { limits }));
    await until(() => server.connections.open === 1);
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1, 2]);
  });

  it('by allowing no stream: a limit, not for ever, and the fetcher closes', async () => {
    const server = await rawH2Server(whole, frame(frameTypes.settings, 0, 0, setting(3, 0)));
    const get = fetching({ ca: cert });
    // The first is sent before the settings are known.
    expectResponse(await get(`${server.origin}/1`, { limits }));
    const fault = expectFault(await get(`${server.origin}/2`, short));
    expect(fault.message).toContain('did not take the request within 1000 ms');
    expectResponse(await get(`${server.origin}/3`, { limits }));
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 2]);
  });

  it('by a window it never opens: a request has no body to wait for', async () => {
    const server = await rawH2Server(whole, frame(frameTypes.settings, 0, 0, setting(4, 0)));
    expectResponse(await fetching({ ca: cert })(server.origin, { limits }));
  });
});

describe('HTTP/2', () => {
  it('has one request in flight a host', async () => {
    const server = await rawH2Server((socket, id) => setTimeout(() => whole(socket, id, 0), 50));
    const get = fetching({ ca: cert });
    let answered = 0;
    const all = Array.from({ length: 3 }, async () => {
      expectResponse(await get(server.origin, { limits }));
      expect(server.requests.length).toBe(++answered);
    });
    await Promise.all(all);
  });

  it('is not offered when it is switched off', async () => {
    const server = await rawH2Server(whole);
    const fault = expectFault(await fetching({ ca: cert, http2: false })(server.origin, { limits }));
    expect(fault.fault).toBe('tls');
    expect(server.requests.length).toBe(0);
  });

  it('keeps repeated fields apart as HTTP/1.1 does', async () => {
    const fields: [string, string][] = [
      ['x-robots-tag', 'otherbot: noindex'],
      ['x-robots-tag', 'nofollow'],
      ['location', '/stra\xc3\x9fe'],
      ['location', '/elsewhere'],
    ];
    const server = await rawH2Server((socket, id) =>
      socket.write(responseHead(id, [[':status', '302'], ...fields], endHeaders | endStream)),
    );
    const { headers } = expectResponse(await fetching({ ca: cert })(server.origin, { limits }));
    expect({ ...headers }).toEqual({
      'x-robots-tag': 'otherbot: noindex\nnofollow',
      location: '/stra%C3%9Fe\n/elsewhere',
    });
  });

  it('undoes codings, and stops at the limit of a bomb', async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(16 * 1024 * 1024));
    const server = await rawH2Server((socket, id) => {
      socket.write(headed(id, ['content-encoding', 'gzip']));
      for (let at = 0; at < bomb.length; at += 16_000)
        socket.write(data(id, bomb.subarray(at, at + 16_000), at + 16_000 < bomb.length ? 0 : endStream));
    });
    const result = expectResponse(await fetching({ ca: cert })(server.origin, { limits }));
    expect(result.truncated).toBe('too-large');
    expect(result.body.length).toBe(limits.maxBodyBytes);
  });
});
