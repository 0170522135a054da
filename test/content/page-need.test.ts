/** Pages that need a browser or a login to say anything, and pages like them that need neither. */
import { describe, expect, it } from 'vitest';
import { namesLogin } from '../../domain/page-need.ts';
import { extract } from './page.ts';

const html = (body: string, head = ''): string =>
  `<!doctype html><html><head>${head}</head><body>${body}</body></html>`;
const bundle = '<script type="module" src="/assets/index-1f2e.js"></script>';
const prose = 'The river rises in the hills and reaches the sea at the old harbour. '.repeat(20);
const form = (heading = '') =>
  `<form action="/session" method="post">${heading}<label>User <input name="u"></label><label>Password <input type="PASSWORD" name="p"></label><button>Go</button></form>`;

const needs = (page: string, url?: string) => {
  const { meta, cut } = extract(page, url === undefined ? {} : { url });
  return { needs: meta.needs, shells: cut.emptyShells, forms: cut.loginForms };
};
const shell = { needs: 'javascript', shells: 1, forms: undefined };
const login = { needs: 'login', shells: undefined, forms: 1 };
const nothing = { needs: undefined, shells: undefined, forms: undefined };

describe('an empty shell', () => {
  it.each([
    ['of React', html('<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>', bundle)],
    ['of Vue, with a spinner', html(`<div id="app"><p>Loading …</p></div>${bundle}`)],
    ['of Next', html('<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{"page":"/"}</script>', bundle)],
    ['of Nuxt', html(`<div id="__nuxt"></div>${bundle}`)],
    ['of Angular', html(`<app-root></app-root>${bundle}`)],
    ['without a name', html('', '<title>Shop</title><script>boot()</script>')],
    ['that says only that it wants JavaScript', html(`<main><noscript>Please turn on JavaScript</noscript></main>${bundle}`)],
  ])('%s', (_, page) => {
    expect(needs(page)).toEqual(shell);
  }); // prettier-ignore

  it.each([
    ['that a server has rendered', html(`<div id="root"><h1>Rivers</h1><p>${prose}</p></div>`, bundle)],
    ['that is short, with a heading', html('<div id="__next"><h1>404</h1><p>This page could not be found.</p></div>', bundle)],
    ['with its text in its state', html(`<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">${JSON.stringify({ text: prose })}</script>`, bundle)],
    ['with its text in JSON-LD', html(`<div id="root"></div><script type="application/ld+json">${JSON.stringify({ '@type': 'Article', articleBody: prose })}</script>`, bundle)],
    ['of links', html(`<div id="app"><a href="/a">a</a><a href="/b">b</a><a href="/c">c</a></div>`, bundle)],
    ['of pictures', html(`<img src="a.jpg"><img src="b.jpg">${bundle}`)],
    ['without scripts', html('<div id="root"></div>')],
    ['with data only', html('<script type="application/ld+json">{"@type":"Thing"}</script>')],
    ['that sends on', html('', '<meta http-equiv="refresh" content="0; url=/de/"><script>x()</script>')],
  ])('is no page %s', (_, page) => {
    expect(needs(page)).toEqual(nothing);
  }); // prettier-ignore
});

describe('a login form', () => {
  it.each([
    ['that is bare', html(form())],
    ['with a heading', html(`${form('<h2>Sign in</h2>')}<p>${'Use the account of your library. '.repeat(9)}</p>`)],
    ['with a title', html(`<h1>City library</h1>${form()}<p>${'Ask at the desk for a card. '.repeat(15)}</p>`, '<title>Anmeldung – Bücherei</title>')],
    ['that asks for the name first', html('<form><h1>Sign in to Acme</h1><input type="email" name="e"><button>Next</button></form>')],
    ['with a name first, told by its title', html('<form><h1>Acme</h1><input name="identifier"><button>Weiter</button></form>', '<title>Anmelden</title>')],
    ['among scripts', html(`<div id="root">${form('<h1>Log in</h1>')}</div>`, bundle)],
  ])('%s', (_, page) => {
    expect(needs(page)).toEqual(login);
  }); // prettier-ignore

  it('is told by its address', () => {
    const page = html(`<h1>City library</h1>${form()}<p>${'Ask at the desk for a card. '.repeat(15)}</p>`);
    expect(needs(page, 'https://example.com/user/login?next=/a')).toEqual(login);
    expect(needs(page, 'https://example.com/cards?next=/login')).toEqual(nothing);
  });

  it.each([
    ['a page with a small form above its text', html(`${form('<h3>Login</h3>')}<h1>Rivers</h1><p>${prose}</p>`)],
    ['a list with such a form', html(`${form('<h3>Login</h3>')}<h2>Boats</h2><h2>Harbours</h2>${'<p><a href="/x">a boat for sale</a></p>'.repeat(9)}`)],
    ['a page that wants an address for its letters', html('<h1>News by mail</h1><form><input type="email"></form><p>Each Friday.</p>')],
    ['an article with such a field', html(`<h1>Sign in to your past</h1><p>${prose}</p><input type="email">`)],
    ['a search form', html('<form><input name="q"><input type="submit"></form>')],
    ['a long page about logging in', html(`<h1>How to log in</h1>${form()}<p>${prose}</p>`)],
  ])('is not %s', (_, page) => {
    expect(needs(page)).toEqual(nothing);
  }); // prettier-ignore
});

it.each([
  ['/login', true],
  ['/wp-login.php?redirect_to=%2Fa', true],
  ['/ServiceLogin?continue=x', true],
  ['/users/sign_in', true],
  ['/index.php?title=Special:UserLogin&returnto=Main', true],
  ['/start?do=login', true],
  ['/cas/?service=x', true],
  ['/blog/in', false],
  ['/news?next=/login', false],
  ['/news?next=%2Flogin', false],
  ['/catalogin', false],
  ['/', false],
])('%s names a login: %s', (address, expected) => {
  expect(namesLogin(address)).toBe(expected);
});
