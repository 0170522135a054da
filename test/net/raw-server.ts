/** A TCP server on loopback that answers each request by hand, and keeps a log of what reached it. */
import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listen } from '../support/loopback.ts';

export interface RawServer {
  /** `http://127.0.0.1:port`. */
  readonly origin: string;
  readonly port: number;
  /** Heads of the requests that came, in order. */
  readonly requests: readonly string[];
  /** Connections so far, and those that are open. */
  readonly connections: { readonly total: number; readonly open: number };
  /** Done for you when the test is over. */
  readonly close: () => void;
}

/** `request`: the head as sent; `count`: how many requests this connection has carried. */
export type Answer = (socket: Socket, request: string, count: number) => void;

/** Closed with all its connections when the test is over. */
export async function rawServer(answer: Answer, host = '127.0.0.1'): Promise<RawServer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const connections = { total: 0, open: 0 };
  const server = createServer((socket) => {
    sockets.add(socket);
    connections.total++;
    connections.open++;
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      connections.open--;
    });
    let pending = '';
    let count = 0;
    socket.on('data', (chunk) => {
      pending += chunk.toString('latin1');
      for (let end = pending.indexOf('\r\n\r\n'); end !== -1; end = pending.indexOf('\r\n\r\n')) {
        const head = pending.slice(0, end);
        pending = pending.slice(end + 4);
        requests.push(head);
        answer(socket, head, ++count);
      }
    });
  });
  const port = await listen(server, host);
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  onTestFinished(close);
  return {
    close,
    origin: `http://${host.includes(':') ? `[${host}]` : host}:${String(port)}`,
    port,
    requests,
    connections,
  };
}

/** A response with a body of known length. */
export function response(
  body: Buffer | string,
  fields: Readonly<Record<string, string>> = {},
  status = '200 OK',
): Buffer {
  const bytes = Buffer.from(body);
  const lines = Object.entries({ 'Content-Length': String(bytes.length), ...fields });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${head}\r\n`, 'latin1'), bytes]);
}

/** Writes `chunk` again and again, as fast as the other side reads, up to `total` bytes or until it hangs up. */
export function pour(socket: Socket, chunk: Buffer, total: number): { written: number } {
  const poured = { written: 0 };
  const more = (): void => {
    while (poured.written < total && !socket.destroyed) {
      poured.written += chunk.length;
      if (!socket.write(chunk)) return;
    }
  };
  socket.on('drain', more);
  more();
  return poured;
}
