/** Servers that answer anything at all: every request ends, in one of the known ways, and the fetcher lives and closes. */
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fetchFaults } from '../../domain/fault.ts';
import { createFetcher } from '../../net/fetcher.ts';
import { cert } from './certificate.ts';
import { loopback } from './fetching.ts';
import { endHeaders, frame, hpack, rawH2Server, responseHead, setting, words } from './raw-h2-server.ts';
import { rawServer } from './raw-server.ts';

const runs = 60;
const limits = { maxBodyBytes: 10_000, totalTimeoutMs: 150 };
const known: ReadonlySet<string> = new Set([...fetchFaults, 'response']);

/** Two requests one after another; how each ended. */
async function outcomes(origin: string): Promise<string[]> {
  const fetcher = createFetcher({ ca: cert, connectTimeoutMs: 2_000 });
  const ends: string[] = [];
  for (const path of ['/1', '/2']) {
    const request = { url: origin + path, userAgent: 'x', allowPrivate: loopback, limits };
    const result = await fetcher.fetch(request);
    ends.push(result.kind === 'response' ? 'response' : result.fault);
  }
  await fetcher.close();
  return ends;
}

/** What reaches the process by no promise would kill it. */
function watchForStrays(): Error[] {
  const strays: Error[] = [];
  const note = (error: Error): void => {
    strays.push(error);
  };
  process.on('uncaughtExceptionMonitor', note);
  onTestFinished(() => {
    process.off('uncaughtExceptionMonitor', note);
  });
  return strays;
}

type Frame = (streamId: number) => Buffer;
const streams = fc.constantFrom<(id: number) => number>(
  (id) => id,
  (id) => id,
  (id) => id,
  () => 0,
  () => 2,
  (id) => id + 2,
  () => 0x7fffffff,
);
const bytes = fc.uint8Array({ maxLength: 64 });
const field = fc.tuple(
  fc.constantFrom(
    ':status',
    ':path',
    'content-length',
    'content-encoding',
    'location',
    'connection',
    'x-a',
    'X',
  ),
  fc.constantFrom('200', '103', '302', '0', '5', '-1', 'gzip', '/', 'a\r\nb', '\xff', ''),
);
const frames: fc.Arbitrary<Frame> = fc.oneof(
  fc.tuple(fc.nat(12), fc.nat(255), streams, bytes).map(
    ([type, flags, on, payload]): Frame =>
      (id) =>
        frame(type, flags, on(id), payload),
  ),
  fc.tuple(fc.array(field, { maxLength: 5 }), fc.constantFrom(0, 1, 4, 5), streams).map(
    ([fields, flags, on]): Frame =>
      (id) =>
        frame(1, flags, on(id), hpack(fields)),
  ),
  fc.constant<Frame>((id) => responseHead(id)),
  fc.tuple(bytes, fc.nat(1), streams).map(
    ([payload, flags, on]): Frame =>
      (id) =>
        frame(0, flags, on(id), payload),
  ),
  fc.tuple(fc.nat(14), streams).map(
    ([code, on]): Frame =>
      (id) =>
        frame(3, 0, on(id), words(code)),
  ),
  fc.tuple(fc.nat(14), streams).map(
    ([code, last]): Frame =>
      (id) =>
        frame(7, 0, 0, words(last(id), code)),
  ),
  fc.tuple(fc.nat(8), fc.constantFrom(0, 1, 100, 16_384, 0x7fffffff, 0xffffffff)).map(
    ([id, value]): Frame =>
      () =>
        frame(4, 0, 0, setting(id, value)),
  ),
  fc.constantFrom(0, 1, 0x7fffffff).map(
    (by): Frame =>
      (id) =>
        Buffer.concat([frame(8, 0, 0, words(by)), frame(8, 0, id, words(by))]),
  ),
  fc.constant<Frame>((id) => frame(5, endHeaders, id, Buffer.concat([words(2), hpack([[':path', '/']])]))),
);
const close = fc.constantFrom('end', 'reset', 'stay');
const script = fc.tuple(fc.array(frames, { maxLength: 8 }), close, fc.boolean());

describe('whatever a server sends', () => {
  it('in frames of HTTP/2', async () => {
    const strays = watchForStrays();
    await fc.assert(
      fc.asyncProperty(script, script, async (first, second) => {
        const scripts = [first, second];
        let asked = 0;
        const server = await rawH2Server((socket, streamId) => {
          const [sent, end, inPieces] = scripts[asked++] ?? first;
          const parts = sent.map((make) => make(streamId));
          if (inPieces) for (const part of parts) socket.write(part);
          else socket.write(Buffer.concat(parts));
          if (end === 'end') socket.end();
          if (end === 'reset') setImmediate(() => socket.destroy());
        });
        const ends = await outcomes(server.origin);
        expect(ends.every((end) => known.has(end))).toBe(true);
        expect(server.requests.length).toBeLessThanOrEqual(2);
        server.close();
      }),
      { numRuns: runs, endOnFailure: true },
    );
    expect(strays).toEqual([]);
  });

  it('in lines of HTTP/1.1', async () => {
    const strays = watchForStrays();
    const line = fc.oneof(
      fc.constantFrom(
        'HTTP/1.1 200 OK',
        'HTTP/1.1 200 OK',
        'HTTP/1.1 103 Hints',
        'HTTP/1.0 200',
        'HTTP/1.1 302 Found',
        'HTTP/1.1 000 ?',
        'Content-Length: 5',
        'Content-Length: 99',
        'Transfer-Encoding: chunked',
        'Content-Encoding: gzip',
        'Content-Encoding: deflate, br, zstd',
        'Connection: close',
        'Keep-Alive: timeout=0',
        'Location: ',
        '5',
        '0',
        'hello',
        '',
        '',
      ),
      fc.string({ unit: 'binary-ascii', maxLength: 20 }),
    );
    const answer = fc.tuple(fc.array(line, { maxLength: 12 }), close, fc.constantFrom('\r\n', '\r\n', '\n'));
    await fc.assert(
      fc.asyncProperty(answer, answer, async (first, second) => {
        const scripts = [first, second];
        let asked = 0;
        const server = await rawServer((socket) => {
          const [lines, end, separator] = scripts[asked++] ?? first;
          socket.write(Buffer.from(['HTTP/1.1 200 OK', ...lines].join(separator), 'latin1'));
          if (end === 'end') socket.end();
          if (end === 'reset') setImmediate(() => socket.resetAndDestroy());
        });
        const ends = await outcomes(server.origin);
        expect(ends.every((end) => known.has(end))).toBe(true);
        expect(server.requests.length).toBeLessThanOrEqual(2);
        server.close();
      }),
      { numRuns: runs, endOnFailure: true },
    );
    expect(strays).toEqual([]);
  });
});
