/** What pages and style sheets need: HTML standard (img, link, srcset), CSS Syntax Level 3 (url(), @import). */
import { describe, expect, it } from 'vitest';
import { urlsInCss } from '../../content/css-urls.ts';
import { addressesOfSet, requisitesOf } from '../../content/requisites.ts';

const address = 'https://a.example/docs/page.html';
const of = (html: string, most = 100) =>
  requisitesOf(Buffer.from(html), 'text/html; charset=utf-8', address, most);
const paths = (html: string) => of(html).urls.map((url) => url.replace('https://a.example/', '/'));

describe('a page needs', () => {
  it.each([
    ['a style sheet', '<link rel="preload stylesheet" href=/a.css>', ['/a.css']],
    [
      'icons',
      '<link rel="shortcut icon" href=i.ico><link rel=apple-touch-icon href=t.png>',
      ['/docs/i.ico', '/docs/t.png'],
    ],
    ['a script', '<script src="../s.js"></script>', ['/s.js']],
    [
      'a picture and its sizes',
      '<img src=a.png srcset="a.png 1x, b.png 2x">',
      ['/docs/a.png', '/docs/b.png'],
    ],
    [
      'a picture that waits for sight',
      '<img data-src=late.jpg src="data:image/gif;base64,R0">',
      ['/docs/late.jpg'],
    ],
    [
      'the pictures of a choice',
      '<picture><source srcset="w.webp"><img src=j.jpg></picture>',
      ['/docs/w.webp', '/docs/j.jpg'],
    ],
    [
      'sounds, films and their posters',
      '<video poster=p.jpg src=v.mp4><track src=t.vtt></video><audio src=a.ogg></audio>',
      ['/docs/v.mp4', '/docs/p.jpg', '/docs/t.vtt', '/docs/a.ogg'],
    ],
    [
      'what its own styles name',
      '<style>@import "more.css"; b{background:url(b.png)}</style><i style="background:url(&quot;c.png&quot;)">',
      ['/docs/more.css', '/docs/b.png', '/docs/c.png'],
    ],
    [
      'parts of drawings',
      '<svg><use xlink:href="s.svg#x"/><image href=m.png /></svg>',
      ['/docs/s.svg', '/docs/m.png'],
    ],
    ['what a base moves', '<base href=/b/><img src=a.png>', ['/b/a.png']],
    [
      'objects, embeds and buttons',
      '<object data=o.svg></object><embed src=e.swf><input type=image src=i.png>',
      ['/docs/o.svg', '/docs/e.swf', '/docs/i.png'],
    ],
  ])('%s', (_, html, expected) => {
    expect(paths(html)).toEqual(expected);
  });

  it.each([
    ['links', '<a href=/a>a</a><link rel=canonical href=/c><link rel=next href=/n>'],
    ['frames, which are pages', '<iframe src=/f></iframe>'],
    ['templates', '<template><img src=/t.png></template>'],
    ['comments', '<!-- <img src=/c.png> --><style>/* url(d.png) */</style>'],
    ['itself, by an empty or own address', '<img src=""><img src="page.html"><img src="#x">'],
    ['what is no web address', '<img src="data:image/png;base64,x"><script src="blob:x"></script>'],
    ['text of scripts', '<script>document.write("<img src=/x.png>")</script>'],
  ])('not %s', (_, html) => {
    expect(paths(html)).toEqual([]);
  });

  it('no more than asked for, and says how many more there are', () => {
    const html = Array.from({ length: 30 }, (_, at) => `<img src=${String(at % 20)}.png>`).join('');
    expect(of(html, 15).cut).toEqual({ requisites: 5 });
    expect(of(html, 15).urls).toHaveLength(15);
  });

  it.each([
    ['elements', (name: string) => `<img src=${name}>`],
    ['attributes', (name: string) => `<i style="background:url(${name})">`],
  ])('no limit is silent: %s', (_, one) => {
    const many = Array.from({ length: 50_100 }, (_, at) => one(`${String(at)}.png`)).join('');
    expect(of(many + one('0.png')).cut).toEqual({ requisites: 50_000 });
    // None of which is another.
    expect(of(one('a.png').repeat(60_000)).cut).toEqual({});
    const long = `${'x'.repeat(9_000)}.png`;
    expect(of(one(long) + one(`data:image/png;base64,${long}`)).cut).toEqual({ longUrls: 1 });
  });

  it('nor is one of the sizes of a picture, or of a style sheet', () => {
    const sizes = Array.from({ length: 30_000 }, (_, at) => `${String(at)}.png 1x`);
    expect(of(`<img srcset="${sizes.join(', ')}">`).cut).toEqual({ requisites: 29_900 });
    const sheet = sizes.map((_, at) => `url(${String(at)}.png)`).join('');
    expect(requisitesOf(Buffer.from(sheet), 'text/css', address, 100).cut).toEqual({ requisites: 29_900 });
  });
});

it('a style sheet needs what it imports and shows', () => {
  const css = `@charset "utf-8"; @import url("a.css"); @import 'b.css' screen;
    @namespace svg url(http://www.w3.org/2000/svg);
    @font-face { src: url(f.woff2) format("woff2"), url( 'f.eot?#iefix' ) }
    b::before { content: "url(no.png)"; background: URL(c\\.png) } /* url(no.gif) */ i { cursor: url(d.cur), auto`;
  expect(urlsInCss(css)).toEqual(['a.css', 'b.css', 'f.woff2', 'f.eot?#iefix', 'c.png', 'd.cur']);
  expect(requisitesOf(Buffer.from(css), 'text/css', 'https://a.example/s/x.css', 2)).toEqual({
    urls: ['https://a.example/s/a.css', 'https://a.example/s/b.css'],
    cut: { requisites: 4 },
  });
});

it.each([
  ['a.png', ['a.png']],
  ['a.png 1x, b.png 2x', ['a.png', 'b.png']],
  ['a.png, b.png', ['a.png', 'b.png']],
  ['a.png,b.png 2x', ['a.png,b.png']],
  [',, a.png 100w ,b(1).png (x,y) , ', ['a.png', 'b(1).png']],
  ['data:image/png;base64,AA 1x, b.png 2x', ['data:image/png;base64,AA', 'b.png']],
])('the set %s', (text, expected) => {
  expect(addressesOfSet(text)).toEqual(expected);
});

it('of elements and sheets that nobody expects', () => {
  expect(paths('<constructor><img src=/a.png>')).toEqual(['/a.png']);
  expect(paths(`<style>${'url(/a.png)'.repeat(300_000)}</style>`)).toEqual(['/a.png']);
});

it('reads hostile shapes in time linear in their size', () => {
  const shapes = ['/*', 'url(', '"', "@import '", '@namespace', '\\', ',', '( ', 'url("\\'];
  for (const shape of shapes) {
    const text = shape.repeat(200_000);
    // Hours, were it quadratic.
    const found = [...urlsInCss(text), ...addressesOfSet(text)];
    expect(found.length).toBeLessThanOrEqual(text.length);
    expect(
      of(`<style>${text}</style><img srcset="${text.replaceAll('"', "'")}">`, 5).urls.length,
    ).toBeLessThan(6);
  }
});
