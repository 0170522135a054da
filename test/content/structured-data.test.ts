/** Data of schema.org and Open Graph, as pages write them: what is read, what is kept of it, and the flat facts. */
import { describe, expect, it } from 'vitest';
import { pageMeta } from '../../contracts/http/page-meta.ts';
import { extract } from './page.ts';

const metaOf = (html: string, over = {}) => extract(html, over).meta;
const ld = (value: unknown, type = 'application/ld+json') =>
  `<script type="${type}">${JSON.stringify(value)}</script>`;
const oak = { '@type': 'Product', name: 'Oak table' };

describe('scripts of JSON-LD', () => {
  it.each([
    ['parameters of the type', ld(oak, 'application/ld+json; charset=utf-8')],
    ['capitals', ld(oak, ' Application/LD+JSON ')],
    [
      'a trailing comma',
      '<script type="application/ld+json">{"@type":"Product","name":"Oak table",}</script>',
    ],
    ['CDATA', `<script type="application/ld+json">//<![CDATA[\n${JSON.stringify(oak)}\n//]]></script>`],
    [
      'a comment',
      '<script type="application/ld+json">{"@type":"Product", // what\n"name":"Oak table"}</script>',
    ],
  ])('are read with %s', (_, html) => {
    const page = extract(html);
    expect(page.meta.schema).toEqual([oak]);
    expect(page.cut).toEqual({});
  });

  it('may hold two objects, and tell that one breaks off', () => {
    const page = extract(
      '<script type="application/ld+json">{"@type":"A","name":"a"}\n{"@type":"B","name":"b","c":"d</script>',
    );
    expect(page.meta.schema).toEqual([
      { '@type': 'A', name: 'a' },
      { '@type': 'B', name: 'b', c: 'd' },
    ]);
    expect(page.cut).toEqual({ meta: 1 });
  });

  it('have absolute addresses where schema.org has addresses', () => {
    const shop = (over: object) => ({ '@context': 'https://schema.org', '@type': 'Product', ...over });
    const item = {
      ...{
        '@id': '#it',
        url: 't?a=1',
        image: ['//cdn.example/1.png', { '@type': 'ImageObject', url: '2.png' }],
      },
      ...{
        sameAs: ['/wiki/Oak', 'https://other.example/oak'],
        name: 'a/b',
        description: '/c',
        category: 'd/e',
      },
      ...{
        offers: { '@type': 'Offer', availability: 'InStock', url: '../buy' },
        logo: 'http://[',
        thumbnailUrl: '',
      },
    };
    expect(metaOf(`<base href="/shop/">${ld(shop(item))}`).schema).toEqual([
      {
        ...{
          '@type': 'Product',
          '@id': 'https://example.com/shop/#it',
          url: 'https://example.com/shop/t?a=1',
        },
        image: [
          'https://cdn.example/1.png',
          { '@type': 'ImageObject', url: 'https://example.com/shop/2.png' },
        ],
        sameAs: ['https://example.com/wiki/Oak', 'https://other.example/oak'],
        ...{ name: 'a/b', description: '/c', category: 'd/e' },
        offers: { '@type': 'Offer', availability: 'InStock', url: 'https://example.com/buy' },
        ...{ logo: 'http://[', thumbnailUrl: '' },
      },
    ]);
    // A blank node is no address, and a list of words is none.
    const blank = shop({ '@id': '_:b0', image: 'oak table, front' });
    expect(metaOf(ld(blank)).schema?.[0]).toMatchObject({ '@id': '_:b0', image: 'oak table, front' });
  });
});

