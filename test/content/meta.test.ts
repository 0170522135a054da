import { describe, expect, it } from 'vitest';
import { pageMeta } from '../../contracts/http/page-meta.ts';
import { extract } from './page.ts';

const metaOf = (html: string, over = {}) => extract(html, over).meta;
const ld = (value: unknown) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;

describe('what a page says of itself', () => {
  it('is little for a page that says nothing', () => {
    expect(metaOf('<p>Hello.')).toEqual({ version: 2 });
    expect(extract('Hello.', { contentType: 'text/plain' }).meta).toEqual({ version: 2 });
  });

  it('has headings in order, without those of navigation', () => {
    const page = `<nav><h2>Menu</h2></nav><h1>A <i>b</i><br>c</h1><p>x</p><div><h3>D &amp; e</h3></div><h2> </h2><h2>F`;
    expect(metaOf(page).headings).toEqual([
      { level: 1, text: 'A b c' },
      { level: 3, text: 'D & e' },
      { level: 2, text: 'F' },
    ]);
  });

  it('has Open Graph, feeds, declared language and authors', () => {
    const meta = metaOf(
      `<html lang="de-AT"><base href="/b/"><meta property="og:title" content=" A
       title "><meta property="og:image" content="/1.png"><meta property="og:image" content="/2.png">
       <meta name="twitter:card" content="summary"><meta name="author" content="By Ann Lee and Bo Ek">
       <link rel=alternate type=application/atom+xml href=feed title="All news">
       <meta property="og:type" content="article"><link rel=alternate hreflang=fr href=/fr><link rel=alternate type=application/rss+xml href="mailto:x">`,
    );
    expect(meta).toEqual({
      version: 2,
      declaredLanguage: 'de-AT',
      headline: 'A title',
      article: { type: 'Article', headline: 'A title' },
      authors: ['Ann Lee', 'Bo Ek'],
      openGraph: {
        'og:title': 'A title',
        'og:image': ['/1.png', '/2.png'],
        'og:type': 'article',
        'twitter:card': 'summary',
      },
      feeds: [{ url: 'https://example.com/b/feed', type: 'application/atom+xml', title: 'All news' }],
    });
  });
});

describe('schema.org', () => {
  it('reads JSON-LD: arrays, graphs, common faults', () => {
    const graph = { '@context': 'https://schema.org', '@graph': [{ '@type': 'WebSite', name: 'S' }] };
    const html = `${ld(graph)}${ld([{ '@type': ['Article', 'NewsArticle'], headline: 'H', articleBody: 'x' }])}
      <script type="application/ld+json">//<![CDATA[</script>
      <script type="application/ld+json"> {"@type": "Thing", "name": "two
lines"}; </script>`;
    const page = extract(html);
    expect(page.meta.schema).toEqual([
      { '@type': 'WebSite', name: 'S' },
      { '@type': ['Article', 'NewsArticle'], headline: 'H' },
      { '@type': 'Thing', name: 'two lines' },
    ]);
    expect(page.cut).toEqual({ meta: 1 });
  });

  it('reads microdata: nested items, many values, values of attributes', () => {
    const html = `<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">A <b>thing</b></h1>
      <img itemprop=image src=/1.png><img itemprop=image src=/2.png><div itemprop="offers" itemscope
      itemtype="http://schema.org/Offer"><meta itemprop=price content=12><link itemprop=availability href="https://schema.org/InStock">
      <p>not <span itemprop="description">told</span></div><span itemprop="sku">7</span></div><span itemprop=name>no</span>`;
    expect(metaOf(html).schema).toEqual([
      {
        '@type': 'Product',
        name: 'A thing',
        image: ['https://example.com/1.png', 'https://example.com/2.png'],
        offers: {
          '@type': 'Offer',
          price: '12',
          availability: 'https://schema.org/InStock',
          description: 'told',
        },
        sku: '7',
      },
    ]);
  });

  it('reads RDFa Lite', () => {
    const html = `<div vocab="https://schema.org/" typeof="Person"><span property="name">Ann</span>
      <div property="address" typeof="PostalAddress"><span property="addressLocality">Bonn</span></div></div>`;
    expect(metaOf(html).schema).toEqual([
      { '@type': 'Person', name: 'Ann', address: { '@type': 'PostalAddress', addressLocality: 'Bonn' } },
    ]);
  });

  it('keeps so much, and counts what it leaves out', () => {
    const long = ld({ '@type': 'A', text: 'x', name: 'n'.repeat(1_000), b: '\ud800\0' });
    const many = ld(
      Array.from({ length: 300 }, (_, n) => ({ '@type': 'B', name: `item ${String(n)}`.repeat(5) })),
    );
    const page = extract(long + many);
    expect(page.meta.schema?.[0]).toEqual({ '@type': 'A', name: 'n'.repeat(300), b: '\ufffd' });
    expect(JSON.stringify(page.meta).length).toBeLessThan(12_000);
    expect((page.cut.meta ?? 0) + (page.meta.schema?.length ?? 0)).toBe(302);
  });
});

