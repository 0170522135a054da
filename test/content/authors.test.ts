import { describe, expect, it } from 'vitest';
import { citedNameIn, namesIn, namesInLines } from '../../content/author-names.ts';
import { extract } from './page.ts';

const authorsOf = (html: string, over = {}) => extract(html, over).meta.authors ?? [];
const ld = (value: unknown) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;
const dated = '<meta property="article:published_time" content="2024-03-12">';
const h1 = '<h1>A long way to the harbour</h1>';

describe('names', () => {
  it.each([
    ['Ann Lee', ['Ann Lee']],
    ['By Ann Lee', ['Ann Lee']],
    ['Von Ann Lee und Bo Ek', ['Ann Lee', 'Bo Ek']],
    ['Ann Lee, Bo Ek & Cy Oh', ['Ann Lee', 'Bo Ek', 'Cy Oh']],
    ['Analysis by Ann Lee, CNN Senior Supreme Court Analyst', ['Ann Lee']],
    ['Lee, Ann', ['Ann Lee']],
    ['Ann Lee, PhD', ['Ann Lee']],
    ['Ann Lee, Staff Writer', ['Ann Lee']],
    ['ANN VAN DER LEE', ['Ann Van Der Lee']],
    ['María José García y Pablo Núñez', ['María José García', 'Pablo Núñez']],
    ['Mohamed El Baradei', ['Mohamed El Baradei']],
    ['Автор: Мария Иванова', ['Мария Иванова']],
    ['作者：严玉洁', ['严玉洁']],
    ['홍길동 기자', ['홍길동']],
    ['Ann Lee (ann@site.example) | Reuters', ['Ann Lee']],
    ['admin', []],
    ['Editorial Team', []],
    ['Site Redaktion', []],
    ['https://site.example/ann', []],
    ['View all posts by Ann Lee', ['Ann Lee']],
    ['View author page', []],
    ['x'.repeat(400), []],
  ])('in data: %j', (text, names) => {
    expect(namesIn(text)).toEqual(names);
  });

  it.each([
    ['12 March 2024 | By Ann Lee, Staff Writer', ['Ann Lee']],
    ['By\nAnn Lee\nSenior Reporter\n12 March 2024', ['Ann Lee']],
    ['Posted on March 5, 2024 by Ann Lee in News', ['Ann Lee']],
    ['by Ann Lee March 5, 2024', ['Ann Lee']],
    ['By ANN LEE Tuesday, Aug. 17, 2010', ['Ann Lee']],
    ['Geschrieben von Ann Lee am 5. März 2024', ['Ann Lee']],
    ['Ann Lee\nBo Ek', ['Ann Lee', 'Bo Ek']],
    ['Updated 5 March 2024', []],
    ['5 min read', []],
  ])('in lines: %j', (text, names) => {
    expect(namesInLines(text)).toEqual(names);
  });

  it.each([
    ['Lee, Ann Mary', ['Ann Mary Lee']],
    ['van der Lee, A. M.', ['A. M. van der Lee']],
    ['Ann Lee', ['Ann Lee']],
    ['Lee, Ann; Ek, Bo', ['Ann Lee', 'Bo Ek']],
    ['World Health Organization, Office', ['World Health Organization, Office']],
  ])('in libraries: %j', (text, names) => {
    expect(citedNameIn(text)).toEqual(names);
  });
});

describe('authors of a page', () => {
  it.each([
    ['rel=author', '<p>Told by <a rel="author" href=/x>Ann Lee</a></p>'],
    ['an address of authors', `${h1}<p><a href="/author/ann-lee/">Ann Lee</a></p>`],
    ['a byline', '<div class="post-byline">by Ann Lee</div>'],
    ['a span', '<p><span class="author">Ann Lee</span></p>'],
    ['a box in a box', '<div class="author"><div class=avatar></div><div>Ann Lee</div></div>'],
    ['a line', `${h1}<p>By Ann Lee | 12 March 2024</p>`],
    ['microdata', '<div itemscope><span itemprop="author">Ann Lee</span></div>'],
    ['JSON-LD', ld({ '@type': 'Article', author: [{ '@type': 'Person', name: 'Ann Lee' }] })],
    [
      'JSON-LD by reference',
      ld({
        '@graph': [
          { '@type': 'Article', author: { '@id': '#p' } },
          { '@type': 'Person', '@id': '#p', name: 'Ann Lee' },
        ],
      }),
    ],
    ['a journal', '<meta name="citation_author" content="Lee, Ann">'],
    ['Dublin Core', '<meta name="DC.creator" content="Ann Lee">'],
    ['an article that does not show it', `${dated}<meta name=author content="Ann Lee">`],
    [
      'a person beside an agency',
      `${dated}<meta name=author content="Big News Agency Ltd"><p class=byline>By Ann Lee`,
    ],
  ])('from %s', (_, html) => {
    expect(authorsOf(html)).toEqual(['Ann Lee']);
  });

  it('are all of those in the byline, where data name the first alone', () => {
    const html = `${ld({ '@type': 'Article', author: { '@type': 'Person', name: 'Ann Lee' } })}${h1}
      <div><a rel=author>Ann Lee</a>, <a rel=author>Bo Ek</a></div>`;
    expect(authorsOf(html)).toEqual(['Ann Lee', 'Bo Ek']);
  });

  it.each([
    ['comments', '<div class="comment-author">Ann</div>'],
    [
      'the place of comments',
      `${h1}<p>${'A text. '.repeat(50)}</p><div id=comments><div><span class=author>Ann Lee</span></div></div>`,
    ],
    ['an address', `${dated}<meta name="article:author" content="https://x.example/ann">`],
    ['a long line', `<p class=author>${'word '.repeat(80)}</p>`],
    [
      'a page that is no article, by its webmaster',
      '<meta name=author content="Ann Lee"><h1>What we do</h1>',
    ],
    [
      'the site',
      `${dated}<meta property="og:site_name" content="The Harbour"><meta name=author content="The Harbour">`,
    ],
    ['the host', `${dated}<meta name=author content="Example"><p>Example`],
    ['an administrator', `${dated}<meta name=author content="admin"><a rel=author>admin</a>`],
    [
      'those who judge a thing',
      `${ld({ '@type': 'Product', review: { '@type': 'Review', author: { name: 'Ann Lee' } } })}<h1>A lamp</h1><span class=author>Ann Lee</span>`,
    ],
    [
      'texts that a page leads to',
      `<h1>News</h1><div><h3><a href=/1>One text</a></h3><span class=author>Ann Lee</span></div>`,
    ],
  ])('are none of %s', (_, html) => {
    expect(authorsOf(html)).toEqual([]);
  });

  it('are none at the beginning of a site', () => {
    const html = '<h1>News</h1><span class=author>Ann Lee</span>';
    expect(authorsOf(html, { url: 'https://example.com/' })).toEqual([]);
    expect(authorsOf(html)).toEqual(['Ann Lee']);
  });
});

describe('headline', () => {
  it.each([
    ['<title>A way | The Harbour</title><h1>The Harbour</h1><h2>A way</h2>', 'A way'],
    ['<title>A way - Harbour Times</title><meta property="og:site_name" content="Harbour Times">', 'A way'],
    ['<title>Harbour: A way</title><meta property="og:title" content="A way"><h1>Blog</h1>', 'A way'],
    [`<title>x</title>${ld({ '@type': 'NewsArticle', headline: 'A way' })}`, 'A way'],
    ['<title>A way</title>', undefined],
    ['<p>Text', undefined],
  ])('%s', (html, headline) => {
    expect(extract(html).meta.headline).toBe(headline);
  });
});
