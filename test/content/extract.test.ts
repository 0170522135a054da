import { describe, expect, it } from 'vitest';
import { extract } from './page.ts';

const links = (html: string, over = {}) =>
  extract(html, over).links.map((url) => url.replace('https://example.com', ''));

const shop = `<!doctype html>
<html lang="en-GB" class="no-js">
<head>
  <meta charset="utf-8">
  <title>Garden &amp; tools
     – Hill&#39;s</title>
  <meta name="viewport" content="width=device-width">
  <meta property="og:description" content="For sharing">
  <meta name="Description" content="  Spades,
    rakes &amp; more ">
  <link rel="stylesheet" href="/s.css"><link rel="alternate" hreflang="de" href="/de/">
  <link rel="canonical" href="/tools?sort=asc#top">
  <script>var a = "<a href='/from-script'>x</a>"; if (1 < 2) document.write("<p>written</p>")</script>
  <style>p > a { color: red }</style>
</head>
<body>
  <!-- <a href="/from-comment">x</a> -->
  <nav><ul><li><a href="/">Home</a><li><a href="/tools">Tools</a></ul></nav>
  <header><h1>Garden   tools</h1></header>
  <main>
    <p>Our <b>best</b>spades&nbsp;are made of <a href="steel.html#forged">steel</a>.<br>Rakes too.
    <p>Second&shy;paragraph<svg><title>Icon</title><a href="/svg"><text>svg text</text></a></svg> goes on.
    <table><tr><td>Price<td>9 €</table>
    <form><label>Amount <input value="1"></label><select><option>One<option>Two</select>
      <textarea>typed</textarea><button>Buy <i>now</i></button></form>
    <noscript><p>Please enable JavaScript</p><a href="/plain">plain version</a></noscript>
    <template><p>Row</p><a href="/{{id}}">row</a></template>
    <iframe src="/frame.html">no frames</iframe>
    <map><area shape=rect href='/map'></map>
  </main>
  <aside>Buy <a href="/cheap">cheap</a> watches</aside>
  <footer>© 2024 <a href="/imprint">Imprint</a></footer>
</body></html>`;

describe('a page', () => {
  const page = extract(shop);

  it('has its title, description, language and canonical URL', () => {
    expect(page).toMatchObject({
      title: "Garden & tools – Hill's",
      description: 'Spades, rakes & more',
      language: 'en',
      canonical: 'https://example.com/tools?sort=asc',
      charset: 'utf-8',
      noindex: false,
      nofollow: false,
      cut: {},
    });
  });

  it('has the links of its elements, not those in scripts, comments and templates', () => {
    expect(page.links.map((url) => url.replace('https://example.com', ''))).toEqual([
      '/de/',
      '/',
      '/tools',
      '/dir/steel.html',
      '/svg',
      '/plain',
      '/frame.html',
      '/map',
      '/cheap',
      '/imprint',
    ]);
    expect(page.linkCount).toBe(10);
  });

  it('has its visible text, a line a block, without navigation, controls and asides', () => {
    expect(page.text.split('\n')).toEqual([
      'Garden tools',
      'Our bestspades are made of steel.',
      'Rakes too.',
      'Secondparagraph',
      'svg text',
      'goes on.',
      'Price',
      '9 €',
      'Amount',
    ]);
    expect(page.words).toBe(18);
  });
});

describe('title', () => {
  it.each([
    ['<title>One</title><title>Two</title>', 'One'],
    ['<svg><title>Icon</title></svg><title>Page</title>', 'Page'],
    ['<svg><title/></svg><title>Page</title><p>x', 'Page'],
    ['<title></title><title>Second</title>', 'Second'],
    ['<title> \n </title>', null],
    ['<p>none', null],
    ['<TITLE lang=en>A<b>B</TITLE>', 'A<b>B'],
    ['<title>a &lt; b &#x1F600; &unknown; &#0;</title>', 'a < b 😀 &unknown; \ufffd'],
    ['<title>never closed <p>text', 'never closed <p>text'],
  ])('%s', (html, title) => {
    expect(extract(html).title).toBe(title);
  });

  it('is no text of the page', () => {
    expect(extract('<title>One</title><title>Two</title><p>Text').text).toBe('Text');
  });

  it('is kept to 1,000 characters, a description to 2,000', () => {
    const page = extract(
      `<title>${'t'.repeat(50_000)}</title><meta name=description content="${'d'.repeat(50_000)}">`,
    );
    expect([page.title?.length, page.description?.length]).toEqual([1_000, 2_000]);
  });
});