describe('text in data for scripts', () => {
  const story =
    'The text of a page that scripts build, told in sentences, with <b>markup</b> &amp; all. '.repeat(12);

  it.each([
    ['JSON-LD', ld({ '@type': 'Article', articleBody: story })],
    [
      'a state',
      `<script id="__NEXT_DATA__" type="application/json">${JSON.stringify({
        props: {
          page: { blocks: [{ id: 'x'.repeat(99), html: `<p>${story}</p>` }], css: '.a{}\n.b{}\n'.repeat(40) },
        },
      }).replaceAll('</', '<\\/')}</script>`,
    ],
  ])('is the text of an empty shell: %s', (_, script) => {
    const page = extract(`<title>T</title><div id=root>Loading</div>${script}`);
    expect(page.text).toMatch(/^The text of a page that scripts build, .* with markup & all\.$/s);
    expect(page).toMatchObject({ main: page.text, words: 168, language: 'en', meta: { fromState: true } });
  });

  it('is left alone where the markup has text', () => {
    const page = extract(
      `<p>${'A page with text of its own. '.repeat(20)}</p>${ld({ '@type': 'A', articleBody: story })}`,
    );
    expect(page.text).not.toContain('scripts build');
    expect(page.meta.fromState).toBeUndefined();
  });
});

