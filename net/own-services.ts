/**
 * Where the stack itself listens: its databases, its API, Temporal. Nothing a tenant names is fetched from there,
 * whatever private addresses are allowed.
 *
 * On this machine the port decides, whichever of its addresses is asked; elsewhere a service is known by the addresses
 * that its name has now.
 */
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { innerAddress } from './address-guard.ts';
import { systemResolver, type Resolver } from './resolver.ts';

export interface Service {
  /** Name or address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Tells whether an address, as sockets and resolvers give it, is one of ours. */
export type IsOurs = (address: string) => boolean;

/** Null: nothing of ours listens on that port. */
export type OwnServices = (port: number) => Promise<IsOurs> | null;

/** Milliseconds for which the addresses of a service on another machine are kept, and those of this machine. */
const keptMs = 30_000;
const ownKeptMs = 1_000;

/**
 * @param resolver the machine's own, since the stack's connections go by it
 * @param listening ports of this machine on which the stack listens now, besides those of `services`; absent: none
 */
export function ownServices(
  services: readonly Service[],
  resolver: Resolver = systemResolver,
  listening?: () => ReadonlySet<number>,
): OwnServices {
  const placesOf = Map.groupBy(services, ({ port }) => port);
  const known = new Map<string, { readonly addresses: ReadonlySet<string>; readonly until: number }>();

  async function addressesOf(host: string): Promise<ReadonlySet<string>> {
    if (isIP(host) !== 0) return new Set([plain(host)]);
    const kept = known.get(host);
    if (kept !== undefined && kept.until > performance.now()) return kept.addresses;
    // A name that has no address now keeps those it had.
    const answers = await resolver.resolve(host).catch(() => []);
    const addresses =
      answers.length > 0 || kept === undefined
        ? new Set(answers.map(({ address }) => plain(address)))
        : kept.addresses;
    known.set(host, { addresses, until: performance.now() + keptMs });
    return addresses;
  }

  let own: { readonly addresses: ReadonlySet<string>; readonly until: number } | null = null;
  function ownAddresses(): ReadonlySet<string> {
    if (own !== null && own.until > performance.now()) return own.addresses;
    const interfaces = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    own = {
      addresses: new Set(interfaces.map(({ address }) => plain(address))),
      until: performance.now() + ownKeptMs,
    };
    return own.addresses;
  }

  async function on(places: readonly Service[]): Promise<IsOurs> {
    const elsewhere = await Promise.all(places.map(({ host }) => addressesOf(host)));
    const machine = ownAddresses();
    return (text) => {
      if (isIP(text) === 0) return true;
      const address = plain(text);
      return isItself(address) || machine.has(address) || elsewhere.some((each) => each.has(address));
    };
  }

  return (port) => {
    const places = placesOf.get(port);
    if (places !== undefined) return on(places);
    if (listening === undefined) return null;
    // Who listens is looked up only for an address of this machine: few crawls have one.
    return on([]).then((isHere) => (address) => isHere(address) && listening().has(port));
  };
}

/** One spelling of each; IPv4 inside IPv6 as IPv4. */
const plain = (address: string): string => innerAddress(ipaddr.parse(address)).toString();

/** To connect to "any address" is to connect to oneself. */
const isItself = (address: string): boolean =>
  ['loopback', 'unspecified'].includes(ipaddr.parse(address).range());
