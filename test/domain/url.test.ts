import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalize, maxUrlLength, pathAndQuery, type CanonicalRules } from '../../domain/url.ts';
import { runs } from '../support/runs.ts';

function canonicalOf(raw: string, base?: string, rules?: CanonicalRules): string {
  const result = canonicalize(raw, base, rules);
  if (!result.ok) throw new Error(`${raw} was rejected: ${result.rejected}`);
  return result.value.canonical;
}

function rejectionOf(raw: string): string | null {
  const result = canonicalize(raw);
  return result.ok ? null : result.rejected;
}

describe('canonical form', () => {
  it.each([
    // WHATWG URL
    ['HTTP://EXAMPLE.Com/A', 'http://example.com/A'],
    ['https://example.com', 'https://example.com/'],
    ['https://bücher.example/ä', 'https://xn--bcher-kva.example/%C3%A4'],
    ['http://example.com:80/', 'http://example.com/'],
    ['https://example.com:443/', 'https://example.com/'],
    ['http://example.com:443/', 'http://example.com:443/'],
    ['http://h/a/./b/../c', 'http://h/a/c'],
    ['http://h/a/%2e%2E/c', 'http://h/c'],
    ['  http://h/a\n', 'http://h/a'],
    ['http://0x7f.1/', 'http://127.0.0.1/'],
    ['http://[::0001]:8080/', 'http://[::1]:8080/'],
    // host
    ['http://example.com./a', 'http://example.com/a'],
    ['http://example.com.:8080/a', 'http://example.com:8080/a'],
    ['http://www.example.com/', 'http://www.example.com/'],
    // fragment
    ['http://h/a#b', 'http://h/a'],
    ['http://h/#!/a?b=c', 'http://h/'],
    // RFC 3986 §6.2.2.1, §6.2.2.2
    ['http://h/%7Euser/%41%2d%5f', 'http://h/~user/A-_'],
    ['http://h/caf%c3%a9', 'http://h/caf%C3%A9'],
    ['http://h/caf%E9', 'http://h/caf%E9'],
    ['http://h/a%2fb%3Fc%23d', 'http://h/a%2Fb%3Fc%23d'],
    ['http://h/%2541', 'http://h/%2541'],
    ['http://h/%25%34%31', 'http://h/%2541'],
    ['http://h/100%', 'http://h/100%25'],
    ['http://h/%%34%31', 'http://h/%2541'],
    ['http://h/a?q=%7e%2B%26%3d+x', 'http://h/a?q=~%2B%26%3D+x'],
    ['http://h//a//b/', 'http://h//a//b/'],
    ['http://h/http://other/x', 'http://h/http://other/x'],
    // parameters
    ['http://h/?b=1&a=2', 'http://h/?a=2&b=1'],
    ['http://h/?b=2&a=9&b=1', 'http://h/?a=9&b=2&b=1'],
    ['http://h/?a', 'http://h/?a'],
    ['http://h/?a=', 'http://h/?a='],
    ['http://h/?a=&a', 'http://h/?a=&a'],
    ['http://h/?', 'http://h/'],
    ['http://h/?&&', 'http://h/'],
    ['http://h/?a=1&&b=2&', 'http://h/?a=1&b=2'],
    ['http://h/?%62=1&a=2', 'http://h/?a=2&b=1'],
    ['http://h/?a=b=c', 'http://h/?a=b=c'],
    ['http://h/?B=1&a=2', 'http://h/?B=1&a=2'],
    ['http://h/?a+b=1', 'http://h/?a+b=1'],
    // tracking
    ['http://h/?utm_source=x&utm_medium=y', 'http://h/'],
    ['http://h/?UTM_Campaign=x&id=1', 'http://h/?id=1'],
    ['http://h/?utm%5Fsource=x&id=1', 'http://h/?id=1'],
    ['http://h/?gclid=1&fbclid=2&msclkid=3&mc_cid=4&id=5', 'http://h/?id=5'],
    ['http://h/?utm=1&ref=2&source=3', 'http://h/?ref=2&source=3&utm=1'],
    // session ids
    ['http://h/?PHPSESSID=abc&p=1', 'http://h/?p=1'],
    ['http://h/?ASPSESSIONIDQQABC=x&p=1', 'http://h/?p=1'],
    ['http://h/a;jsessionid=0123ABC?p=1', 'http://h/a?p=1'],
    ['http://h/a;v=1;JSESSIONID=x/b', 'http://h/a;v=1/b'],
    ['http://h/a;v=1', 'http://h/a;v=1'],
    ['http://h/(S(lit3py55t21z5v55vlm25s55))/orders.aspx', 'http://h/orders.aspx'],
    ['http://h/(A(x1)F(y2))/(S(z))/a', 'http://h/a'],
    ['http://h/(S(z));jsessionid=1/a', 'http://h/a'],
    ['http://h/Berlin_(S)/a', 'http://h/Berlin_(S)/a'],
    ['http://h/?sid=a9f3c2b1d4e5f60718293a4b5c6d7e8f&p=1', 'http://h/?p=1'],
    ['http://h/?sid=1234567890123456', 'http://h/?sid=1234567890123456'],
    ['http://h/?sid=internationalization', 'http://h/?sid=internationalization'],
    ['http://h/talks?session_id=42', 'http://h/talks?session_id=42'],
    // what is left must not become a step up the path
    ['http://h/a/..;jsessionid=1/b', 'http://h/a/..;jsessionid=1/b'],
  ])('%s → %s', (raw, canonical) => {
    expect(canonicalOf(raw)).toBe(canonical);
  });

  it('RFC 3986 §2.3: of all escapes, those of unreserved characters alone are decoded', () => {
    for (let octet = 0; octet < 256; octet++) {
      const escape = '%' + octet.toString(16).toUpperCase().padStart(2, '0');
      const char = String.fromCharCode(octet);
      const expected = /[A-Za-z0-9._~-]/.test(char) ? char : escape;
      expect(canonicalOf(`http://h/a${escape}?b${escape}`)).toBe(`http://h/a${expected}?b${expected}`);
    }
  });

  it('reads relative links against their base', () => {
    const base = 'https://example.com/a/b/c.html?q#f';
    expect(canonicalOf('d.html', base)).toBe('https://example.com/a/b/d.html');
    expect(canonicalOf('../d?y=1&x=2', base)).toBe('https://example.com/a/d?x=2&y=1');
    expect(canonicalOf('//other.example/x', base)).toBe('https://other.example/x');
    expect(canonicalOf('?z', base)).toBe('https://example.com/a/b/c.html?z');
  });

  it('keeps the URL to fetch as found, and names its host', () => {
    expect(canonicalize('HTTP://Example.com:8080/%7ea?utm_source=x&b=1&a=2&#top')).toEqual({
      ok: true,
      value: {
        url: 'http://example.com:8080/%7ea?utm_source=x&b=1&a=2&',
        canonical: 'http://example.com:8080/~a?a=2&b=1',
        host: 'http://example.com:8080',
      },
    });
  });

  it('counts a host with a trailing dot as the same host', () => {
    const result = canonicalize('https://example.com./a');
    expect(result).toMatchObject({ value: { host: 'https://example.com', url: 'https://example.com/a' } });
  });

  it.each([
    ['http://[::ffff:127.0.4.4]:19000/b', 'http://127.0.4.4:19000'],
    ['http://[::FFFF:7f00:404]/', 'http://127.0.4.4'],
    ['http://[0:0:0:0:0:ffff:c000:201]/', 'http://192.0.2.1'],
    ['http://[::1]/', 'http://[::1]'],
    ['http://[::ffff:0:7f00:1]/', 'http://[::ffff:0:7f00:1]'],
  ])('counts %s as the host %s (RFC 4291, section 2.5.5.2)', (raw, host) => {
    expect(canonicalize(raw)).toMatchObject({ value: { host } });
  });

  it('gives path and query as they go into the request line', () => {
    expect(pathAndQuery({ url: 'http://h:81/a?b', host: 'http://h:81' })).toBe('/a?b');
  });
});