describe('description', () => {
  it.each([
    ['<meta property=og:description content=Shared>', 'Shared'],
    ['<meta name=description content=""><meta property=og:description content=Shared>', 'Shared'],
    ['<meta name=description content=A><meta name=description content=B>', 'A'],
    ['<meta name=description>', null],
    ['<meta content=A name=DESCRIPTION />', 'A'],
    ['<meta name=description content=A name=keywords content=B>', 'A'],
  ])('%s', (html, description) => {
    expect(extract(html).description).toBe(description);
  });
});

describe('links', () => {
  it.each([
    ['<a href=a>1</a><A HREF="b">2</A><a href=\'c\'>3', ['/dir/a', '/dir/b', '/dir/c']],
    ['<a href="?a=1&amp;b=2&copy=3&amp">x', ['/dir/page.html?a=1&b=2&copy=3&']],
    ['<a href=" /trim\n ">x', ['/trim']],
    ['<a name=x>x</a><a href>y</a><a href="">z</a><a href="#t">t', []],
    ['<a href=javascript:go()>x<a href=mailto:a@b.c>y<a href=data:,x>z<a href=tel:1>t<a href=/k>k', ['/k']],
    [
      '<a href=/x rel=nofollow>x<a href=/y rel="noopener UGC">y<a href=/z rel=sponsored>z<a href=/k rel=me>k',
      ['/k'],
    ],
    [
      '<link rel=next href=/2><link rel="prev" href=/0><link rel=prefetch href=/p><link href=/q>',
      ['/2', '/0'],
    ],
    ['<frameset><frame src=/f><frame></frameset>', ['/f']],
    ['<template shadowrootmode=open><a href=/in>x</a></template><a href=/out>y', ['/in', '/out']],
    ['<template><template><a href=/1>x</a></template><a href=/2>x</a></template><a href=/3>y', ['/3']],
    ['<template><template shadowrootmode=open></template><a href=/1>x</a></template><a href=/2>', ['/2']],
    ['<div><a href=/a>x<div><a href=/b>y', ['/a', '/b']],
    ['<a href=/last', []],
    ['<textarea><a href=/typed></textarea><a href=/k>', ['/k']],
    ['<svg><style><a href=/s></style></svg><script/><a href=/gone></script><a href=/k>', ['/s', '/k']],
  ])('%s', (html, found) => {
    expect(links(html)).toEqual(found);
  });

  it('counts links that are not followed', () => {
    const page = extract('<a href=/a rel=nofollow>a</a><a href=/b>b</a><a href=/b#2>b</a>');
    expect([page.links.length, page.linkCount]).toEqual([1, 2]);
  });

  it('keeps the first maxLinks and says how many were left out', () => {
    const page = extract('<a href=a rel=nofollow>1<a href=b>2<a href=c>3<a href=b>2<a href=d>4', {
      maxLinks: 2,
    });
    expect(page.links).toEqual(['https://example.com/dir/b', 'https://example.com/dir/c']);
    expect(page.linkCount).toBe(4);
    expect(page.cut).toEqual({ links: 1, nofollow: 1 });
  });

  it.each([
    ['0; url=/next', ['/next']],
    ['5;URL="/quoted" onwards', ['/quoted']],
    ["0,'/bare'", ['/bare']],
    ['10', []],
    ['url=/late', []],
    ['0;url=javascript:go()', []],
  ])('takes the target of a refresh: %s', (content, found) => {
    expect(links(`<meta http-equiv=Refresh content="${content.replaceAll('"', '&quot;')}">`)).toEqual(found);
  });
});

describe('base', () => {
  it.each([
    ['<base href=/other/><a href=a>', '/other/a'],
    ['<a href=a></a><base href="https://example.com/late/">', '/late/a'],
    ['<base target=_top><base href=/one/><base href=/two/><a href=a>', '/one/a'],
    ['<base href="http://"><a href=a>', '/dir/a'],
    ['<base href="javascript:1"><a href=a>', '/dir/a'],
    ['<base href="data:text/html,x"><a href=a>', '/dir/a'],
    ['<base href="//cdn.example/x/"><a href=a>', 'https://cdn.example/x/a'],
    ['<template><base href=/t/></template><a href=a>', '/dir/a'],
  ])('%s', (html, found) => {
    expect(links(html)).toEqual([found]);
  });

  it('counts for the canonical URL too', () => {
    expect(extract('<base href=/b/><link rel=canonical href=c>').canonical).toBe('https://example.com/b/c');
  });
});

