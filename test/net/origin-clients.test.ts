import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OriginClients } from '../../net/origin-clients.ts';
import { until } from './fetching.ts';
import { rawServer, response } from './raw-server.ts';

/** Resolves when the exchange is over; `abort` ends it as soon as it is sent. */
function request(clients: OriginClients, origin: string, abort = false): Promise<void> {
  return new Promise((resolve) => {
    clients.dispatch(origin, '/', [], {
      onRequestStart: (controller) => {
        if (abort) setImmediate(() => controller.abort(new Error('enough')));
      },
      onResponseStart: () => undefined,
      onResponseData: () => undefined,
      onResponseEnd: () => resolve(),
      onResponseError: () => resolve(),
    });
  });
}

describe('OriginClients', () => {
  it.each([
    ['failed to connect', false],
    ['was aborted', true],
  ])('forgets origins whose last request %s', async (_name, connects) => {
    const server = await rawServer(() => undefined);
    const clients = new OriginClients({
      connect: (_target, callback) => {
        if (!connects) {
          callback(new Error('no route'), null);
          return;
        }
        const socket = connect(server.port, '127.0.0.1', () => callback(null, socket));
      },
    });
    onTestFinished(() => clients.close());
    for (let batch = 0; batch < 20; batch++) {
      const origins = Array.from({ length: 50 }, (_, i) => `http://site-${String(batch)}-${String(i)}.test`);
      await Promise.all(origins.map((origin) => request(clients, origin, connects)));
      await until(() => server.connections.open === 0);
    }
    expect(server.requests.length).toBe(connects ? 1_000 : 0);
    expect(clients.size).toBeLessThanOrEqual(256);
  });

  it('keeps an origin that is in use, and its connection', async () => {
    const server = await rawServer((socket) => socket.write(response('x')));
    let failing = false;
    const clients = new OriginClients({
      connect: (_target, callback) => {
        if (failing) {
          callback(new Error('no route'), null);
          return;
        }
        const socket = connect(server.port, '127.0.0.1', () => callback(null, socket));
      },
      // Else undici closes it as idle where the requests between take more than four seconds.
      keepAliveTimeout: 600_000,
      keepAliveMaxTimeout: 600_000,
    });
    onTestFinished(() => clients.close());
    await request(clients, server.origin);
    failing = true;
    for (let i = 0; i < 600; i++) await request(clients, `http://site-${String(i)}.test`);
    await request(clients, server.origin);
    expect(server.requests.length).toBe(2);
    expect(server.connections.total).toBe(1);
  });
});