describe('dates of a page', () => {
  const now = Date.UTC(2024, 5, 1);
  const meta = '<meta property="article:published_time" content="2024-01-01T23:30:00-02:00">';
  const schema = ld({
    '@type': 'Article',
    datePublished: '2024-01-02',
    dateModified: '2024-02-02T10:00:00Z',
  });
  const time = '<p>On <time datetime="2024-01-03">Wednesday</time></p>';
  const url = 'https://example.com/2024/01/04/title';
  const text = '<p>Published: 5 January 2024</p>';

  it('are told by the best evidence', () => {
    const found = [
      metaOf(text + time + schema + meta, { url, now }),
      metaOf(text + time + schema + meta, { now }),
      metaOf(text + time + schema, { now }),
      metaOf(text + time, { now }),
      metaOf(text, { url: 'https://example.com/2024-01-04-title', now }),
      metaOf(text, { now }),
    ].map(({ published, publishedFrom, modified }) => [published, publishedFrom, modified]);
    expect(found).toEqual([
      ['2024-01-04', 'url', '2024-02-02T10:00:00Z'],
      ['2024-01-01T23:30:00-02:00', 'meta', '2024-02-02T10:00:00Z'],
      ['2024-01-02', 'schema', '2024-02-02T10:00:00Z'],
      ['2024-01-03', 'time', undefined],
      ['2024-01-04', 'url', undefined],
      ['2024-01-05', 'text', undefined],
    ]);
  });

  it.each([
    ['<p>Last updated on March 4, 2024</p>', undefined, '2024-03-04'],
    ['<p>Text</p><footer>© 2024. Last modified: 2024-03-04 10:00</footer>', undefined, '2024-03-04'],
    ['<p>By Ann | 4.3.2024</p><p>Text', '2024-03-04', undefined],
    ['<p>© 2020-01-01 Us</p>', undefined, undefined],
    [
      '<p>The war of 3 March 1848 began with many people in the streets of many towns of the land.</p>',
      undefined,
      undefined,
    ],
    ['<abbr class=published title="2024-03-04">x</abbr>', '2024-03-04', undefined],
    [
      '<time class="updated" datetime="2024-03-05"></time><time pubdate>4 mars 2024</time>',
      '2024-03-04',
      '2024-03-05',
    ],
    [
      '<div class=comments><p class=comment><time class=comment datetime=2024-03-04>x</time></div>',
      undefined,
      undefined,
    ],
    ['<meta name=date content=2031-01-01><meta name=dc.date content="2024-03-04">', '2024-03-04', undefined],
    ['<p>发布 2024年3月4日</p>', '2024-03-04', undefined],
    // The day is the one that people read.
    [
      '<meta name=pubdate content="2024-03-05T02:00:00Z"><p><time datetime="2024-03-05T02:00:00Z">March 4, 2024</time>',
      '2024-03-04',
      undefined,
    ],
    [
      '<meta name=pubdate content="2024-03-05T02:00:00Z"><p class=date>May 4, 2024',
      '2024-03-05T02:00:00Z',
      undefined,
    ],
    ['<span class=post-date>4 March 2024</span>', '2024-03-04', undefined],
    ['<div class="c-meta__publishDate">4 March 2024</div>', '2024-03-04', undefined],
    ['<span class=timestamp data-timestamp=1709546400></span>', '2024-03-04T10:00:00Z', undefined],
    ['<meta name=citation_publication_date content="2024/03/04">', '2024-03-04', undefined],
    ['<meta name=DC.date.issued content="2024-03-04">', '2024-03-04', undefined],
    [
      '<meta name=expiration-date content="2024-03-04"><meta property="book:release_date" content="2024-03-04">',
      undefined,
      undefined,
    ],
    [
      '<h1>A</h1><p>BERLIN, 4 March 2024 (Agency) – A long text begins here, of which more lines than this one follow.',
      '2024-03-04',
      undefined,
    ],
    // Of other texts, of readers, of things for sale.
    [
      '<h1>News</h1><div><h3><a href=/1>One text</a></h3><span class=date>4 March 2024</span></div>',
      undefined,
      undefined,
    ],
    [
      `<h1>A</h1><p>${'A text. '.repeat(50)}</p><div id=comments><div><span class=date>4 March 2024</span></div></div>`,
      undefined,
      undefined,
    ],
    [
      `<h1>A lamp</h1><span class=date>4 March 2024</span>${ld({ '@type': 'Product', name: 'A lamp' })}`,
      undefined,
      undefined,
    ],
  ])('%s', (html, published, modified) => {
    const found = metaOf(html, { now });
    expect([found.published, found.modified]).toEqual([published, modified]);
  });
});

it('is of its declared form, and storable, for odd pages too', () => {
  const odd = `<html lang="${'😀'.repeat(30)}"><meta property="og:${'😀'.repeat(300)}" content=x>
    <meta property="og:title" content="${'😀'.repeat(400)}">${`<h1>${'😀'.repeat(150)}</h1>`.repeat(200)}
    ${'<meta name=author content="Ann Lee, Bo Ek">'.repeat(50)}${'<link rel=alternate type=application/rss+xml href=/f>'.repeat(50)}`;
  const wide = '<link rel=alternate type=application/rss+xml href="/' + 'ü'.repeat(2_000) + '">';
  expect(extract(wide).meta.feeds).toBeUndefined();
  expect(extract(wide).cut.meta).toBe(1);
  const page = extract(odd);
  expect(pageMeta.parse(page.meta)).toEqual(page.meta);
  expect(JSON.stringify(page.meta).isWellFormed()).toBe(true);
  expect(page.meta.headings?.length).toBeLessThan(100);
  expect(page.meta.feeds).toHaveLength(10);
  expect(page.cut.meta).toBeGreaterThan(100);
});
