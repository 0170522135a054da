/**
 * The fetcher that slices get: it starts no request while something this process depends on is down, and does not take
 * a DNS outage of ours for the host's trouble. Hosts whose names are known go on through such an outage. A refusal is
 * thrown before anything has left, so nobody is blamed.
 */
import type { Fetcher, FetchResult } from '../../contracts/fetching.ts';
import type { DependencyDown } from './dependency-down.ts';

/**
 * @param outage what is down now, of what every request needs; ready to be thrown
 * @param dnsOutage the same for DNS, which matters to names that are not known yet
 */
export const watchedFetcher = (
  fetcher: Fetcher,
  outage: () => DependencyDown | null,
  dnsOutage: () => DependencyDown | null,
): Fetcher => ({
  async fetch(request): Promise<FetchResult> {
    const down = outage();
    if (down !== null) throw down;
    const withheld: { by: DependencyDown | null } = { by: null };
    const maySend = (): boolean => {
      withheld.by = outage();
      return withheld.by === null && (request.maySend?.() ?? true);
    };
    let result: FetchResult;
    try {
      result = await fetcher.fetch({ ...request, maySend });
    } catch (error) {
      throw withheld.by ?? error;
    }
    // The name was asked for in vain while our way to DNS broke: nobody can say that it is the name's fault.
    const ours = result.kind === 'fault' && result.fault === 'dns-unavailable' ? dnsOutage() : null;
    if (ours !== null) throw ours;
    return result;
  },
  close: () => fetcher.close(),
});
