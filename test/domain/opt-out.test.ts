import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coveringDomain, hostName, isFreshCopy, optOutBoundMs, readDomain } from '../../domain/opt-out.ts';
import { canonicalize } from '../../domain/url.ts';
import { runs } from '../support/runs.ts';

const label = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
const name = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join('.'));
const port = fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: null });
const scheme = fc.constantFrom('http', 'https');

const originOf = (host: string, scheme: string, port: number | null): string => {
  const read = canonicalize(`${scheme}://${host}${port === null ? '' : `:${String(port)}`}/`);
  if (!read.ok) throw new Error(`${host}: ${read.rejected}`);
  return read.value.host;
};
const covered = (origin: string, ...listed: readonly string[]): string | null =>
  coveringDomain(hostName(origin), new Set(listed));

describe('a domain on the list', () => {
  it('covers itself and all below it, under every scheme and at every port', () => {
    fc.assert(
      fc.property(name, fc.array(label, { maxLength: 4 }), scheme, port, (domain, below, how, where) => {
        const host = [...below, domain].join('.');
        expect(covered(originOf(host, how, where), domain)).toBe(domain);
      }),
    );
  });

  it('covers nothing else: what covers is the name itself or its tail after a dot', () => {
    fc.assert(
      fc.property(name, fc.uniqueArray(name, { maxLength: 6 }), scheme, port, (host, listed, how, where) => {
        const found = covered(originOf(host, how, where), ...listed);
        const right = listed.filter((domain) => host === domain || host.endsWith(`.${domain}`));
        const narrowest = right.toSorted((a, b) => b.length - a.length)[0] ?? null;
        expect(found).toBe(narrowest);
      }),
    );
  });

  it('is compared as it stands in URLs, however it was written', () => {
    fc.assert(
      fc.property(name, fc.boolean(), fc.boolean(), (domain, upper, dot) => {
        const written = ` ${upper ? domain.toUpperCase() : domain}${dot ? '.' : ''} `;
        expect(readDomain(written)).toEqual({ ok: true, domain });
        expect(covered(originOf(domain, 'https', null), domain)).toBe(domain);
      }),
    );
  });

  it.each([
    ['https://example.com', 'example.com', true],
    ['http://example.com:8080', 'example.com', true],
    ['https://www.example.com', 'example.com', true],
    ['https://notexample.com', 'example.com', false],
    ['https://example.com.evil.test', 'example.com', false],
    ['https://example.com', 'www.example.com', false],
    ['https://example.com', 'com', true],
    ['http://127.0.0.1:8080', '127.0.0.1', true],
    ['http://127.0.0.1:8080', '127.0.0.2', false],
    ['http://[2001:db8::1]:8080', '[2001:db8::1]', true],
    ['http://[2001:db8::1]', '[2001:db8::2]', false],
    ['https://xn--bcher-kva.example', 'xn--bcher-kva.example', true],
  ])('%s under %s: %s', (origin, domain, is) => {
    expect(covered(origin, domain) !== null).toBe(is);
  });
});

describe('reading a domain', () => {
  it.each([
    ['Example.COM', 'example.com'],
    ['Bücher.Example', 'xn--bcher-kva.example'],
    ['localhost', 'localhost'],
    ['_dmarc.example.com', '_dmarc.example.com'],
    ['127.0.0.1', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['::1', '[::1]'],
    ['[2001:DB8:0::1]', '[2001:db8::1]'],
  ])('takes %s', (text, domain) => {
    expect(readDomain(text)).toEqual({ ok: true, domain });
  });

  it.each([
    '',
    '  ',
    '.',
    'a..b',
    '*.example.com',
    'https://example.com',
    'example.com/',
    'example.com:80',
    'example.com:',
    '[::1]:80',
    'user@example.com',
    'a b',
    'a,b.example',
    'ex%61mple.com',
    'example.com?x',
    'example.com#x',
    'a\\b',
    'a\tb',
    '1.2.3.4.5',
    '300.1.1.1',
    ':::',
    `${'a'.repeat(64)}.example`,
    `${'abcdefghi.'.repeat(26)}example`,
  ])('refuses %j with a sentence', (text) => {
    const read = readDomain(text);
    expect(read).toMatchObject({ ok: false });
    if (!read.ok) expect(read.problem).toMatch(/^(is|holds) /);
  });

  it('never throws, and what it answers is what a URL of it has as host', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.domain(), fc.ipV4(), fc.ipV6()), (text) => {
        const read = readDomain(text);
        if (!read.ok) return;
        expect(hostName(originOf(read.domain, 'http', 8080))).toBe(read.domain);
        expect(readDomain(read.domain)).toEqual(read);
      }),
      { numRuns: runs(500) },
    );
  });

  it('takes every IPv6 address, with brackets and without', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const bare = readDomain(address);
        expect(bare).toMatchObject({ ok: true });
        expect(readDomain(`[${address}]`)).toEqual(bare);
      }),
    );
  });
});

describe('a copy of the list', () => {
  const read = { monotonicAt: 10_000, wallAt: 1_000_000 };
  const after = (monotonic: number, wall: number): boolean =>
    isFreshCopy(read, read.monotonicAt + monotonic, read.wallAt + wall);

  it('serves up to the bound, by both clocks', () => {
    expect(after(0, 0)).toBe(true);
    expect(after(optOutBoundMs, optOutBoundMs)).toBe(true);
    expect(after(optOutBoundMs + 1, optOutBoundMs)).toBe(false);
  });

  it('does not serve after a suspension, which the monotonic clock does not see', () => {
    expect(after(10, 3_600_000)).toBe(false);
  });

  it('does not serve longer because the wall clock was set back', () => {
    expect(after(optOutBoundMs + 1, -3_600_000)).toBe(false);
    expect(after(10, -3_600_000)).toBe(true);
  });
});
