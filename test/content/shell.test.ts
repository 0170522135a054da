/** Bodies in which a browser would find more, and bodies like them in which it would not. */
import { describe, expect, it } from 'vitest';
import { extract } from './page.ts';

const html = (body: string, head = ''): string =>
  `<!doctype html><html><head>${head}</head><body>${body}</body></html>`;
const bundle = '<script src="/assets/index-1f2e.js" defer></script>';
const inline = (characters: number) => `<script>${'boot();'.repeat(characters / 7)}</script>`;
const words = (count: number) => 'river '.repeat(count);
const links = (count: number) =>
  Array.from({ length: count }, (_, at) => `<a href="/${String(at)}">${String(at)}</a> `).join('');
const home = 'https://example.com/';

describe('a shell', () => {
  it.each([
    ['an empty mount point', 'mount', html('<div id="root"></div>', bundle)],
    ['a sentence in noscript', 'noscript', html('<noscript>Please enable JavaScript.</noscript><p>Acme', bundle)],
    ['a sentence in noscript, and a notice', 'noscript', html(`<noscript>Needs JavaScript</noscript><p>${words(50)}`, bundle)],
    ['nothing', 'empty', html('<my-shop></my-shop>', inline(70))],
    ['few words beside a bundle', 'scripts', html('<div class="start"><p>Loading …</p></div>', bundle)],
    ['few words beside a large script', 'scripts', html(`<div><p>Loading …</p></div>${inline(7_000)}`)],
    ['a heading alone', 'scripts', html('<div id="root"><h1>Our products</h1><p>Loading …</p></div>', bundle)],
    ['navigation alone', 'scripts', html(`<nav>${links(9)}</nav><main></main>`, bundle)],
  ] as const)('has %s', (_, reason, body) => {
    expect(extract(body).shell).toBe(reason);
  }); // prettier-ignore

  it('is a home page without links', () => {
    const body = html(`<p>${words(60)}</p>`, bundle);
    expect(extract(body, { url: home }).shell).toBe('no-links');
    expect(extract(body, { url: `${home}index.html?lang=en` }).shell).toBe('no-links');
    expect(extract(body).shell).toBeNull();
    expect(extract(html(`<p>${words(60)}${links(1)}</p>`, bundle), { url: home }).shell).toBeNull();
  });
});

describe('no shell is', () => {
  it.each([
    ['a page with text', html(`<div id="root"><h1>Rivers</h1><p>${words(200)}</p></div>`, bundle)],
    ['a short page without scripts', html('<div id="root"><p>Moved.</p></div>')],
    ['a short page with a counter', html(`<p>Under construction.</p>${inline(700)}`)],
    ['a short page that says what it is about', html('<h1>404</h1><p>This page could not be found.</p>', bundle)],
    ['a page that asks for scripts, with text', html(`<noscript>Needs JavaScript</noscript><p>${words(70)}`, bundle)],
    ['a page of links', html(`<p>${links(9)}</p>`, bundle)],
    ['a picture with a caption', html('<img src="a.png"><p>Our harbour</p>', bundle)],
    ['a page with its text in its state', html(`<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">${JSON.stringify({ text: 'The river rises in the hills. '.repeat(40) })}</script>`, bundle)],
    ['a login form', html('<div id="root"><form><input type="password"></form></div>', bundle)],
    ['data', html(`<script type="application/json">${'0'.repeat(9_000)}</script><p>None.</p>`)],
  ])('%s', (_, body) => {
    expect(extract(body).shell).toBeNull();
  }); // prettier-ignore
});
