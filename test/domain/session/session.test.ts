/** Where a session is sent: RFC 6265bis §5.8.3 for its cookies, one origin and path for all else. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cookie } from '../../../domain/cookies.ts';
import { fieldsFor, joinedHeaders, reaches, type SessionContent } from '../../../domain/session/session.ts';

const now = Date.UTC(2030, 0, 1);
const cookie = (over: Partial<Cookie> = {}): Cookie => ({
  ...{ name: 'a', value: '1', domain: 'example.com', below: false, path: '/', secure: false, endsAt: null },
  ...over,
});
const sent = (content: Partial<SessionContent>, url: string, isCrossSite = false) =>
  fieldsFor({ cookies: [], fields: [], ...content }, new URL(url), isCrossSite, now);

describe('a cookie', () => {
  it.each<[string, Partial<Cookie>, string, boolean, object | null]>([
    ['its host', {}, 'http://example.com/x', false, { cookie: 'a=1' }],
    ['its host at another port (§8.5)', {}, 'http://example.com:8080/x', false, { cookie: 'a=1' }],
    ['no host below', {}, 'http://www.example.com/', false, null],
    [
      'hosts below its domain (§5.8.3, 1.1)',
      { below: true },
      'http://www.example.com/',
      false,
      { cookie: 'a=1' },
    ],
    ['no host that ends alike', { below: true }, 'http://notexample.com/', false, null],
    ['its path (1.2)', { path: '/in' }, 'http://example.com/in/x', false, { cookie: 'a=1' }],
    ['no path that begins alike', { path: '/in' }, 'http://example.com/inner', false, null],
    ['TLS, if it is secure (1.3)', { secure: true }, 'https://example.com/', false, { cookie: 'a=1' }],
    ['TLS alone, if it is secure', { secure: true }, 'http://example.com/', false, null],
    [
      'nowhere, once it is over; the session belongs there still',
      { endsAt: now },
      'http://example.com/',
      false,
      {},
    ],
    ['its own site only, without SameSite (§5.6.7.1)', {}, 'https://example.com/', true, null],
    ['its own site only: Lax', { sameSite: 'lax' }, 'https://example.com/', true, null],
    ['its own site only: Strict', { sameSite: 'strict' }, 'https://example.com/', true, null],
    [
      'pages of any site: None',
      { sameSite: 'none', secure: true },
      'https://example.com/',
      true,
      { cookie: 'a=1' },
    ],
    ['its own site only: None without Secure', { sameSite: 'none' }, 'https://example.com/', true, null],
  ])('goes to %s', (_, over, url, isCrossSite, headers) => {
    expect(sent({ cookies: [cookie(over)] }, url, isCrossSite)).toEqual(headers);
  });

  it('of a longer path comes first (§5.8.3, 2)', () => {
    const cookies = [cookie(), cookie({ value: '2', path: '/x' })];
    expect(sent({ cookies }, 'http://example.com/x/y')).toEqual({ cookie: 'a=2; a=1' });
  });
});

describe('header fields', () => {
  const fields = [{ origin: 'https://example.com', path: '/api', headers: { authorization: 'Bearer t' } }];

  it.each([
    ['https://example.com/api', true],
    ['https://example.com/api/x?y', true],
    ['https://example.com/apix', false],
    ['https://example.com/', false],
    ['http://example.com/api', false],
    ['https://example.com:8443/api', false],
    ['https://www.example.com/api', false],
    ['https://example.com.evil.net/api', false],
  ])('go to their origin and path alone: %s', (url, isSent) => {
    expect(sent({ fields }, url)).toEqual(isSent ? { authorization: 'Bearer t' } : null);
    expect(sent({ fields }, url, true)).toBeNull();
  });
});

it('nothing goes to a host that no part reaches', () => {
  const host = fc.constantFrom(
    'example.com',
    'www.example.com',
    'a.www.example.com',
    'example.org',
    'com',
    'xample.com',
  );
  fc.assert(
    fc.property(host, host, fc.boolean(), fc.constantFrom('http', 'https'), (domain, to, below, scheme) => {
      const url = `${scheme}://${to}/`;
      const place = below ? `.${domain}` : domain;
      const headers = sent({ cookies: [cookie({ domain, below })] }, url);
      expect(headers !== null).toBe(reaches(place, new URL(url).origin));
    }),
  );
});

it('of two headers with one name that of the session is taken, and cookies are joined', () => {
  const own = { Cookie: 'a=1; b=1', Authorization: 'Basic x', 'X-Own': '1' };
  expect(joinedHeaders(own, { cookie: 'b=2; c=2', authorization: 'Bearer y' })).toEqual({
    ...{ Cookie: 'a=1; b=2; c=2', authorization: 'Bearer y', 'X-Own': '1' },
  });
});