describe('rules that are off by default', () => {
  it.each([
    ['http://h/a/', 'http://h/a'],
    ['http://h/a//', 'http://h/a'],
    ['http://h//', 'http://h/'],
    ['http://h/', 'http://h/'],
    ['http://h/a/?b=1', 'http://h/a?b=1'],
  ])('trailing slash: %s → %s', (raw, canonical) => {
    expect(canonicalOf(raw, undefined, { dropTrailingSlash: true, dropWww: false })).toBe(canonical);
  });

  it.each([
    ['https://www.example.com/', 'https://example.com/'],
    ['https://www.www.example.com:81/', 'https://example.com:81/'],
    ['https://www.com/', 'https://www.com/'],
    ['https://wwwx.example.com/www.a/', 'https://wwwx.example.com/www.a/'],
  ])('www: %s → %s', (raw, canonical) => {
    expect(canonicalOf(raw, undefined, { dropTrailingSlash: false, dropWww: true })).toBe(canonical);
  });

  it('www makes no other unit of politeness', () => {
    const result = canonicalize('https://www.example.com/', undefined, {
      dropTrailingSlash: true,
      dropWww: true,
    });
    expect(result).toMatchObject({
      value: { host: 'https://www.example.com', url: 'https://www.example.com/' },
    });
  });
});

