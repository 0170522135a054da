import * as fc from 'fast-check';
import { DomUtils, parseDocument } from 'htmlparser2';
import { describe, expect, it } from 'vitest';
import { pageMeta } from '../../contracts/http/page-meta.ts';
import { processorMs } from '../support/processor-time.ts';
import { extract, pageUrl } from './page.ts';
import { pieces, runs } from '../support/runs.ts';

/** Processor time within which any of these must be read. They take 20 to 700 ms; quadratic reading takes minutes. */
const soonMs = Math.max(2_000, pieces(5_000));

function timed(html: string | Uint8Array, over = {}) {
  let page: ReturnType<typeof extract> | undefined;
  expect(processorMs(() => (page = extract(html, over)))).toBeLessThan(soonMs);
  return page as ReturnType<typeof extract>;
}

const all = 100_000;
const many = pieces(all);
const link = '<a href=/end>end</a>';

describe('hostile pages', { tags: ['long'] }, () => {
  it.each([
    'div',
    'b',
    'a',
    'span',
    'nav',
    'table><tr><td',
    'svg',
    'svg><foreignObject',
    'template shadowrootmode=open',
    'button',
    'h2><button aria-controls=x',
    'p',
    'p hidden',
    'dialog',
    'span aria-hidden=true',
    'math><mfrac',
    'svg><text',
    'ruby><rt',
    'sup><a href="#x"',
    'x-y',
  ])('100,000 nested <%s>', (tag) => {
    expect(timed(`<${tag}>`.repeat(many) + link).links).toEqual(['https://example.com/end']);
  });

  it('100,000 nested tags closed in the wrong order, and end tags of nothing', () => {
    const html =
      '<div><span><i>'.repeat(many / 3) + '</div></i></span>'.repeat(many / 3) + '</nothing>'.repeat(many);
    expect(timed(html + link)).toMatchObject({ links: ['https://example.com/end'], cut: {} });
  });

  it('an attribute of 1 MB, a tag name of 1 MB, 100,000 attributes', () => {
    expect(timed(`<a title="${'x'.repeat(1_000_000)}" href=/end>`).links).toHaveLength(1);
    expect(timed(`<a href="${'x&amp;'.repeat(200_000)}">${link}`).links).toHaveLength(1);
    expect(timed(`<${'x'.repeat(1_000_000)}>${link}`).links).toHaveLength(1);
    const attributes = Array.from({ length: many }, (_, index) => ` a${String(index)}=1`).join('');
    expect(timed(`<a${attributes} href=/end>`).links).toHaveLength(1);
    expect(timed(`<a href=/end${' href=/no'.repeat(many)}>`).links).toEqual(['https://example.com/end']);
  });

  it.each([
    ['comment', '<!--', 0],
    ['script', '<script>', 0],
    ['style', '<style>', 0],
    ['title', '<title>', 0],
    ['attribute', '<a href="', 0],
    ['doctype', '<!doctype', 1],
    ['nothing', '', 1],
  ])('an unclosed %s', (_, start, found) => {
    expect(
      timed(start + `<p>text <b>bold</b> `.repeat(50_000) + link.replaceAll('>', ' >')).links,
    ).toHaveLength(found);
  });

  it.each([
    '<',
    '<!',
    '<!-',
    '<!--',
    '<![CDATA[',
    '</',
    '<a ',
    '<a href=',
    '&',
    '&#',
    '&#x',
    '&am',
    '<script',
    '</script',
    ']]>',
    '-->',
    '<!---->',
    '<?',
    '\r',
    '\0',
  ])('%j over and over', (piece) => {
    timed(piece.repeat(2 * many));
    timed(`<script>${piece.repeat(2 * many)}`);
    timed(`<p title="${piece.repeat(2 * many)}`);
    timed(piece.repeat(2 * many), { contentType: 'application/xhtml+xml' });
    timed(piece.repeat(2 * many), { contentType: null });
  });

  it('100,000 links', () => {
    const html = Array.from({ length: all }, (_, index) => `<a href="x${String(index)}?q='">x</a>`).join('');
    const page = timed(html);
    expect(page.links).toHaveLength(200);
    expect(page.linkCount).toBe(50_000);
    expect(page.cut).toEqual({ links: all - 200 });
  });

  it('a title and a description of 5 MB', () => {
    const page = timed(
      `<title>${'title '.repeat(800_000)}</title><meta name=description content='${'d '.repeat(800_000)}'>${link}`,
    );
    expect(page.title).toHaveLength(1_000);
    expect(page.links).toHaveLength(1);
  });

  it('entity soup', () => {
    const page = timed(
      '&amp;&#x1F600;&nbsp;&CounterClockwiseContourIntegral;&#99999999;&bogus;&#xD800;'.repeat(20_000),
    );
    expect(page.text.isWellFormed()).toBe(true);
  });

  it('a refresh, a robots meta and a header of 1 MB', () => {
    const soup = ' ;,\t'.repeat(250_000);
    timed(`<meta http-equiv=refresh content="0${soup}">${link}`);
    timed(`<meta name=robots content="${soup}">${link}`);
    timed(`<a rel="${soup}" href=/x>x</a>`);
    timed(link, {
      xRobotsTag: 'a: b, '.repeat(150_000),
      contentType: `text/html;${' '.repeat(100_000)}charset`,
    });
  });

  it('100,000 blocks and containers, each named and linked', () => {
    const html = Array.from(
      { length: many },
      (_, n) => `<div class="c${String(n)} sidebar"><p id=i${String(n)}>word, word <a href=/x>x</a>`,
    ).join('');
    const page = timed(html + link);
    expect(page.links).toHaveLength(2);
    expect(page.main).not.toBe('');
  });

  const paragraph = 'A paragraph of some length, with a comma, so that it counts as prose on its page';
  it.each([
    [
      'many kinds of boxes that look like remarks',
      Array.from(
        { length: 20_000 },
        (_, n) => `<div class=c${String(n >> 3)}><a href=/u>A</a><br>3 March<p>${paragraph}</div>`,
      ).join(''),
    ],
    [
      'blocks that begin alike',
      `<p>${paragraph.repeat(500)}</p>`.repeat(20) + `<p>${paragraph}</p>`.repeat(10_000),
    ],
    ['parts beside parts', `<div>${`<div><p>${paragraph}</p></div>`.repeat(6_000)}</div>`.repeat(3)],
    ['titles', `<title>${'word '.repeat(200)}</title>${'<h2>word word word</h2>'.repeat(40_000)}`],
  ])('main text among %s', (_, html) => {
    expect(timed(html + link).main).not.toBe('');
  });

  it('100,000 nested items, and properties of one item', () => {
    const nested = timed('<div itemscope itemtype=x itemprop=y>'.repeat(many) + link);
    expect(nested.links).toHaveLength(1);
    expect(JSON.stringify(nested.meta).length).toBeLessThan(50_000);
    const many1 = timed(`<div itemscope>${'<b itemprop="a b c">x</b>'.repeat(many)}</div>${link}`);
    expect(many1.cut.meta).toBeGreaterThan(many);
    expect(JSON.stringify(many1.meta).length).toBeLessThan(50_000);
  });

  it('200 items that name one part over and over', () => {
    const part = Array.from({ length: 1_900 }, (_, n) => `<meta itemprop=q${String(n)} content=v>`).join('');
    const item = `<div itemscope itemtype=x itemref="${'p '.repeat(245)}"></div>`;
    expect(timed(`<div id=p>${part}</div>${item.repeat(200)}${link}`).links).toHaveLength(1);
  });

  it.each([
    ['a headline of white space', `{"@type":"Article","headline":"a${' '.repeat(400_000)}b"}`],
    ['a name full of dates', `{"@type":"Article","${'date'.repeat(100_000)}!":1}`],
  ])('JSON-LD with %s', (_, json) => {
    timed(`<script type="application/ld+json">${json}</script>${link}`);
  });

  it('a <meta> whose name is full of dates', () => {
    timed(`<meta name="${'post'.repeat(200_000)}!" content=2024-03-12>${link}`);
  });

  it.each([
    ['of 50 MB', `{"@type":"A","b":"${'x'.repeat(50_000_000)}"}`],
    ['nested 100,000 deep', `{"@type":"A","a":${'['.repeat(many)}${']'.repeat(many)}}`],
    ['with 50,000 items', `[${'{"@type":"A"},'.repeat(30_000)}{}]`],
    ['that breaks off', `[${'{"@type":"A","b":[1,2,'.repeat(20_000)}`],
    ['of comments and brackets', '/* <![CDATA[ ]]> */ --> '.repeat(20_000)],
  ])('JSON-LD %s', (_, json) => {
    const page = timed(`<script type="application/ld+json">${json}</script>${link}`);
    expect(page.links).toHaveLength(1);
    expect(page.cut.meta).toBeGreaterThan(0);
    expect(JSON.stringify(page.meta).length).toBeLessThan(50_000);
  });

  it('a state of 3 MB, one nested 100,000 deep, and many small ones', () => {
    const state = (json: string) => `<script type="application/json" id="__NEXT_DATA__">${json}</script>`;
    expect(timed(state(`{"a":"${'some words '.repeat(300_000)}"}`)).cut.meta).toBe(1);
    timed(state(`{"a":${'['.repeat(many)}${']'.repeat(many)}}`));
    timed(state('{"a":"some words that are a sentence, and go on for some time more"}').repeat(10_000));
  });

  it('metadata over and over: every list has an end, and what is left out is counted', () => {
    const head = Array.from(
      { length: 20_000 },
      (_, n) =>
        `<meta property="og:p${String(n)}" content="${'v'.repeat(30)}"><meta name=author content="Ann ${'abc'.repeat(n % 9)}x">
         <link rel=alternate type=application/rss+xml href=/f${String(n)}><meta name=date content=x><time>x</time>
         <span class=author>a</span><h2>Heading ${String(n)}</h2>`,
    ).join('');
    const page = timed(head);
    expect(page.cut.meta).toBeGreaterThan(50_000);
    expect(JSON.stringify(page.meta).length).toBeLessThan(20_000);
  });

  it('JSON-LD of 27,000 empty arrays, and of empty texts', () => {
    for (const nothing of ['[]', '{}', '""']) {
      let nested = nothing;
      for (let level = 0; level < 3; level++) nested = `[${Array<string>(30).fill(nested).join()}]`;
      const page = timed(`<script type="application/ld+json">{"@type":"A","a":${nested}}</script>`);
      expect(JSON.stringify(page.meta).length).toBeLessThan(20_000);
      expect(page.cut.meta).toBeGreaterThan(0);
    }
  });

  it('400,000 bylines that name nobody', () => {
    timed('<p class=byline>x</p>'.repeat(4 * many));
  });

  it('50,000 links below a base of 20,000 characters', () => {
    const links = Array.from({ length: many / 2 }, (_, n) => `<a href=${String(100_000 + n)}>x</a>`).join('');
    const page = timed(`<base href="/${'x'.repeat(20_000)}/">${links}`);
    expect(page.links[0]).toBe('https://example.com/dir/100000');
  });

  it('dates that never come', () => {
    for (const piece of [
      'published on ',
      '2024',
      '2024-',
      '1 of ',
      'March ',
      'veröffentlicht: 1. ',
      '12.12.',
      'by on ',
    ]) {
      timed(`<p>${piece.repeat(3 * many)}</p><footer>${piece.repeat(10_000)}</footer>`);
      timed(`<meta name=date content="${piece.repeat(many)}"><time>${piece.repeat(many)}</time>`);
    }
  });

  it('8 MB of one paragraph, and of one word', () => {
    const page = timed(`<p>${'word, '.repeat(1_400_000)}</p>${link}`);
    expect(page).toMatchObject({
      links: ['https://example.com/end'],
      cut: { text: expect.any(Number) as number },
    });
    expect(page.main.length).toBeLessThanOrEqual(1_000_000);
    timed(`<p>${'w'.repeat(8_000_000)}</p>`);
  });

  it('a class of 8 MB, and 100,000 classes', () => {
    timed(`<div class="${'sidebar- '.repeat(9 * many)}">${link}`);
    timed(Array.from({ length: many }, (_, n) => `<p class="post-${String(n)} ad-${String(n)}">x`).join(''));
  });

  it('20,000 attributes of the kinds that are read', () => {
    timed(`<div${' class=a id=b role=main itemprop=c hidden'.repeat(20_000)}>${link}`);
    timed(`<div itemscope${' itemprop=a content=b'.repeat(20_000)}>${link}`);
  });

  it('binary as text/html', () => {
    const bytes = Uint8Array.from({ length: 4_000_000 }, (_, n) => (n * 2_654_435_761) >>> 13);
    timed(bytes, { contentType: 'text/html' });
    timed(bytes, { contentType: 'text/html; charset=utf-16' });
    timed(bytes, { contentType: 'text/html; charset=shift_jis' });
  });

  it('NULs inside everything', () => {
    const page = timed('<ti\0tle>T\0</title><a hr\0ef="/x\0y">l\0ink</a>');
    expect(page).toMatchObject({ title: 'T', text: 'link', links: ['https://example.com/xy'] });
  });
});

