/** Which machine an address belongs to, as far as an address tells: the unit of the caps on addresses. */
import ipaddr from 'ipaddr.js';
import { addressRefusal, innerAddress } from './address-guard.ts';

export interface AddressGroup {
  /** An IPv4 address, or the /64 of an IPv6 address, which is what one machine or one customer usually has. */
  readonly name: string;
  /** Private or special: a crawl reaches it only because an operator allows it. */
  readonly isPrivate: boolean;
}

/** Null: the text is not an IP address. @param address as sockets and resolvers give it */
export function groupOfAddress(address: string): AddressGroup | null {
  const name = nameOfGroup(address);
  return name === null ? null : { name, isPrivate: addressRefusal(address, []) !== null };
}

/** The name under which an operator's setting for an address is kept: `192.0.2.7`, or `2001:db8::/64`. */
export function nameOfGroup(text: string): string | null {
  const [address = '', prefix] = text.split('/');
  if (
    !ipaddr.isValid(address) ||
    (ipaddr.IPv4.isValid(address) && !ipaddr.IPv4.isValidFourPartDecimal(address))
  )
    return null;
  const inner = innerAddress(ipaddr.parse(address));
  if (inner.kind() === 'ipv4') return prefix === undefined || prefix === '32' ? inner.toString() : null;
  if (prefix !== undefined && prefix !== '64' && prefix !== '128') return null;
  const network = inner.toByteArray().map((byte, at) => (at < 8 ? byte : 0));
  return `${ipaddr.fromByteArray(network).toString()}/64`;
}