describe('canonical', () => {
  it.each([
    ['<link rel="Canonical shortlink" href="/c">', 'https://example.com/c'],
    ['<link rel=canonical href=/1><link rel=canonical href=/2>', 'https://example.com/1'],
    ['<link rel=canonical>', null],
    ['<link rel=canonical href="android-app://x/y">', null],
    ['<a rel=canonical href=/c>', null],
  ])('%s', (html, canonical) => {
    expect(extract(html).canonical).toBe(canonical);
  });
});

describe('robots directives', () => {
  const flags = (html: string, xRobotsTag: string | null = null) => {
    const page = extract(html, { xRobotsTag });
    return [page.noindex, page.nofollow, page.links.length, page.linkCount];
  };

  it.each([
    ['', null, [false, false, 1, 1]],
    ['<meta name=robots content=noindex>', null, [true, false, 1, 1]],
    ['<meta name=ROBOTS content="NONE">', null, [true, true, 0, 1]],
    ['<meta name=orbweaver content=nofollow>', null, [false, true, 0, 1]],
    ['<meta name=googlebot content=none>', null, [false, false, 1, 1]],
    ['<meta name=robots content=noindex><meta name=robots content=nofollow>', null, [true, true, 0, 1]],
    ['<meta name=robots content=noindex>', 'nofollow', [true, true, 0, 1]],
    ['', 'otherbot: none', [false, false, 1, 1]],
    ['<template><meta name=robots content=none></template>', null, [false, false, 1, 1]],
  ])('%s with X-Robots-Tag %j', (html, tag, found) => {
    expect(flags(`${html}<a href=/x>x</a>`, tag)).toEqual(found);
  });
});

describe('text', () => {
  it.each([
    ['a<b>b</b>c', 'abc'],
    ['<p>a<p>b', 'a\nb'],
    ['a<br>b<hr>c', 'a\nb\nc'],
    ['a&nbsp;&emsp;b&#10;c&#1;d', 'a b c d'],
    ['cafe\u0301', 'café'],
    ['1 < 2 & 3 > 2', '1 < 2 & 3 > 2'],
    ['a<script>if (a</b>) "</p>"</script>b', 'ab'],
    ['a<!-- b --!>c', 'ac'],
    ['<nav>menu <nav>inner</nav> still</nav>text', 'text'],
    ['<div><nav>unclosed menu</div>text', 'text'],
    ['<div><nav><div>menu</div> menu</div>text', 'text'],
    ['</div><nav>menu</div> menu</nav>text', 'text'],
    ['<form><button>a<button>b</form>text', 'text'],
    ['<svg><p>after an unclosed svg', 'after an unclosed svg'],
    ['<math><mi>x</mi></math> y', 'x y'],
    ['<xmp>a <b> c</xmp>', 'a <b> c'],
    ['a<object>fallback</object>b', 'ab'],
    ['\ufeffmark', 'mark'],
    ['a\0b', 'ab'],
  ])('%j', (html, text) => {
    expect(extract(html).text).toBe(text);
  });

  it('is cut at a million characters', () => {
    const page = extract(`<p>${'word '.repeat(300_000)}</p><a href=/x>x</a>`);
    expect(page.text.length).toBeLessThanOrEqual(1_000_000);
    expect(page.text.length).toBeGreaterThan(999_990);
    expect(page.cut).toEqual({ text: 1_500_000 - page.text.length });
    expect(page.links).toHaveLength(1);
  });
});

describe('what the head of an answer says of links (RFC 8288)', () => {
  const page = '<base href="/b/"><a href="a">a</a>';
  const read = (link: string, refresh = '', body = page) => {
    const { links, canonical } = extract(body, { linkFields: `${link}\n${refresh}` });
    return { links: links.map((url) => url.replace('https://example.com', '')), canonical };
  };

  it('is the canonical page, versions in other languages, the next and previous page, and a refresh', () => {
    const link =
      '<own>; rel=canonical, </de,1>; rel="alternate"; hreflang="de", </feed>; rel=alternate; type="a/b", ' +
      '<?page=2>; title="a, <b>; rel=x"; rel="next last", </x>; rel=next; anchor="#other", </css>; rel=preload';
    expect(read(link, '5; url=/later')).toEqual({
      links: ['/b/a', '/de,1', '/dir/page.html?page=2', '/later'],
      canonical: 'https://example.com/dir/own',
    });
  });

  it('says how much of it was cut', () => {
    const { links, cut } = extract(page, { linkFields: '</de>; rel=next, </b\n\n1204' });
    expect(links).toContain('https://example.com/de');
    expect(cut).toEqual({ linkFields: 1_204 });
  });

  it('goes behind what the page says, and is nothing where it is broken', () => {
    const own = '<link rel=canonical href=/own>';
    expect(read('</other>; rel=canonical', '', own).canonical).toBe('https://example.com/own');
    expect(read('rel=canonical, <unended; rel=next', '5')).toEqual({ links: ['/b/a'], canonical: null });
  });
});