const word = fc.constantFrom(
  ...[
    '<',
    '>',
    '</',
    '/>',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<?xml',
    '"',
    "'",
    '=',
    '&',
    ';',
    '#',
    ' ',
    '\n',
    '\0',
    '\u00a0',
  ],
  ...[
    '<a href=',
    '<a href="/x">',
    '</a>',
    '<base href="',
    '<svg>',
    '</svg>',
    '<template>',
    '</template>',
    '<title>',
    '</title>',
  ],
  ...[
    '<script>',
    '</script>',
    '<nav>',
    '</nav>',
    '<div>',
    '</div>',
    '<p>',
    '<meta name=robots content=',
    '<math>',
    '<select>',
  ],
  ...[
    'http://',
    'https://h.example/',
    '//',
    '../',
    '?q',
    '#f',
    'javascript:',
    'mailto:x',
    '&amp;',
    '&#x110000;',
    '&#0;',
  ],
  ...[
    '\ud83d\ude00',
    'é',
    'e\u0301',
    '漢',
    'word',
    'rel=nofollow',
    '<meta http-equiv=refresh content="0;url=',
  ],
);

describe('any page', () => {
  const html = fc.oneof(
    fc.array(word, { maxLength: 60 }).map((words) => words.join('')),
    fc.string({ unit: 'binary', maxLength: 200 }),
  );
  const type = fc.constantFrom(
    'text/html',
    'text/html; charset=utf-8',
    'application/xhtml+xml',
    'text/plain',
    null,
  );

  it('keeps the promises of the contract', () => {
    fc.assert(
      fc.property(html, type, fc.nat(5), (body, contentType, maxLinks) => {
        const page = extract(body, { contentType, maxLinks });
        expect(page.links.length).toBeLessThanOrEqual(Math.min(maxLinks, page.linkCount));
        expect(new Set(page.links).size).toBe(page.links.length);
        for (const url of page.links) {
          expect(url).toMatch(/^https?:\/\/[^#]+$/);
          expect(new URL(url).href).toBe(url);
        }
        expect(pageMeta.parse(page.meta)).toEqual(page.meta);
        for (const text of [page.title, page.description, page.text, page.main]) {
          expect(text ?? '').toBe((text ?? '').normalize('NFC'));
          expect(text ?? '').not.toMatch(/^\s|\s$|[^\S \n]|(?!\n)\p{Cc}| {2}|\n\n| \n|\n /u);
        }
        expect(extract(body, { contentType, maxLinks })).toEqual(page);
      }),
      { numRuns: runs(3_000) },
    );
  });

  it('survives any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), type, (body, contentType) => {
        expect(extract(body, { contentType }).text.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('a second opinion', () => {
  /** Pages as generators write them: everything closed, some of it wrongly nested. */
  const { page } = fc.letrec<{ page: string; node: string }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(
        'text',
        ' ',
        '&amp;',
        '<br>',
        '<img src=/i>',
        '<!-- <a href=/c> -->',
        '<script>"<a href=/s>"</script>',
      ),
      fc
        .tuple(
          fc.constantFrom('a', '../b', '/c?x=1&amp;y', 'https://h.example/d#e', '#f', 'mailto:g', ''),
          tie('page'),
        )
        .map(([href, inner]) => `<a class="k" href="${href}">${inner}</a>`),
      fc
        .tuple(
          fc.constantFrom('div', 'p', 'ul', 'li', 'nav', 'b', 'td', 'table', 'footer', 'form', 'h1'),
          tie('page'),
        )
        .map(([tag, inner]) => `<${tag} title='"&lt;'>${inner}</${tag}>`),
    ),
    page: fc.array(tie('node'), { maxLength: 4 }).map((nodes) => nodes.join('')),
  }));

  it('agrees on links with a parser that builds a tree', () => {
    fc.assert(
      fc.property(page, (body) => {
        const anchors = DomUtils.getElementsByTagName('a', parseDocument(body));
        const urls = anchors
          .map((anchor) => URL.parse(anchor.attribs['href'] ?? '', pageUrl))
          .filter((url) => url?.protocol === 'https:')
          .map((url) => (url?.href ?? '').replace(/#.*/, ''))
          .filter((url) => url !== pageUrl);
        expect(extract(body).links).toEqual([...new Set(urls)]);
      }),
      { numRuns: runs(1_000) },
    );
  });
});
