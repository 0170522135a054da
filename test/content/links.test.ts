import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createResolver, LinkCollector } from '../../content/links.ts';
import { runs } from '../support/runs.ts';

/** The same by the book: parse, drop the fragment, keep http(s). */
function byTheBook(href: string, base: string): string | null {
  const url = URL.parse(href, base);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  url.hash = '';
  return url.href;
}

const bases = [
  'http://example.com/',
  'https://example.com/a/b.html',
  'https://example.com:8443/a//b/?q=/x/y',
  'https://user:secret@example.com/a/b',
  'http://[::1]:8080/x/y/z',
  'https://example.com',
  'http://127.0.0.1/a/%2E%2E/b;v=1/',
];

describe('createResolver', () => {
  it.each([
    ['/x', 'https://example.com/x'],
    ['x.html', 'https://example.com/a/x.html'],
    ['../x', 'https://example.com/x'],
    ['./x/./y/..', 'https://example.com/a/x/'],
    ['%2e%2e/x', 'https://example.com/x'],
    ['?q=1', 'https://example.com/a/b.html?q=1'],
    ['', 'https://example.com/a/b.html'],
    ['#part', 'https://example.com/a/b.html'],
    ['x#a#b', 'https://example.com/a/x'],
    ['//other.example/x', 'https://other.example/x'],
    ['HTTP://EXAMPLE.com:80/x', 'http://example.com/x'],
    ['https://example.com', 'https://example.com/'],
    ['https://example.com.evil.example/x', 'https://example.com.evil.example/x'],
    ['  /sp ace\n/x ', 'https://example.com/sp%20ace/x'],
    ['\\x', 'https://example.com/x'],
    ['/é?ü', 'https://example.com/%C3%A9?%C3%BC'],
    ['a:b', null],
    ['javascript:void(0)', null],
    ['mailto:me@example.com', null],
    ['data:text/html,<p>', null],
    ['tel:1', null],
    ['ftp://example.com/', null],
    ['http://', null],
    ['http://exa mple/', null],
    ['https://1.2.3.4.5:99999/', null],
  ])('%j is %j', (href, url) => {
    expect(createResolver(new URL('https://example.com/a/b.html'))(href)).toBe(url);
  });

  const piece = fc.constantFrom(
    ...[
      '/',
      '//',
      '.',
      '..',
      '%2e',
      '%2E',
      '%',
      ':',
      '?',
      '#',
      '&',
      '=',
      'a',
      'b.html',
      'Ä',
      ' ',
      '\t',
      '\n',
      '\\',
    ],
    ...[
      "'",
      '"',
      '<',
      '^',
      '`',
      '{',
      '|',
      '}',
      '[',
      ']',
      '@',
      '~',
      '!',
      '$',
      '(',
      '*',
      '+',
      ',',
      ';',
      '-',
      '_',
      '\0',
    ],
    ...[
      'http:',
      'https:',
      'https://',
      'https://example.com',
      'http://example.com',
      ':8443',
      ':80',
      '😀',
      '\u200b',
    ],
  );
  const href = fc.oneof(
    fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
    fc.webUrl(),
  );

  it('does as the WHATWG URL parser does, shortcut or not', () => {
    fc.assert(
      fc.property(href, fc.constantFrom(...bases), (reference, base) => {
        expect(createResolver(new URL(base))(reference)).toBe(byTheBook(reference, base));
      }),
      { numRuns: runs(20_000) },
    );
  });

  it('does so for every single character in path and query', () => {
    for (const base of bases) {
      const resolve = createResolver(new URL(base));
      for (let unit = 0; unit < 0x300; unit++) {
        for (const around of ['/a%b', 'a%b', '/a?%b', 'a?%b', '/%', '%', '%/', 'https://example.com/%']) {
          const reference = around.replace('%', String.fromCharCode(unit));
          expect(resolve(reference), reference).toBe(byTheBook(reference, base));
        }
      }
    }
  });
});

describe('LinkCollector', () => {
  const whole = { links: 0, nofollow: 0, longUrls: 0 };
  const collect = (hrefs: readonly (readonly [string, boolean])[], maxLinks = 100) => {
    const links = new LinkCollector();
    for (const [reference, follow] of hrefs) links.add(reference, follow);
    return links.resolve(createResolver(new URL('http://h/')), 'http://h/', maxLinks);
  };

  it('keeps document order and drops repeats, however they are written', () => {
    const found = collect([
      ['b', true],
      ['a', true],
      ['/b', true],
      ['http://h/a#x', true],
      ['c', true],
    ]);
    expect(found).toEqual({
      urls: ['http://h/b', 'http://h/a', 'http://h/c'],
      seen: 3,
      cut: whole,
    });
  });

  it('counts links that may not be followed without giving them out', () => {
    expect(
      collect([
        ['a', false],
        ['b', true],
      ]),
    ).toEqual({ urls: ['http://h/b'], seen: 2, cut: { ...whole, nofollow: 1 } });
  });

  it('follows a link that may be followed once, standing where it first may', () => {
    const found = collect([
      ['a', false],
      ['b', true],
      ['a', true],
      ['a', false],
    ]);
    expect(found).toEqual({ urls: ['http://h/b', 'http://h/a'], seen: 2, cut: whole });
  });

  it('leaves out the page itself and hrefs of absurd length', () => {
    expect(
      collect([
        ['#top', true],
        ['', true],
        ['/', true],
        ['x'.repeat(9_000), true],
        [`data:,${'x'.repeat(9_000)}`, true],
      ]),
    ).toEqual({ urls: [], seen: 0, cut: { ...whole, longUrls: 1 } });
  });

  it('keeps at most maxLinks and says how many it left out', () => {
    expect(
      collect(
        [
          ['a', true],
          ['b', true],
        ],
        1,
      ),
    ).toEqual({ urls: ['http://h/a'], seen: 2, cut: { ...whole, links: 1 } });
    expect(
      collect(
        [
          ['a', true],
          ['b', false],
        ],
        1,
      ).cut,
    ).toEqual({ ...whole, nofollow: 1 });
  });
});
