/** Where webhooks may be sent to, and what of an answer counts (F38). */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createPoster, type PosterOptions } from '../../net/poster.ts';
import { ResolverFault, type Resolver } from '../../net/resolver.ts';
import { closedEndpoint } from '../support/loopback.ts';

const servers: Server[] = [];
let connections = 0;
async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  connections = 0;
  server.on('connection', () => connections++);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  servers.push(server);
  return (server.address() as AddressInfo).port;
}
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
});

const resolver = (...addresses: readonly string[]): Resolver => ({
  resolve: () =>
    Promise.resolve(
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }) as const),
    ),
});
const post = (url: string, options: Partial<PosterOptions> = {}, timeoutMs = 60_000) =>
  createPoster({ allowPrivate: ['127.0.0.1/32'], userAgent: 'Orbweaver/0', ...options })({
    url,
    headers: { 'webhook-id': 'a' },
    body: '{"b":1}',
    timeoutMs,
  });

describe('a message', () => {
  it('is posted as JSON, on a connection of its own', async () => {
    const got: unknown[] = [];
    const port = await serve((request, response) => {
      request.setEncoding('utf8').on('data', (body) => {
        const { 'content-type': type, 'user-agent': agent, 'webhook-id': id } = request.headers;
        got.push([request.method, request.url, type, agent, id, body]);
        response.writeHead(202, { 'retry-after': '7' }).end('thanks');
      });
    });
    const answer = await post(`http://127.0.0.1:${String(port)}/a?b=c`);
    expect(answer).toMatchObject({ kind: 'response', status: 202, headers: { 'retry-after': '7' } });
    expect(got).toEqual([['POST', '/a?b=c', 'application/json', 'Orbweaver/0', 'a', '{"b":1}']]);
    await post(`http://127.0.0.1:${String(port)}/`);
    expect(connections).toBe(2);
  });

  it.each([
    ['http://127.0.0.1:PORT/'],
    ['http://2130706433:PORT/'],
    ['http://0x7f.1:PORT/'],
    ['http://[::ffff:127.0.0.1]:PORT/'],
    ['http://[::1]:PORT/'],
    ['http://169.254.169.254/latest/meta-data/'],
    ['http://10.0.0.1/'],
  ])('does not reach %s', async (url) => {
    const port = await serve((_request, response) => response.end());
    const answer = await post(url.replace('PORT', String(port)), { allowPrivate: [] });
    expect(answer).toMatchObject({ kind: 'fault', isOurs: false });
    expect(answer.kind === 'fault' && answer.message).toContain('private or special address');
    expect(connections).toBe(0);
  });

  it('does not reach a name that leads to a private address, and does not tell which', async () => {
    const port = await serve((_request, response) => response.end());
    const options = { allowPrivate: [], resolver: resolver('10.20.30.40', '::1', '127.0.0.1') };
    const answer = await post(`http://hook.example:${String(port)}/`, options);
    expect(answer).toMatchObject({ kind: 'fault' });
    expect(JSON.stringify(answer)).not.toContain('10.20.30.40');
    expect(connections).toBe(0);
  });

  it('goes to the one address of a name that is permitted', async () => {
    const port = await serve((_request, response) => response.end());
    const answer = await post(`http://hook.example:${String(port)}/`, {
      resolver: resolver('10.0.0.1', '127.0.0.1'),
    });
    expect(answer).toMatchObject({ kind: 'response', status: 200 });
  });
});

describe('an answer', () => {
  it('that redirects is not followed', async () => {
    const port = await serve((_request, response) => {
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect(await post(`http://127.0.0.1:${String(port)}/`)).toMatchObject({ kind: 'response', status: 307 });
    expect(connections).toBe(1);
  });

  it('is read for 64 KiB, and the connection dropped', async () => {
    let written = 0;
    let closed = false;
    const port = await serve((_request, response) => {
      response.once('close', () => (closed = true));
      const more = (): void => {
        if (closed) return;
        written += 16_384;
        response.write('x'.repeat(16_384), () => setImmediate(more));
      };
      more();
    });
    expect(await post(`http://127.0.0.1:${String(port)}/`)).toMatchObject({ kind: 'response', status: 200 });
    await expect.poll(() => closed).toBe(true);
    // What the sockets of both sides hold besides.
    expect(written).toBeLessThan(16 * 1024 * 1024);
  });

  it('that comes too late counts as none; one whose body does, by its status', async () => {
    const silent = await serve(() => undefined);
    expect(await post(`http://127.0.0.1:${String(silent)}/`, {}, 300)).toMatchObject({
      kind: 'fault',
      message: expect.stringContaining('did not answer within 300 ms') as string,
    });
    const slow = await serve((_request, response) => {
      response.writeHead(200).write('and');
    });
    // Long enough for the head to come on a busy machine.
    expect(await post(`http://127.0.0.1:${String(slow)}/`, {}, 3_000)).toMatchObject({ status: 200 });
  });

  it('that nobody gives is told in a sentence', async () => {
    const port = await serve((request) => request.socket.destroy());
    expect(await post(`http://127.0.0.1:${String(port)}/`)).toMatchObject({ kind: 'fault', isOurs: false });
    const closed = await closedEndpoint();
    expect(await post(`${closed.origin}/`, { allowPrivate: [closed.address] })).toMatchObject({
      message: `${closed.address}:${String(closed.port)} refused the connection.`,
    });
  });

  it('that our own DNS kept from us is not the receiver’s fault', async () => {
    const failing = (isSilent: boolean): Resolver => ({
      resolve: (name) => Promise.reject(new ResolverFault(name, 'ETIMEOUT', isSilent)),
    });
    const url = 'https://hook.example/';
    expect(await post(url, { resolver: failing(true) })).toMatchObject({ kind: 'fault', isOurs: true });
    expect(await post(url, { resolver: failing(false) })).toMatchObject({ kind: 'fault', isOurs: false });
  });
});