describe('microdata', () => {
  it('has absolute addresses', () => {
    const html = `<base href="/shop/"><div itemscope itemtype="https://schema.org/Product" itemid="#it"><a itemprop=url href="t?a=ü#x">T</a>
      <img itemprop=image src="//cdn.example/1.png"><img itemprop=image src="2.png"><link itemprop=x href="http://["></div>`;
    expect(metaOf(html).schema).toEqual([
      {
        '@type': 'Product',
        '@id': 'https://example.com/shop/#it',
        url: 'https://example.com/shop/t?a=%C3%BC#x',
        image: ['https://cdn.example/1.png', 'https://example.com/shop/2.png'],
        x: 'http://[',
      },
    ]);
  });

  it.each([
    ['before it', (part: string, item: string) => part + item],
    ['behind it', (part: string, item: string) => item + part],
  ])('has the properties of elements that an item names, %s', (_, page) => {
    const part = `<div id="offer"><span itemprop="price">129.50</span><meta itemprop=priceCurrency content=EUR></div><meta id=m itemprop=sku content=7>
      <p id=own itemprop=color>red</p><div id=inner itemprop=brand itemscope><b itemprop=name>Oak</b></div>`;
    const item = `<div itemscope itemtype="https://schema.org/Product" itemref="offer m  own inner none"><h1 itemprop="name">Oak table</h1></div>`;
    expect(metaOf(page(part, item)).schema).toEqual([
      {
        ...{ '@type': 'Product', name: 'Oak table', price: '129.50', priceCurrency: 'EUR', sku: '7' },
        ...{ color: 'red', brand: { name: 'Oak' } },
      },
    ]);
  });

  it('gives such properties to the item around them too, and never to themselves', () => {
    const html = `<div itemscope itemtype=x/Shop><div id=a><b itemprop=name>Shop</b></div></div>
      <div itemscope itemtype=x/Page itemref="a b"><i itemprop=about>u</i></div>
      <div id=b><div itemprop=part itemscope itemref=b><b itemprop=name>loop</b></div></div>`;
    const page = extract(html);
    expect(page.meta.schema?.[0]).toEqual({ '@type': 'Shop', name: 'Shop' });
    expect(page.meta.schema?.[1]).toMatchObject({ '@type': 'Page', about: 'u', name: 'Shop' });
    expect(JSON.stringify(page.meta).length).toBeLessThan(12_000);
  });

  it('is read in footers and asides too', () => {
    const html = '<aside itemscope itemtype="https://schema.org/Offer"><span itemprop=price>5</span></aside>';
    expect(metaOf(html).schema).toEqual([{ '@type': 'Offer', price: '5' }]);
    expect(metaOf(`<footer hidden>${html}</footer>`).schema).toEqual([{ '@type': 'Offer', price: '5' }]);
  });
});

describe('what is kept of items', () => {
  const review = (n: number) => ({
    '@type': 'Review',
    author: `Reader ${String(n)}`,
    reviewBody: 'Very good, and it came in time. '.repeat(8),
  });
  const offers = {
    '@type': 'Offer',
    price: '129.50',
    priceCurrency: 'EUR',
    availability: 'https://schema.org/InStock',
  };
  const product = {
    '@type': 'Product',
    description: 'd'.repeat(400),
    review: Array.from({ length: 40 }, (_, n) => review(n)),
    sku: '7',
    aggregateRating: { '@type': 'AggregateRating', ratingValue: 4.5, reviewCount: 40 },
    offers,
  };

  it('has offers, identifiers and ratings before reviews, and names what was cut', () => {
    const page = extract(ld(product));
    const [item] = page.meta.schema ?? [];
    expect(item).toMatchObject({ sku: '7', offers, aggregateRating: { ratingValue: 4.5 } });
    expect(Object.keys(item ?? {})).toEqual(Object.keys(product));
    expect(page.meta.schemaCut).toMatchObject({
      'Product.description': 1,
      'Product.review': expect.any(Number) as number,
    });
    expect(JSON.stringify(page.meta.schema).length).toBeLessThan(8_000);
    const named = Object.values(page.meta.schemaCut ?? {}).reduce((sum, one) => sum + one, 0);
    expect(page.cut).toEqual({ meta: named });
  });

  it('has what decides of each item before the rest of any', () => {
    const long = {
      '@type': 'WebSite',
      about: Array.from({ length: 30 }, (_, n) => `${String(n)} ${'x'.repeat(290)}`),
    };
    const article = {
      '@type': 'Article',
      headline: 'H',
      datePublished: '2024-01-02',
      author: { '@type': 'Person', name: 'Ann' },
    };
    expect(metaOf(ld([long, { ...long, '@type': 'B' }, article])).schema?.at(-1)).toEqual(article);
  });
});

