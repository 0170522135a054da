/** A server on loopback for as long as a piece of work takes. */
import type { RequestListener } from 'node:http';
import { httpServer } from '../support/http-server.ts';

export async function serving<T>(listener: RequestListener, work: (url: string) => Promise<T>): Promise<T> {
  const { origin, close } = await httpServer(listener);
  try {
    return await work(origin);
  } finally {
    await close();
  }
}
