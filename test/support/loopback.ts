/**
 * Addresses of loopback for the sites of tests. The kernel hands out a port again once it is closed, and an origin that
 * comes again has the robots.txt, pauses and settings of the site that had it before. So each site has its own address.
 */
import { createServer, type AddressInfo } from 'node:net';

const perNet = 250;
let given = 0;

/** An address that this process has given to nobody yet; other processes of tests seldom give it at the same time. */
export function freshAddress(): string {
  const net = Math.floor(given / perNet);
  const host = 1 + (given++ % perNet);
  return `127.${String(128 + (process.pid % 64))}.${String(net)}.${String(host)}`;
}

export interface Endpoint {
  readonly address: string;
  readonly port: number;
  /** `http://address:port` */
  readonly origin: string;
}

/** An address and port on which nothing listens, unless the test does later. */
export async function closedEndpoint(): Promise<Endpoint> {
  const address = freshAddress();
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, address, listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return { address, port, origin: `http://${address}:${String(port)}` };
}