describe('names of meta elements', () => {
  it('are read from whichever attribute', () => {
    const html = `<meta name="og:title" content="Title"><meta property="description" content="About">
      <meta name="twitter:title" property="og:locale" content="de_DE"><meta property="og:image twitter:image" content="/1.png">`;
    const page = extract(html);
    expect(page.description).toBe('About');
    expect(page.meta.openGraph).toEqual({
      ...{ 'og:title': 'Title', 'twitter:title': 'de_DE', 'og:locale': 'de_DE' },
      ...{ 'og:image': '/1.png', 'twitter:image': '/1.png' },
    });
    expect(extract('<meta name="description" property="og:description" content="Both">').description).toBe(
      'Both',
    );
    expect(extract('<meta itemprop=robots property=og:x content=noindex>').noindex).toBe(true);
  });
});

describe('the product of a page', () => {
  it('is flat, from JSON-LD', () => {
    const html = ld({
      '@graph': [
        { '@type': 'WebSite', name: 'Shop' },
        {
          ...{ '@type': 'Product', name: 'Oak table', sku: 7, gtin13: '4006381333931', mpn: 'T-1' },
          brand: { '@type': 'Brand', name: 'Oak & Co' },
          aggregateRating: { ratingValue: '4,5', reviewCount: '1.024' },
          offers: {
            ...{ '@type': 'AggregateOffer', lowPrice: 99, highPrice: 129.5, priceCurrency: 'EUR' },
            ...{
              availability: 'http://schema.org/InStock',
              itemCondition: 'https://schema.org/NewCondition',
            },
          },
        },
      ],
    });
    expect(metaOf(`<html lang=de>${html}`).product).toEqual({
      ...{ name: 'Oak table', brand: 'Oak & Co', sku: '7', gtin: '4006381333931', mpn: 'T-1' },
      ...{ price: 99, highPrice: 129.5, currency: 'EUR', availability: 'InStock', condition: 'NewCondition' },
      ...{ rating: 4.5, ratings: 1024 },
    });
  });

  it('is told by Open Graph, and by items in others', () => {
    const graph = `<meta property=og:type content=product><meta property=og:title content="Oak table"><meta
      property=product:price:amount content="129.50"><meta property=product:price:currency content=EUR><meta
      property=product:availability content=instock>`;
    expect(metaOf(graph).product).toEqual({
      ...{ name: 'Oak table', price: 129.5, currency: 'EUR', availability: 'instock' },
    });
    const inner = {
      '@type': 'WebPage',
      mainEntity: { ...oak, offers: [{ price: 5 }, { priceSpecification: { price: 3 } }] },
    };
    expect(metaOf(ld(inner)).product).toEqual({ name: 'Oak table', price: 3, highPrice: 5 });
    expect(
      metaOf('<meta property=og:title content=News><meta property=og:type content=website>').product,
    ).toBeUndefined();
  });

  it.each([
    ['de', '1.299,50 €', 1299.5],
    ['de', '1.299 €', 1299],
    ['de-CH', '1’299.50', 1299.5],
    ['en', '$1,299', 1299],
    ['en', '1,299.50', 1299.5],
    ['fr', '1 299,50 €', 1299.5],
    ['ru', 'от 1 299 ₽', 1299],
    ['de', '1299.00', 1299],
    ['de', '0.125', 0.125],
    ['es-MX', '1,299', 1299],
    ['es', '12,5', 12.5],
    ['ar', '١٬٢٩٩٫٥', 1299.5],
    ['hi', '₹१,२९९', 1299],
    ['en', '$𝟏,𝟐𝟎𝟎', 1200],
    ['ja', '１２９９円', 1299],
    ['', '12.5', 12.5],
    ['not a language', '12.5', 12.5],
  ])('has a price as %s writes it: %s', (language, price, read) => {
    const html = `<html lang="${language}"><div itemscope itemtype="https://schema.org/Product"><b itemprop=name>T</b><div itemprop=offers itemscope><i itemprop=price>${price}</i></div></div>`;
    expect(metaOf(html).product?.price).toBe(read);
  });
});

