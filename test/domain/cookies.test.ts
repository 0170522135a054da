/** Cookies along a chain of redirects (RFC 6265 §5). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cookieField, cookiesAfter, joinedFields, type Cookie } from '../../domain/cookies.ts';

const now = Date.UTC(2030, 0, 1);
const isShared = (domain: string): boolean => domain !== 'co.uk' && domain.includes('.');
const after = (field: string, url = 'https://www.shop.co.uk/a/b', before: readonly Cookie[] = []) =>
  cookiesAfter(before, field, new URL(url), isShared, now);
const sent = (field: string, to: string, from?: string): string | null =>
  cookieField(after(field, from), new URL(to));

describe('a cookie', () => {
  it.each([
    ['a=1', 'https://www.shop.co.uk/a/c', 'a=1'],
    ['a=1', 'https://www.shop.co.uk/a', 'a=1'],
    ['a=1', 'https://www.shop.co.uk/ab', null],
    ['a=1; Path=/', 'http://www.shop.co.uk/', 'a=1'],
    ['a=1; Path=/; Secure', 'http://www.shop.co.uk/', null],
    ['a=1; path=/x', 'https://www.shop.co.uk/x/y', 'a=1'],
    ['a=1; Path=/', 'https://shop.co.uk/', null],
    ['a=1; Path=/', 'https://b.www.shop.co.uk/', null],
    ['a=1; Path=/; Domain=.shop.co.uk', 'https://shop.co.uk/', 'a=1'],
    ['a=1; Path=/; Domain=shop.co.uk', 'https://login.shop.co.uk/', 'a=1'],
    ['a=1; Path=/; Domain=shop.co.uk', 'https://workshop.co.uk/', null],
    ['a=1; Path=/; Domain=co.uk', 'https://www.shop.co.uk/', null],
    ['a=1; Path=/; Domain=other.com', 'https://other.com/', null],
    ['a=1; Path=/; Max-Age=60', 'https://www.shop.co.uk/', 'a=1'],
    ['a=1; Path=/; Max-Age=0', 'https://www.shop.co.uk/', null],
    ['a=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT', 'https://www.shop.co.uk/', null],
    ['a=1; Path=/\nb="2"; Path=/; HttpOnly', 'https://www.shop.co.uk/', 'a=1; b="2"'],
    ['a=1; Path=/\na=2; Path=/', 'https://www.shop.co.uk/', 'a=2'],
    ['a=1; Path=/\na=; Path=/; Max-Age=-1', 'https://www.shop.co.uk/', null],
    ['no cookie; Path=/', 'https://www.shop.co.uk/', null],
    ['=1; Path=/', 'https://www.shop.co.uk/', null],
    ['a=1\x00; Path=/', 'https://www.shop.co.uk/', null],
    ['a=1; Path=/\na=2; Path=/a\nb=3; Path=/', 'https://www.shop.co.uk/a/', 'a=2; a=1; b=3'],
    // RFC 6265bis §4.1.3: prefixes of names.
    ['__Secure-a=1; Path=/', 'https://www.shop.co.uk/', null],
    ['__Secure-a=1; Path=/; Secure', 'https://www.shop.co.uk/', '__Secure-a=1'],
    ['__Host-a=1; Path=/; Secure', 'https://www.shop.co.uk/', '__Host-a=1'],
    ['__Host-a=1; Path=/', 'https://www.shop.co.uk/', null],
    ['__host-a=1; Path=/a; Secure', 'https://www.shop.co.uk/a', null],
    ['__Host-a=1; Secure', 'https://www.shop.co.uk/a', null],
    ['__Host-a=1; Path=/; Secure; Domain=www.shop.co.uk', 'https://www.shop.co.uk/', null],
  ])('%j to %s: %j', (field, to, expected) => {
    expect(sent(field, to)).toBe(expected);
  });

  it('of a host without TLS cannot be for those with it alone, and one of an address is for that address', () => {
    expect(sent('a=1; Secure', 'https://h.example/', 'http://h.example/')).toBeNull();
    expect(sent('a=1; Domain=127.0.0.1', 'http://127.0.0.1/', 'http://127.0.0.1/')).toBe('a=1');
    expect(sent('a=1; Domain=0.1', 'http://127.0.0.1/', 'http://127.0.0.1/')).toBeNull();
  });
});

it.each([
  [1_024, 'a=1'],
  [1_025, null],
])('with a path of %i characters: %j', (length, expected) => {
  const path = `/${'x'.repeat(length - 1)}`;
  const url = `https://www.shop.co.uk${path}`;
  expect(sent(`a=1; Path=${path}`, url)).toBe(expected);
  expect(sent('a=1', url, `${url}/b`)).toBe(expected);
});

it.each([
  ['http://www.shop.co.uk/', 'a=2; Path=/', 'a=1'],
  ['http://www.shop.co.uk/', 'a=2; Path=/; Max-Age=0', 'a=1'],
  ['http://www.shop.co.uk/', 'a=2; Path=/x/y', 'a=1'],
  ['http://login.shop.co.uk/', 'a=2; Path=/; Domain=shop.co.uk', 'a=1'],
  ['https://www.shop.co.uk/', 'a=2; Path=/; Domain=shop.co.uk', 'a=2'],
  ['http://www.shop.co.uk/', 'b=2; Path=/; Domain=shop.co.uk', 'a=1; b=2'],
])('%s, %j, after a secure cookie (RFC 6265bis §5.7): %j', (url, field, expected) => {
  const secured = after('a=1; Path=/; Secure; Domain=shop.co.uk');
  expect(cookieField(after(field, url, secured), new URL('https://www.shop.co.uk/x/y'))).toBe(expected);
});

it('what the site sets replaces what the crawl was given under the same name', () => {
  expect(joinedFields('id=1; seen=0;plain', 'seen=1; new=2')).toBe('id=1; plain; seen=1; new=2');
  expect(joinedFields('', 'seen=1')).toBe('seen=1');
});

it('has room for twenty cookies and 4,096 characters, and no line breaks, whatever an answer sets', () => {
  const line = fc.oneof(
    fc.string(),
    fc.webSegment().map((name) => `${name}=${'x'.repeat(400)}; Path=/`),
    fc.webSegment().map((name) => `${name}=1; Path=/${'x'.repeat(900)}`),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
      const cookies = after(lines.join('\n'));
      const kept = cookies.flatMap(({ name, value, domain, path }) => [name, value, domain, path]);
      expect(kept.join('').length).toBeLessThanOrEqual(4_096);
      const field = cookieField(cookies, new URL('https://www.shop.co.uk/a/b'));
      expect((field ?? '').split('; ').length).toBeLessThanOrEqual(20);
      expect((field ?? '').length).toBeLessThanOrEqual(4_096 + 20 * 3);
      expect(field ?? '').toMatch(/^[ -:<-~\x80-\xff;]*$/);
    }),
  );
});
