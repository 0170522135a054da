/**
 * Addresses of loopback for the sites of tests. The kernel hands out a port again once it is closed, and an origin that
 * comes again has the robots.txt, pauses and settings of the site that had it before. So each site has its own address.
 */
import { createServer, type Server } from 'node:net';

const perNet = 250;
let given = 0;

/** An address that this process has given to nobody yet; other processes of tests seldom give it at the same time. */
export function freshAddress(): string {
  const net = Math.floor(given / perNet);
  const host = 1 + (given++ % perNet);
  return `127.${String(128 + (process.pid % 64))}.${String(net)}.${String(host)}`;
}

/**
 * Ports of sites: below those that the stack and the kernel hand out. A crawl refuses the ports of its own stack at any
 * address of the machine, and the embedded Temporal takes some that the kernel gives it. Above 10080, the last that `fetch`
 * and browsers refuse (Fetch standard, "bad port").
 */
const ports = { low: 10_100, high: 20_000 };
let tried = process.pid * 61;

/** Has a server listen at an address of loopback. Answers the port. */
export async function listen(
  server: Pick<Server, 'listen' | 'on' | 'off'>,
  address = '127.0.0.1',
): Promise<number> {
  for (let left = ports.high - ports.low; left > 0; left--) {
    const port = ports.low + (tried++ % (ports.high - ports.low));
    const listens = await new Promise<boolean>((resolve, reject) => {
      const failed = (error: NodeJS.ErrnoException): void => {
        server.off('error', failed);
        if (error.code === 'EADDRINUSE') resolve(false);
        else reject(error);
      };
      server.on('error', failed);
      server.listen(port, address, () => {
        server.off('error', failed);
        resolve(true);
      });
    });
    if (listens) return port;
  }
  throw new Error(`no port is free at ${address}`);
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
  const port = await listen(server, address);
  await new Promise((closed) => server.close(closed));
  return { address, port, origin: `http://${address}:${String(port)}` };
}
