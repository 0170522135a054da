import ipaddr from 'ipaddr.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressRefusal, parseCidrs } from '../../net/address-guard.ts';

describe('addressRefusal', () => {
  it.each([
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['10.1.2.3', 'private'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['100.100.100.200', 'carrier-grade NAT'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['168.63.129.16', 'cloud metadata'],
    ['169.254.169.254', 'link-local'],
    ['172.31.255.255', 'private'],
    ['192.0.0.192', 'special-purpose'],
    ['192.0.2.1', 'special-purpose'],
    ['192.88.99.1', 'special-purpose'],
    ['192.168.0.1', 'private'],
    ['198.19.255.255', 'special-purpose'],
    ['198.51.100.7', 'special-purpose'],
    ['203.0.113.7', 'special-purpose'],
    ['224.0.0.1', 'multicast'],
    ['240.0.0.1', 'special-purpose'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::127.0.0.1', 'special-purpose'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:a00:1', 'private'],
    ['::ffff:168.63.129.16', 'cloud metadata'],
    ['::ffff:0:127.0.0.1', 'special-purpose'],
    ['64:ff9b::10.0.0.1', 'private'],
    ['64:ff9b:1::10.0.0.1', 'special-purpose'],
    ['100::1', 'special-purpose'],
    ['2001::1', 'special-purpose'],
    ['2001:2::1', 'special-purpose'],
    ['2001:20::1', 'special-purpose'],
    ['2001:db8::1', 'special-purpose'],
    ['2002:7f00:1::', 'special-purpose'],
    ['3fff::1', 'special-purpose'],
    ['4000::1', 'special-purpose'],
    ['5f00::1', 'special-purpose'],
    ['fc00::1', 'unique local'],
    ['fd00:ec2::254', 'unique local'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['fec0::1', 'special-purpose'],
    ['ff02::1', 'multicast'],
    ['localhost', 'malformed'],
    ['127.1', 'malformed'],
    ['', 'malformed'],
  ])('refuses %s as %s', (address, reason) => {
    expect(addressRefusal(address, [])).not.toBeNull();
    if (reason !== 'special-purpose') expect(addressRefusal(address, [])).toBe(reason);
  });

  it.each(['1.1.1.1', '93.184.216.34', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])(
    'lets %s pass',
    (address) => {
      expect(addressRefusal(address, [])).toBeNull();
    },
  );

  it('judges IPv4 inside IPv4-mapped and NAT64 addresses as IPv4', () => {
    fc.assert(
      fc.property(fc.ipV4(), (v4) => {
        const verdict = addressRefusal(v4, []);
        expect(addressRefusal(`::ffff:${v4}`, [])).toBe(verdict);
        expect(addressRefusal(`64:ff9b::${v4}`, [])).toBe(verdict);
      }),
    );
  });

  it('lets any address pass that an allowed block holds, and no other', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), fc.integer({ min: 0, max: 32 }), (address, network, prefix) => {
        const allowed = parseCidrs([`${network}/${String(prefix)}`]);
        const inside = ipaddr.IPv4.parse(address).match(ipaddr.IPv4.parse(network), prefix);
        expect(addressRefusal(address, allowed)).toBe(inside ? null : addressRefusal(address, []));
      }),
    );
  });

  it('an allowed IPv4 block holds its IPv4-mapped addresses; one of IPv6 holds no IPv4', () => {
    expect(addressRefusal('::ffff:127.0.0.1', parseCidrs(['127.0.0.0/8']))).toBeNull();
    expect(addressRefusal('127.0.0.1', parseCidrs(['::/0']))).toBe('loopback');
    expect(addressRefusal('fd12::1', parseCidrs(['10.0.0.0/8', 'fd00::/8']))).toBeNull();
  });
});

describe('parseCidrs', () => {
  it('reads blocks and single addresses', () => {
    const blocks = parseCidrs([' 10.0.0.0/8 ', '127.0.0.1', 'fd00::/8', '::1']);
    expect(blocks.map(([network, prefix]) => `${network.toString()}/${String(prefix)}`)).toEqual([
      '10.0.0.0/8',
      '127.0.0.1/32',
      'fd00::/8',
      '::1/128',
    ]);
  });

  it.each([
    '',
    '10.0.0.0/33',
    '10.0.0/8',
    '127.1',
    '0x7f.0.0.1/8',
    'fd00::/129',
    'localhost',
    '10.0.0.0/',
    '10.0.0.0/-1',
    'fe80::1%lo',
    '10.0.0.0/8/8',
    '1e1.0.0.0/8',
  ])('names the bad entry %j', (bad) => {
    expect(() => parseCidrs(['10.0.0.0/8', bad])).toThrow(`"${bad}" is not a CIDR block`);
  });
});