describe('rejections', () => {
  it.each([
    ['', 'not-a-url'],
    ['/relative', 'not-a-url'],
    ['example.com', 'not-a-url'],
    ['http://', 'not-a-url'],
    ['http://exa mple.com/', 'not-a-url'],
    ['http://1.2.3.999/', 'not-a-url'],
    ['http://h:99999/', 'not-a-url'],
    ['mailto:a@example.com', 'scheme'],
    ['javascript:void(0)', 'scheme'],
    ['data:text/html,x', 'scheme'],
    ['ftp://example.com/', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['http://./', 'no-host'],
    ['http://example.com../', 'no-host'],
    ['http://user@example.com/', 'credentials'],
    ['http://:secret@example.com/', 'credentials'],
  ])('%s: %s', (raw, rejected) => {
    expect(rejectionOf(raw)).toBe(rejected);
  });

  it('limits the URL without its fragment', () => {
    const longest = 'http://h/'.padEnd(maxUrlLength, 'a');
    expect(rejectionOf(longest)).toBeNull();
    expect(rejectionOf(longest + '#b')).toBeNull();
    expect(rejectionOf(longest + 'a')).toBe('too-long');
    expect(rejectionOf('http://h/'.padEnd(10_000_000, 'a'))).toBe('too-long');
  });

  it('limits the canonical form, which a stray % makes longer', () => {
    const raw = 'http://h/'.padEnd(maxUrlLength, '%');
    expect(raw.length).toBe(maxUrlLength);
    expect(rejectionOf(raw)).toBe('too-long');
  });
});

/** Made of the pieces that rules look at, so that they meet in every order. */
const piece = fc.constantFrom(
  ...['a', 'B', '1', '.', '..', '/', '//', '?', '&', '=', '+', ';', '(', ')', '%', '%4', '%41', '%2e', '%2F'],
  ...['%25', '%e9', 'é', ' ', "'", '#', ':', '@', '(S(x))', ';jsessionid=1', 'utm_source=1', 'sid=', 'www.'],
  ...['\\', '[', '|', 'a9f3c2b1d4e5f60718293a4b5c6d7e8f'],
);
const path = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));
const host = fc.constantFrom(
  'example.com',
  'www.www.example.com.',
  'h:8080',
  '127.1',
  '[::1]',
  'ä.example',
  'www.com',
);
const rawUrl = fc
  .tuple(fc.constantFrom('http', 'HTTPS'), host, path)
  .map(([scheme, name, rest]) => `${scheme}://${name}/${rest}`);
const anyRules = fc.record({ dropTrailingSlash: fc.boolean(), dropWww: fc.boolean() });

describe('properties', () => {
  it('the canonical form of a canonical form is itself', () => {
    fc.assert(
      fc.property(fc.oneof(rawUrl, fc.webUrl({ withQueryParameters: true })), anyRules, (raw, rules) => {
        const result = canonicalize(raw, undefined, rules);
        if (!result.ok) return;
        expect(canonicalOf(result.value.canonical, undefined, rules)).toBe(result.value.canonical);
      }),
      { numRuns: runs(3_000) },
    );
  });

  it('the URL to fetch is read back unchanged, starts with its host and is one to the WHATWG parser', () => {
    fc.assert(
      fc.property(rawUrl, (raw) => {
        const result = canonicalize(raw);
        if (!result.ok) return;
        const { url, host: origin } = result.value;
        expect(canonicalize(url)).toEqual(result);
        expect(new URL(url).origin).toBe(origin);
        expect(pathAndQuery(result.value)).toMatch(/^\//);
        expect(url).not.toContain('#');
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('the order of different parameters makes no difference', () => {
    const name = fc.stringMatching(/^[a-z%]{1,3}$/);
    const parameter = fc.tuple(name, fc.stringMatching(/^(=[a-z0-9+%]{0,4})?$/));
    const normalName = (text: string): string => new URL(canonicalOf(`http://h/?${text}`)).search;
    fc.assert(
      fc.property(
        fc
          .uniqueArray(parameter, { selector: ([key]) => normalName(key), maxLength: 8 })
          .chain((parameters) => {
            const texts = parameters.map((parts) => parts.join(''));
            return fc.tuple(fc.constant(texts), fc.shuffledSubarray(texts, { minLength: texts.length }));
          }),
        ([found, shuffled]) => {
          expect(canonicalOf(`http://h/?${shuffled.join('&')}`)).toBe(
            canonicalOf(`http://h/?${found.join('&')}`),
          );
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it('what a server decodes from path and parameters is kept, where nothing is dropped', () => {
    const decodedOf = (url: string): unknown => {
      const { pathname, searchParams } = new URL(url);
      return [decodeURIComponent(pathname), [...searchParams.entries()].sort()];
    };
    const text = fc
      .string({ unit: 'binary', maxLength: 8 })
      .map((value) => encodeURIComponent(value.toWellFormed()));
    // A text has up to 96 characters: with more of them a URL may be longer than any that is taken.
    const few = { maxLength: 6 };
    fc.assert(
      fc.property(fc.array(text, few), fc.uniqueArray(text, few), (segments, names) => {
        const raw = `http://h/x${segments.join('')}?${names.map((name) => `k${name}=${name}`).join('&')}`;
        expect(decodedOf(canonicalOf(raw))).toEqual(decodedOf(raw));
      }),
      { numRuns: runs(500) },
    );
  });

  it('whatever the text, there is an answer', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.option(fc.string(), { nil: undefined }), (raw, base) => {
        const result = canonicalize(raw, base);
        if (result.ok) expect(result.value.canonical).toMatch(/^https?:\/\/[\x21-\x7e]+$/);
      }),
      { numRuns: runs(1_000) },
    );
  });
});
