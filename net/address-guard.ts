/** Which addresses a crawler may reach: the public internet, and what an operator allows by CIDR block. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type CidrBlock = readonly [network: Address, prefixLength: number];

/** Global unicast is all that IANA has given out for public use (RFC 4291 section 2.4). */
const globalUnicast: CidrBlock = [ipaddr.IPv6.parse('2000::'), 3];
/** The well-known NAT64 prefix: where only IPv6 is routed, public IPv4 sites resolve to it (RFC 6052 section 2.1). */
const nat64: CidrBlock = [ipaddr.IPv6.parse('64:ff9b::'), 96];
/** Answers virtual machines in Azure with their secrets, yet lies in a public block. */
const azureMetadata = '168.63.129.16';

const rangeNames: Readonly<Record<string, string>> = {
  broadcast: 'broadcast',
  carrierGradeNat: 'carrier-grade NAT',
  linkLocal: 'link-local',
  loopback: 'loopback',
  multicast: 'multicast',
  private: 'private',
  uniqueLocal: 'unique local',
  unspecified: 'unspecified',
};

/**
 * Reads CIDR blocks; an address without a prefix length stands for itself alone.
 * @throws RangeError that names the first entry that is not a CIDR block.
 */
export function parseCidrs(list: readonly string[]): CidrBlock[] {
  return list.map(parseCidr);
}

function parseCidr(text: string): CidrBlock {
  const match = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text.trim());
  const [, address = '', prefix] = match ?? [];
  // isIP first: ipaddr.js also reads 127.1 and 0x7f.1, which in a setting are more likely slips than addresses.
  if (isIP(address) === 0) throw badCidr(text);
  const network = ipaddr.parse(address);
  const bits = network.kind() === 'ipv4' ? 32 : 128;
  const prefixLength = prefix === undefined ? bits : Number(prefix);
  if (prefixLength > bits) throw badCidr(text);
  return [network, prefixLength];
}

const badCidr = (text: string): RangeError =>
  new RangeError(`"${text}" is not a CIDR block such as 10.0.0.0/8 or fd00::/8`);

/**
 * Why an address may not be reached, as a word for people ("loopback"), or null when it may.
 * IPv4 inside IPv4-mapped and NAT64 addresses is judged as IPv4; the tunnels 6to4 and Teredo are refused whole.
 * `address` is a textual IP address as sockets and resolvers give it; anything else is refused.
 */
export function addressRefusal(address: string, allowed: readonly CidrBlock[]): string | null {
  if (isIP(address) === 0) return 'malformed';
  const outer = ipaddr.parse(address);
  const inner = innerAddress(outer);
  if (allowed.some((block) => contains(block, outer) || contains(block, inner))) return null;
  if (inner.toString() === azureMetadata) return 'cloud metadata';
  const range = inner.range();
  if (range !== 'unicast') return rangeNames[range] ?? 'special-purpose';
  return inner.kind() === 'ipv4' || contains(globalUnicast, inner) ? null : 'special-purpose';
}

/** The IPv4 address inside an IPv4-mapped or NAT64 one; any other is itself. */
export function innerAddress(address: Address): Address {
  if (!(address instanceof ipaddr.IPv6)) return address;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  if (contains(nat64, address)) return ipaddr.fromByteArray(address.toByteArray().slice(12));
  return address;
}

function contains([network, prefixLength]: CidrBlock, address: Address): boolean {
  if (address instanceof ipaddr.IPv4) {
    return network instanceof ipaddr.IPv4 && address.match(network, prefixLength);
  }
  return network instanceof ipaddr.IPv6 && address.match(network, prefixLength);
}
