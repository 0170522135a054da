/** A server on loopback whose requests a test answers itself. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { given } from './given.ts';

export interface HttpServer {
  readonly server: Server;
  readonly port: number;
  /** `http://address:port` */
  readonly origin: string;
  /** Cuts all connections. */
  readonly close: () => Promise<void>;
}

export async function httpServer(listener: RequestListener, address = '127.0.0.1'): Promise<HttpServer> {
  const server = createServer(listener);
  await new Promise<void>((listening) => server.listen(0, address, listening));
  const { port } = server.address() as AddressInfo;
  return {
    server,
    port,
    origin: `http://${address}:${String(port)}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** The same for the tests of a file. */
export const withHttpServer = (...of: Parameters<typeof httpServer>): HttpServer =>
  given(
    () => httpServer(...of),
    ({ close }) => close(),
  );
