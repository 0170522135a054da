/** Files of cookies, as browsers and their extensions write them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cookie } from '../../../domain/cookies.ts';
import { readCookieFile } from '../../../domain/session/cookie-file.ts';

const isShared = (domain: string): boolean =>
  domain.includes('.') && domain !== 'co.uk' && !/^[\d.]+$/.test(domain);
const read = (text: string): readonly Cookie[] => {
  const found = readCookieFile(text, isShared);
  if (!found.ok) throw new Error(found.problem);
  return found.cookies;
};
const problem = (text: string): string | null => {
  const found = readCookieFile(text, isShared);
  return found.ok ? null : found.problem;
};
const line = (...fields: readonly string[]): string => fields.join('\t');

describe('cookies.txt', () => {
  it.each<[string, string, object]>([
    [
      'a domain with all below it',
      line('.example.com', 'TRUE', '/a', 'TRUE', '1900000000', 'sid', 'one'),
      {
        name: 'sid',
        value: 'one',
        domain: 'example.com',
        below: true,
        path: '/a',
        secure: true,
        endsAt: 1_900_000_000_000,
      },
    ],
    [
      'a host of its own, until the end of the session',
      line('Example.com', 'FALSE', '/', 'FALSE', '0', 'sid', ''),
      { name: 'sid', value: '', domain: 'example.com', below: false, path: '/', secure: false, endsAt: null },
    ],
    [
      'for servers only',
      line('#HttpOnly_example.com', 'FALSE', '/', 'FALSE', '0', 'a', 'b'),
      { name: 'a', value: 'b' },
    ],
    [
      'a public suffix is shared by nobody (RFC 6265bis §5.7)',
      line('.co.uk', 'TRUE', '/', 'FALSE', '0', 'a', 'b'),
      { domain: 'co.uk', below: false },
    ],
    [
      'an address is shared by nobody',
      line('127.0.0.1', 'TRUE', '/', 'FALSE', '0', 'a', 'b'),
      { domain: '127.0.0.1', below: false },
    ],
    [
      'a prefix asks for TLS (§4.1.3)',
      line('example.com', 'FALSE', '/', 'FALSE', '0', '__Host-a', 'b'),
      { secure: true },
    ],
  ])('%s', (_, text, cookie) => {
    expect(read(`# Netscape HTTP Cookie File\r\n\r\n${text}\r\n`)).toMatchObject([cookie]);
  });

  it('the later of two cookies of one place is taken', () => {
    const two = ['one', 'two'].map((value) => line('example.com', 'FALSE', '/', 'FALSE', '0', 'a', value));
    expect(read(two.join('\n')).map(({ value }) => value)).toEqual(['two']);
  });
});

describe('JSON', () => {
  it.each<[string, object, object]>([
    [
      'of an extension',
      [
        {
          name: 'a',
          value: 'b',
          domain: '.example.com',
          hostOnly: false,
          path: '/',
          secure: true,
          sameSite: 'no_restriction',
          expirationDate: 1_900_000_000.5,
          session: false,
          storeId: '0',
        },
      ],
      { domain: 'example.com', below: true, secure: true, sameSite: 'none', endsAt: 1_900_000_000_500 },
    ],
    [
      'of Playwright',
      {
        cookies: [
          {
            name: 'a',
            value: 'b',
            domain: 'example.com',
            path: '/x',
            expires: -1,
            httpOnly: true,
            secure: false,
            sameSite: 'Strict',
          },
        ],
        origins: [],
      },
      { domain: 'example.com', below: false, path: '/x', endsAt: null, sameSite: 'strict' },
    ],
    [
      'of one that leaves most out',
      [{ name: 'a', value: 'b', domain: 'example.com' }],
      { path: '/', secure: false },
    ],
  ])('%s', (_, json, cookie) => {
    expect(read(JSON.stringify(json))).toMatchObject([cookie]);
  });
});

it.each<[string, string]>([
  ['', 'it has no cookie'],
  ['hello', 'line 1 has not the seven fields of cookies.txt, with a tab between each two'],
  ['[{"name": "a", "value": "s3cret"', 'it is not valid JSON'],
  ['{"cookie": []}', 'its JSON is neither a list of cookies nor an object with `cookies`'],
  ['[7]', 'cookie 1 is no object'],
  ['[{"name": "a", "value": "s3cret", "domain": "exa mple"}]', 'cookie 1 has no host name as its domain'],
  [
    '[{"name": "a", "value": "s3c;ret", "domain": "example.com"}]',
    'cookie 1 has no name and value that can be sent',
  ],
  [
    '[{"name": "a", "value": "s3cret", "domain": "example.com", "path": "x"}]',
    'cookie 1 has no path such as /',
  ],
  [`[{"name": "a", "value": "${'s3cret'.repeat(1_000)}", "domain": "example.com"}]`, 'cookie 1 is too long'],
])('says what is wrong, and shows no value: %s', (text, words) => {
  expect(problem(text)).toBe(words);
});

it('whatever is read can be sent', () => {
  const field = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(fc.array(fc.tuple(field, field, field, field, field, field, field)), (lines) => {
      const found = readCookieFile(lines.map((fields) => fields.join('\t')).join('\n'), isShared);
      if (found.ok)
        for (const { name, value } of found.cookies) expect(`${name}${value}`).not.toMatch(/[;\r\n\0]/);
    }),
  );
});
