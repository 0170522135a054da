/** A server on loopback for as long as a piece of work takes. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export async function serving<T>(listener: RequestListener, work: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(listener);
  await new Promise<void>((up) => server.listen(0, '127.0.0.1', up));
  try {
    return await work(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
  } finally {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
}
