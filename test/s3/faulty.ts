/** A proxy in front of an S3 server that makes of it what stores at the other end of a network can be. */
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * `slow-down`: 503, as S3 answers who asks too often. `silent`: never answers. `half`: the connection ends in the middle
 * of an answer. `gone`: the connection ends before any. `flipped`: a bit of the answer is another.
 */
export type S3Trouble = 'slow-down' | 'silent' | 'half' | 'gone' | 'flipped';

export interface FaultyS3 {
  readonly port: number;
  /** Method and query of each request that came, such as `PUT partNumber=1&uploadId=…`. */
  readonly asked: readonly string[];
  /** The next requests meet this. @param times how many; null: none */
  meet(trouble: S3Trouble | null, times?: number): void;
  /** Requests that begin so are held until it is called off by null, once they have come whole. */
  hold(beginning: string | null): void;
  close(): Promise<void>;
}

const slowDown =
  '<?xml version="1.0" encoding="UTF-8"?><Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>';

export async function startFaultyS3(targetPort: number): Promise<FaultyS3> {
  const asked: string[] = [];
  let trouble: S3Trouble | null = null;
  let left = 0;
  let held: string | null = null;
  let free: (() => void)[] = [];

  const pass = async (
    { method, url, headers }: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
    met: S3Trouble | null,
  ): Promise<void> => {
    // The signature covers the Host field, so it goes on as it came.
    const onward = request({ host: '127.0.0.1', port: targetPort, method, path: url, headers, agent: false });
    // Once there is an answer, the rest of the request does not matter: the server may have closed its ears.
    onward.on('error', () => undefined);
    onward.end(body);
    const [answer] = (await once(onward, 'response')) as [IncomingMessage];
    const bytes = await buffer(answer);
    if (met === 'flipped' && bytes.length > 0)
      bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    if (met !== 'half') {
      response.end(bytes);
      return;
    }
    response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
  };
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '' } = incoming;
    const name = `${method} ${url.split('?')[1] ?? ''}`;
    const met = left > 0 ? trouble : null;
    if (met !== null) left--;
    const body = await buffer(incoming);
    asked.push(name);
    if (held !== null && name.startsWith(held)) await new Promise<void>((done) => free.push(done));
    // Of a process that was killed meanwhile, nothing more would come.
    if (response.destroyed) return;
    if (met === 'gone') response.destroy();
    else if (met === 'slow-down')
      response.writeHead(503, { 'content-type': 'application/xml' }).end(slowDown);
    else if (met !== 'silent') await pass(incoming, body, response, met);
  };
  const server = createServer((incoming, response) => {
    // Its client may be killed in the middle.
    serve(incoming, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    meet: (next, times = Infinity) => {
      trouble = next;
      left = times;
    },
    hold: (beginning) => {
      held = beginning;
      if (beginning !== null) return;
      for (const each of free) each();
      free = [];
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
