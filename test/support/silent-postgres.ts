/** A Postgres that lets a client in, and never answers what it asks then. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** `AuthenticationOk` and `ReadyForQuery` of Postgres' protocol. */
const welcome = Buffer.from([...[0x52, 0, 0, 0, 8, 0, 0, 0, 0], ...[0x5a, 0, 0, 0, 5, 0x49]]);

/** Until the end of the test. `asked`: the connection of the first question. */
export async function silentPostgres(): Promise<{ readonly url: string; readonly asked: Promise<Socket> }> {
  const asked = Promise.withResolvers<Socket>();
  const postgres = createServer((socket) => {
    socket.on('error', () => undefined);
    onTestFinished(() => {
      socket.destroy();
    });
    socket.once('data', () => {
      socket.write(welcome);
      socket.once('data', () => {
        asked.resolve(socket);
      });
    });
  }).listen(0, '127.0.0.1');
  await once(postgres, 'listening');
  onTestFinished(() => {
    postgres.close();
  });
  const { port } = postgres.address() as AddressInfo;
  return { url: `postgres://any@127.0.0.1:${String(port)}/any`, asked: asked.promise };
}
