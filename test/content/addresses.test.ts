/** Where links stand and how their addresses are written: what browsers follow is followed. */
import { describe, expect, it } from 'vitest';
import { maskInnerScripts } from '../../content/script-ends.ts';
import { extract } from './page.ts';

const paths = (markup: string): string[] =>
  extract(markup).links.map((url) => url.replace('https://example.com', ''));

describe('links', () => {
  it.each<[string, string, string[]]>([
    ['SVG 2 §16.1: xlink:href', '<svg><a xlink:href="/n">N</a><a href="/s">S</a></svg>', ['/n', '/s']],
    ['SVG 2 §16.1: href wins', '<svg><a xlink:href="/n" href="/s">S</a></svg>', ['/s']],
    ['xlink:href of HTML is none', '<a xlink:href="/n">N</a>', []],
    ['HTML §4.8.5: srcdoc', `<iframe srcdoc="<p>A <a href='inner'>link</a>"></iframe>`, ['/dir/inner']],
    ['a srcdoc in a srcdoc is not read', `<iframe srcdoc='<iframe srcdoc="<a href=/x>x</a>">'></iframe>`, []],
    ['versions in other languages', '<link rel="alternate" hreflang="de" href="/de/">', ['/de/']],
    ['an alternate style sheet is none', '<link rel="alternate stylesheet" href="/s.css">', []],
    ['commas in rel', '<a rel="noopener,nofollow" href="/a">a</a><a rel="me, next" href="/b">b</a>', ['/b']],
  ])('%s', (_name, markup, expected) => {
    expect(paths(markup)).toEqual(expected);
  });
});

describe('queries are written in the encoding of the page (URL standard, "query state")', () => {
  const link = (charset: string, href: Uint8Array): string | undefined =>
    extract(Buffer.concat([Buffer.from('<a href="'), href, Buffer.from('">a</a>')]), {
      contentType: `text/html; charset=${charset}`,
    }).links[0];
  it.each<[string, number[], string]>([
    ['windows-1251', [0xe4, 0xe0], '%E4%E0'],
    ['shift_jis', [0x93, 0xfa, 0x96, 0x7b], '%93%FA%96{'],
    ['gbk', [0xd6, 0xd0], '%D6%D0'],
    ['utf-8', [0xc3, 0xa9], '%C3%A9'],
  ])('%s', (charset, bytes, query) => {
    const href = Buffer.concat([Buffer.from('/s?q='), Buffer.from(bytes), Buffer.from('&b=1')]);
    expect(link(charset, href)).toBe(`https://example.com/s?q=${query}&b=1`);
  });

  it('a path is UTF-8, and what the encoding lacks is a reference', () => {
    expect(link('koi8-r', Buffer.from([0x2f, 0xc1, 0x3f, 0xc1]))).toBe('https://example.com/%D0%B0?%C1');
    expect(link('windows-1251', Buffer.from('/s?q=&#26085;'))).toBe('https://example.com/s?q=%26%2326085%3B');
  });
});

describe('a script with a script in a comment (HTML §13.2.5.26)', () => {
  const advert = `<script><!--
    var advert = "<script src='/ad.js'></script><a href='/ghost'>ghost</a>";
    //--></script><a href="/real">real</a>`;
  it('ends at its own end', () => {
    const page = extract(advert);
    expect(page.links).toEqual(['https://example.com/real']);
    expect(page.text).toBe('real');
  });

  it.each([
    '<!--[if lt IE 9]><script src="/old.js"></script><![endif]--><a href="/a">a</a>',
    '<script><!-- hide\nvar a;\n--></script><p>text</p>',
    '<script>var a = "<script>";</script><p>text</p>',
    '<!-- <script> --><p>text</p><script><!--\na();\n</script><p>more</p>',
  ])('others stay as they are: %s', (markup) => {
    expect(maskInnerScripts(markup)).toBe(markup);
  });

  it('is looked for in linear time', () => {
    const many = '<script><!-- <script>'.repeat(50_000);
    const comments = '<!--'.repeat(200_000);
    expect(maskInnerScripts(many)).toBe(many);
    expect(maskInnerScripts(comments)).toBe(comments);
  });
});

describe('words', () => {
  it('have no soft hyphens (UAX #29 WB4)', () => {
    const page = extract(
      '<title>Unter&shy;nehmen</title><p>Ein Ge&shy;samt&shy;kon&shy;zept für Frei&shy;berufler.</p>',
    );
    expect(page).toMatchObject({
      title: 'Unternehmen',
      text: 'Ein Gesamtkonzept für Freiberufler.',
      words: 4,
    });
  });

  it('go on over a joiner, and end at a zero-width space', () => {
    expect(extract('<p>می\u200cخواهم').words).toBe(1);
    expect(extract('<p>one\u200btwo').words).toBe(2);
  });
});
