/** One exchange with a host, for as long as the lease of the host is held. */
import {
  NoRoomForBody,
  type Fetcher,
  type FetchRequest,
  type FetchResult,
} from '../../contracts/fetching.ts';
import type { HostLease } from './host-lease.ts';

/** This process had no room for the body. */
export const noRoom = Symbol('no room for the body');

/**
 * Asks `mayLeave` once the request is connected and its bytes are about to leave, and then calls `left`. That stops a
 * process that was frozen while it connected, and a request to a host that has opted out meanwhile. An exchange that
 * outlives its lease is aborted, since the next holder relies on that; while the lease is renewed, the exchange goes on.
 * Null: no request was sent, or the lease ran out.
 */
export async function exchangeWithin(
  lease: Pick<HostLease, 'isHeld'>,
  fetcher: Fetcher,
  request: FetchRequest,
  mayLeave: (address: string | null) => boolean,
  left: () => void,
): Promise<FetchResult | null | typeof noRoom> {
  // Aborted by this process: that says nothing about the host.
  const breakOff = new AbortController();
  const watch = setInterval(() => {
    if (!lease.isHeld) breakOff.abort(new Error('the lease of the host is over'));
  }, 500);
  try {
    return await fetcher.fetch({
      ...request,
      signal: breakOff.signal,
      maySend: (address) => {
        const may = mayLeave(address);
        if (may) left();
        else breakOff.abort(new Error('a gate closed before the request left'));
        return may;
      },
    });
  } catch (error) {
    if (breakOff.signal.aborted) return null;
    if (error instanceof NoRoomForBody) return noRoom;
    throw error;
  } finally {
    clearInterval(watch);
  }
}