describe('other kinds of bodies', () => {
  it('reads XHTML: self-closing tags close, CDATA is text', () => {
    const subset = "<!DOCTYPE html [<!ENTITY a \"]>\"><!-- ]> ' --><?b ]>?>\n<!ENTITY c '>'> ]>";
    const xhtml = `<?xml version="1.0" encoding="UTF-8"?>${subset}<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="fr">
      <head><title>T</title><script src="x.js"/></head>
      <body><p>a<a id="x"/>b &nbsp;<![CDATA[<c> & d]]></p><a href="/y">y</a></body></html>`;
    for (const contentType of ['application/xhtml+xml', 'application/xml']) {
      const page = extract(xhtml, { contentType });
      expect(page).toMatchObject({ title: 'T', text: 'ab <c> & d\ny', language: 'fr', charset: 'utf-8' });
      expect(page.links).toEqual(['https://example.com/y']);
    }
  });

  it('takes Markdown as text, with its first heading as title', () => {
    const markdown = '---\nlayout: post\n---\n# How to *weave* #\n\nText.';
    const page = extract(markdown, { contentType: 'text/markdown; charset=utf-8' });
    expect(page).toMatchObject({ title: 'How to *weave*', words: 6 });
    expect(extract('Text.', { contentType: 'text/x-markdown' }).title).toBe('Text.');
  });

  it('takes plain text as it is, with its first line as title', () => {
    const page = extract('Some <a href=/x>plain</a>\n\n text &amp;', { contentType: 'text/plain' });
    expect(page).toMatchObject({
      title: 'Some <a href=/x>plain</a>',
      text: 'Some <a href=/x>plain</a> text &amp;',
      links: [],
    });
  });

  it('finds nothing in what is no text', () => {
    const page = extract('%PDF-1.7 <a href=/x>', { contentType: 'application/pdf', xRobotsTag: 'noindex' });
    expect(page).toMatchObject({ title: null, text: '', words: 0, links: [], linkCount: 0, noindex: true });
  });

  it('reads a body in the charset it declares', () => {
    const body = Buffer.concat([
      Buffer.from('<meta charset=windows-1251><title>'),
      Buffer.from('cff0e8e2e5f2', 'hex'),
      Buffer.from('</title>'),
    ]);
    expect(extract(body, { contentType: 'text/html' })).toMatchObject({
      title: 'Привет',
      charset: 'windows-1251',
    });
    expect(extract(body, { contentType: 'text/html; charset=latin1' }).title).toBe('Ïðèâåò');
  });

  it('refuses a page URL that is none', () => {
    expect(() => extract('', { url: 'nowhere' })).toThrow(TypeError);
  });
});

describe('the language of a page', () => {
  const consent =
    '<div class="consent">We use cookies and similar technologies to help personalise content and offer a better experience. By clicking accept you agree to this, as outlined in our policy. You can change your preferences at any time, and you may withdraw your consent on the page that we link to below. We share information about your use of our site with our partners for social media, advertising and analytics, who may combine it with other information that you have given to them.</div>';
  const paragraph =
    '<p>A városi tanács hétfőn úgy döntött, hogy még a tél előtt megjavíttatja a régi hidat, bár több tag inkább egy újat építtetett volna a folyó alsó szakaszán, közelebb az állomáshoz.</p>';
  const article = `<article><h1>Új híd helyett</h1>${paragraph.repeat(4)}</article>`;

  it('is that of its main text, whatever a banner before or after it says', () => {
    expect(extract(`<html lang=en><body>${consent}${article}`).language).toBe('hu');
    expect(extract(`<html><body>${article}${consent}`).language).toBe('hu');
  });

  it.each([
    '<meta http-equiv="Content-Language" content="hu">',
    '<meta property="og:locale" content="hu_HU">',
    '<meta name="DC.language" content="hu">',
  ])('is declared by %s where <html> has none', (declaration) => {
    expect(extract(`<html><head>${declaration}</head><body><p>Kontakt`).language).toBe('hu');
    expect(extract(`<html lang=de><head>${declaration}</head><body><p>Kontakt`).language).toBe('de');
  });
});
