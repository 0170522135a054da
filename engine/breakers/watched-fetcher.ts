/**
 * The fetcher that slices use. It starts no request while a dependency of this process is down, and does not take a DNS
 * outage of ours for the host's trouble. Hosts with a cached address go on through a DNS outage. A refusal is thrown
 * before any byte has left, so no URL is blamed.
 */
import type { Fetcher, FetchResult } from '../../contracts/fetching.ts';
import { count } from '../metrics/counters.ts';
import type { DependencyDown } from './dependency-down.ts';

interface Watch {
  /** An error that names a dependency that every request needs and that is down; null: none is down. */
  readonly outage: () => DependencyDown | null;
  /** The same for DNS, which only names that are not cached need. */
  readonly dnsOutage: () => DependencyDown | null;
  /** Looks whether bodies can be kept; if not, `outage` says so. */
  readonly lookForRoom: () => Promise<void>;
}

export const watchedFetcher = (fetcher: Fetcher, { outage, dnsOutage, lookForRoom }: Watch): Fetcher => ({
  async fetch(request): Promise<FetchResult> {
    await lookForRoom();
    const down = outage();
    if (down !== null) throw down;
    const withheld: { by: DependencyDown | null } = { by: null };
    const maySend = (address: string | null): boolean => {
      withheld.by = outage();
      return withheld.by === null && (request.maySend?.(address) ?? true);
    };
    let result: FetchResult;
    try {
      result = await fetcher.fetch({ ...request, maySend });
    } catch (error) {
      throw withheld.by ?? error;
    }
    // The look-up failed while DNS was down for us: it does not show that the name is at fault.
    const ours = result.kind === 'fault' && result.fault === 'dns-unavailable' ? dnsOutage() : null;
    if (ours !== null) throw ours;
    // Nothing is sent to an address that the guard refuses.
    const isSent = result.kind === 'response' || result.fault !== 'address-refused';
    if (isSent) count('requests_total', { class: classOf(result) });
    return result;
  },
  addressOf: (request) => fetcher.addressOf(request),
  close: () => fetcher.close(),
});

const classes = ['2xx', '3xx', '4xx', '5xx'] as const;
const classOf = (result: FetchResult) =>
  result.kind === 'response' ? (classes[Math.floor(result.status / 100) - 2] ?? 'other') : 'no_answer';
