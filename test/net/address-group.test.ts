/** Which addresses count as one machine (F05). */
import { describe, expect, it } from 'vitest';
import { groupOfAddress, nameOfGroup } from '../../net/address-group.ts';

describe('the group of an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['64:ff9b::c000:207', '192.0.2.7'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ])('%s is %s', (address, name) => {
    expect(groupOfAddress(address)?.name).toBe(name);
  });

  it.each([
    ['127.0.0.1', true],
    ['10.1.2.3', true],
    ['::1', true],
    ['fd00::1', true],
    ['93.184.216.34', false],
    ['2606:2800:220:1::1', false],
  ])('%s is private: %s', (address, isPrivate) => {
    expect(groupOfAddress(address)?.isPrivate).toBe(isPrivate);
  });

  it.each(['example.org', '192.0.2.0/24', '2001:db8::/32', '1.2.3', '0x7f.1', '', '/', '192.0.2.7/'])(
    'there is none of %j',
    (text) => {
      expect(nameOfGroup(text)).toBeNull();
    },
  );

  it('is named alike by an address in it and by its prefix', () => {
    expect(nameOfGroup('2001:db8:1:2::/64')).toBe(nameOfGroup('2001:db8:1:2:3::4'));
    expect(nameOfGroup('192.0.2.7/32')).toBe('192.0.2.7');
  });
});
