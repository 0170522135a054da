/**
 * The resolver of a process. Who answers for a name:
 *
 *   a literal address                 itself
 *   localhost, and names below it     the machine's hosts file, else the loopback addresses (RFC 6761 §6.3)
 *   a name in the hosts file          the file, always anew
 *   a name below .invalid             nobody: it does not exist (RFC 6761 §6.4)
 *   a single label, or below .local   the system (getaddrinfo): search domains, containers' names, multicast DNS
 *   every other                       DNS, as a full name: search domains do not apply
 *
 * The last three pass through the cache.
 */
import { isIP } from 'node:net';
import { DnsCache, type DnsCacheOptions, type DnsStats } from './dns-cache.ts';
import type { DnsAnswer } from './dns-server.ts';
import { DnsServers, type DnsServersOptions } from './dns-servers.ts';
import type { SharedAnswers } from './dns-shared.ts';
import { HostsFile } from './hosts-file.ts';
import { codeOf } from './net-fault.ts';
import {
  notFoundCodes,
  ResolverFault,
  systemResolver,
  type ResolvedAddress,
  type Resolver,
} from './resolver.ts';

export interface DnsResolverOptions extends DnsServersOptions, Pick<DnsCacheOptions, 'shared' | 'now'> {
  readonly hostsFile?: string;
}

/** `resolve` rejects with a ResolverFault where it has no answer, not even an expired one. */
export interface DnsResolver extends Resolver {
  /**
   * Looks a host up before it is needed, given as in a URL; never fails, and gives way where too much is asked of it.
   */
  prefetch(hostname: string): void;
  /** Whether any DNS resolver replies, found out by asking: the probe of a circuit breaker. */
  answering(): Promise<boolean>;
  /** Of names that passed through the cache. */
  stats(): DnsStats;
  close(): void;
}

export function createDnsResolver({ shared, now, hostsFile, ...options }: DnsResolverOptions): DnsResolver {
  const servers = new DnsServers(options);
  const hosts = new HostsFile(hostsFile ?? '/etc/hosts');
  const cache = new DnsCache({
    ask: async (name) => {
      if (name.endsWith('.invalid')) return { absent: 'ENOTFOUND' };
      return isSystems(name) ? askSystem(name) : servers.ask(name);
    },
    ...(shared === undefined ? {} : { shared: exceptSystems(shared) }),
    ...(now === undefined ? {} : { now }),
  });

  return {
    async resolve(hostname) {
      const literal = isIP(hostname);
      if (literal !== 0) return [{ address: hostname, family: literal === 6 ? 6 : 4 }];
      const name = plainName(hostname);
      const local = await hosts.lookup(name);
      if (local !== null) return local;
      return isLocalhost(name) ? loopback : cache.resolve(name);
    },
    prefetch(hostname) {
      const name = plainName(hostname);
      if (isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || isLocalhost(name)) return;
      void hosts.lookup(name).then((local) => {
        if (local === null) cache.prefetch(name);
      });
    },
    answering: () => servers.answering(),
    stats: () => cache.stats(),
    close: () => servers.close(),
  };
}

const loopback: readonly ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

const plainName = (hostname: string): string => hostname.toLowerCase().replace(/\.$/, '');
const isLocalhost = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');
const isSystems = (name: string): boolean => !name.includes('.') || name.endsWith('.local');

/** What the system says holds on its machine alone. */
const exceptSystems = (shared: SharedAnswers): SharedAnswers => ({
  get: async (name) => (isSystems(name) ? null : shared.get(name)),
  put: async (name, ...answer) => {
    if (!isSystems(name)) await shared.put(name, ...answer);
  },
});

/** The system tells no TTL: its answers are kept for the least time. */
async function askSystem(hostname: string): Promise<DnsAnswer> {
  try {
    const addresses = await systemResolver.resolve(hostname);
    return { addresses, ttlSeconds: 0, partial: false };
  } catch (error) {
    const code = codeOf(error);
    if (notFoundCodes.has(code)) return { absent: code === 'ENODATA' ? 'ENODATA' : 'ENOTFOUND' };
    // It has resolvers of its own: a name it fails at says nothing about ours.
    throw new ResolverFault(hostname, code, false);
  }
}
