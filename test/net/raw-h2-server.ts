/**
 * An HTTP/2 server that writes its frames by hand (RFC 9113 section 4.1), for what node:http2 would never send. It
 * speaks over TLS, as ALPN asks, and keeps a log of the requests that reached it.
 */
import type { Socket } from 'node:net';
import { createServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import { cert, key } from './certificate.ts';
import { listen } from '../support/loopback.ts';

export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;
export const endStream = 1;
export const endHeaders = 4;
const ack = 1;

export function frame(type: number, flags: number, streamId: number, payload: Uint8Array = empty): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, payload]);
}
const empty = new Uint8Array();

/** 32-bit numbers in a row, as GOAWAY, RST_STREAM and WINDOW_UPDATE carry them. */
export function words(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, at) => bytes.writeUInt32BE(number >>> 0, 4 * at));
  return bytes;
}

/** One setting of a SETTINGS frame. */
export function setting(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUInt16BE(id, 0);
  bytes.writeUInt32BE(value, 2);
  return bytes;
}

/** Fields as HPACK literals that are not indexed (RFC 7541 section 6.2.2), lengths below 16,511. */
export function hpack(fields: readonly (readonly [name: string, value: string])[]): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.of(0), literal(name), literal(value)]));
}

function literal(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  if (bytes.length < 127) return Buffer.concat([Buffer.of(bytes.length), bytes]);
  const rest = bytes.length - 127;
  const length = rest < 128 ? [rest] : [(rest & 127) | 128, rest >> 7];
  return Buffer.concat([Buffer.of(127, ...length), bytes]);
}

/** A whole head of a response. */
export const responseHead = (
  streamId: number,
  fields: readonly (readonly [string, string])[] = [[':status', '200']],
  flags = endHeaders,
): Buffer => frame(frameTypes.headers, flags, streamId, hpack(fields));

export interface RawH2Server {
  /** `https://127.0.0.1:port`. */
  readonly origin: string;
  /** Streams that were opened, over all connections, in order. */
  readonly requests: readonly { readonly connection: number; readonly streamId: number }[];
  readonly connections: { readonly total: number; readonly open: number };
  /** Done for you when the test is over. */
  readonly close: () => void;
}

/** `count`: how many requests this connection has carried. */
export type FrameAnswer = (socket: Socket, streamId: number, count: number) => void;

/**
 * Sends its SETTINGS, acknowledges the client's and calls `answer` for each request. Closed with all its connections
 * when the test is over. `greet` is written at once instead of the empty SETTINGS.
 */
export async function rawH2Server(
  answer: FrameAnswer,
  greet: Buffer = frame(frameTypes.settings, 0, 0),
): Promise<RawH2Server> {
  const requests: { connection: number; streamId: number }[] = [];
  const connections = { total: 0, open: 0 };
  const sockets = new Set<Socket>();
  const server = createServer({ key, cert, ALPNProtocols: ['h2'] }, (socket) => {
    const connection = ++connections.total;
    connections.open++;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      connections.open--;
    });
    socket.write(greet);
    let pending: Buffer = Buffer.alloc(0);
    let preface = 24;
    let count = 0;
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      if (preface > 0 && pending.length >= preface) {
        pending = pending.subarray(preface);
        preface = 0;
      }
      while (preface === 0 && pending.length >= 9) {
        const end = 9 + pending.readUIntBE(0, 3);
        if (pending.length < end) return;
        const [type, flags] = [pending[3], pending[4] ?? 0];
        const streamId = pending.readUInt32BE(5);
        pending = pending.subarray(end);
        if (type === frameTypes.settings && (flags & ack) === 0)
          socket.write(frame(frameTypes.settings, ack, 0));
        if (type !== frameTypes.headers) continue;
        requests.push({ connection, streamId });
        answer(socket, streamId, ++count);
      }
    });
  });
  server.on('tlsClientError', () => undefined);
  const port = await listen(server);
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  onTestFinished(close);
  return { origin: `https://127.0.0.1:${String(port)}`, requests, connections, close };
}