describe('the article of a page', () => {
  it('is flat', () => {
    const html = ld({
      ...{ '@type': 'NewsArticle', headline: 'Rain', articleSection: ['Weather', 'Weather', 'News'] },
      ...{ publisher: { '@type': 'Organization', name: 'The Post' }, isAccessibleForFree: 'False' },
    });
    expect(metaOf(html).article).toEqual({
      ...{ type: 'NewsArticle', headline: 'Rain', publisher: 'The Post' },
      ...{ sections: ['Weather', 'News'], free: false },
    });
    const graph = `<meta property=og:type content=article><meta property=og:title content=Rain><meta property=og:site_name
      content="The Post"><meta property=article:section content=Weather>`;
    expect(metaOf(graph).article).toEqual({
      ...{ type: 'Article', headline: 'Rain', publisher: 'The Post', sections: ['Weather'] },
    });
    expect(metaOf('<p>Text').article).toBeUndefined();
  });

  it('is storable, whatever it is made of', () => {
    const odd = ld({
      '@type': 'NewsArticle',
      headline: '\ud800\0'.repeat(200),
      name: 3,
      author: { '@type': 'Person', name: 'Ann\0 Sm\ud800ith' },
      articleSection: Array.from({ length: 50 }, (_, n) => `${String(n)}${'😀'.repeat(60)}`),
      isAccessibleForFree: {},
      publisher: [[{}]],
    });
    const product = ld({
      '@type': 'Product',
      name: '😀'.repeat(300),
      offers: [[], {}, { price: '9'.repeat(90) }, { price: {} }],
    });
    const { meta } = extract(odd + product);
    expect(pageMeta.parse(meta)).toEqual(meta);
    expect(JSON.stringify(meta).isWellFormed()).toBe(true);
    expect(JSON.stringify(meta)).not.toContain('\\u0000');
  });
});

describe('text in code that builds the page', () => {
  const story =
    'The text of a page that scripts build, told in sentences, with <b>markup</b> and all. '.repeat(12);
  const json = JSON.stringify({ a: { b: [{ id: 'x'.repeat(99), html: `<p>${story}</p>` }] } }).replaceAll(
    '</',
    '<\\/',
  );
  const rows = `1:["$","div",null,{"className":"${'flex px-4 '.repeat(20)}","children":["$","p",null,{"children":${JSON.stringify(story)}}]}]\n`;
  const pushed = (text: string) =>
    `<script>self.__next_f.push([1,${JSON.stringify(text).replaceAll('</', '<\\u002f')}])</script>`;

  it.each([
    ['a state on the window', `<script>window.__INITIAL_STATE__ = ${json};</script>`],
    ['with a name of its own', `<script>window["APP_DATA"]=${json}</script>`],
    ['as a text', `<script>window.__PRELOADED_STATE__=JSON.parse(${JSON.stringify(json)})</script>`],
    [
      'of Nuxt',
      `<script>window.__NUXT__=(function(a,b){return {data:[{html:a,b:b}]}}(${JSON.stringify(story)},null));</script>`,
    ],
    [
      'of Nuxt 3',
      `<script id="__NUXT_DATA__" type="application/json">${JSON.stringify([1, story])}</script>`,
    ],
    ['of Next.js, in rows', `<script>(self.__next_f=self.__next_f||[]).push([0])</script>${pushed(rows)}`],
    ['in pieces', pushed(rows.slice(0, 300)) + pushed(rows.slice(300))],
    ['in a row of text', pushed(`0:["$","p"]\n2:T401,${story}3:["$","div",null,{}]\n`)],
  ])('%s', (_, script) => {
    const page = extract(`<title>T</title><div id=root>Loading</div>${script.replaceAll('</b>', '<\\/b>')}`);
    expect(page.text).toMatch(
      /^(?:The text of a page that scripts build, told in sentences, with markup and all\. ?){12}$/,
    );
    expect(page.meta.fromState).toBe(true);
  });

  it('is not that of other scripts', () => {
    const page = extract(`<div id=root>Loading</div><script>var words = ${JSON.stringify(story)};</script>`);
    expect(page.text).toBe('Loading');
  });
});
