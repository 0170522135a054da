/** Structured data as sites and generators write it, with what it says: properties with their values, however deep. */

export interface StructuredPage {
  readonly way: 'JSON-LD' | 'microdata' | 'RDFa' | 'Open Graph';
  readonly html: string;
  /** Names of properties without vocabularies, and values; the page is https://shop.example/a/b. */
  readonly says: readonly (readonly [name: string, value: string])[];
}

const page =
  (
    way: StructuredPage['way'],
    around: (html: string) => string = (html) => `<!doctype html><title>x</title>${html}`,
  ) =>
  (html: string, says: Readonly<Record<string, string | readonly string[]>>): StructuredPage => ({
    way,
    html: around(html),
    says: Object.entries(says).flatMap(([name, values]) =>
      (typeof values === 'string' ? [values] : values).map((value) => [name, value] as const),
    ),
  });

const json = page('JSON-LD', (text) => `<!doctype html><title>x</title>${text}`);
const script = (text: string, type = 'application/ld+json'): string =>
  `<script type="${type}">${text}</script>`;
const micro = page('microdata');
const rdfa = page('RDFa');
const graph = page(
  'Open Graph',
  (html) =>
    `<!doctype html><html prefix="og: https://ogp.me/ns#"><head><title>x</title>${html}</head><body>x`,
);

const product =
  '{"@context":"https://schema.org","@type":"Product","name":"Oak table","sku":"T-7","offers":{"@type":"Offer","price":"129.50","priceCurrency":"EUR"}}';
const ofProduct = { name: 'Oak table', sku: 'T-7', price: '129.50', priceCurrency: 'EUR' };

export const structuredPages: readonly StructuredPage[] = [
  json(script(product), ofProduct),
  json(script(product, 'application/ld+json; charset=utf-8'), ofProduct),
  json(script(product.replace('"T-7",', '"T-7",\n').replace('}}', ',}}')), ofProduct),
  json(script(`//<![CDATA[\n${product}\n//]]>`), ofProduct),
  json(script(`<!--\n${product}\n-->`), ofProduct),
  json(script(`/* by a plugin */ ${product}`), ofProduct),
  json(script(`${product};`), ofProduct),
  json(script(`[${product},{"@type":"Organization","legalName":"Möbel GmbH"}]`), {
    ...ofProduct,
    legalName: 'Möbel GmbH',
  }),
  json(
    script(
      `{"@context":"https://schema.org","@graph":[{"@type":"Article","headline":"河の話","author":[{"@type":"Person","name":"山田"}]},{"@type":"WebSite","alternateName":"川"}]}`,
    ),
    {
      ...{ headline: '河の話', name: '山田', alternateName: '川' },
    },
  ),
  json(script('{"@type":"Article","headline":"A line\nthat breaks","wordCount":"12"}'), {
    headline: 'A line that breaks',
    wordCount: '12',
  }),
  json(script('{"@type":"Recipe","name":"Soup","recipeYield":"4"}\n{"@type":"Thing","alternateName":"b"}'), {
    ...{ name: 'Soup', recipeYield: '4', alternateName: 'b' },
  }),
  json(
    script(
      '{"@type":"Event","name":"Fair","location":{"@type":"Place","address":"Main St. 1"},"url":"../fair","image":["/1.png","2.png"]}',
    ),
    {
      ...{ name: 'Fair', address: 'Main St. 1', url: 'https://shop.example/fair' },
      image: ['https://shop.example/1.png', 'https://shop.example/a/2.png'],
    },
  ),
  json(script('{"@type":"Article","headline":"Cut off","author":{"@type":"Person","name":"Jane'), {
    headline: 'Cut off',
  }),
  json(
    script(
      '{"@context":{"@vocab":"https://schema.org/"},"@type":["Book","Product"],"name":"Rivers","isbn":"978-3"}',
    ),
    {
      name: 'Rivers',
      isbn: '978-3',
    },
  ),
  json(
    `<div>${script('{"@context":"http://schema.org","@type":"FAQPage","mainEntity":[{"@type":"Question","name":"Why?","acceptedAnswer":{"@type":"Answer","text":"So."}}]}')}</div>`,
    {
      name: 'Why?',
    },
  ),

  micro(
    '<div itemscope itemtype="https://schema.org/Product"><h1 itemprop=name>Oak <b>table</b></h1><div itemprop=offers itemscope itemtype="http://schema.org/Offer"><span itemprop=price content=129.50>129,50 €</span><meta itemprop=priceCurrency content=EUR></div></div>',
    {
      ...{ name: 'Oak table', price: '129.50', priceCurrency: 'EUR' },
    },
  ),
  micro(
    '<article itemscope itemtype=https://schema.org/BlogPosting><h2 itemprop="headline name">Rain</h2><time itemprop=datePublished datetime=2024-03-12>12 March</time><a itemprop=url href=rain>more</a><img itemprop=image src=//cdn.example/r.png></article>',
    {
      ...{ headline: 'Rain', name: 'Rain', datePublished: '2024-03-12' },
      ...{ url: 'https://shop.example/a/rain', image: 'https://cdn.example/r.png' },
    },
  ),
  micro(
    '<div itemscope itemtype="https://schema.org/Product" itemref="p s"><h1 itemprop=name>Lamp</h1></div><p id=p><b itemprop=color>red</b></p><meta id=s itemprop=sku content=L1>',
    {
      ...{ name: 'Lamp', color: 'red', sku: 'L1' },
    },
  ),
  micro(
    '<table itemscope itemtype="https://schema.org/Person"><tr><td itemprop=name>Ana<td itemprop=jobTitle>Mayor<tr><td itemprop=telephone>123</table>',
    {
      ...{ name: 'Ana', jobTitle: 'Mayor', telephone: '123' },
    },
  ),
  micro(
    '<ol itemscope itemtype="https://schema.org/BreadcrumbList"><li itemprop=itemListElement itemscope itemtype="https://schema.org/ListItem"><a itemprop=item href="/"><span itemprop=name>Home</span></a><meta itemprop=position content=1></ol>',
    {
      ...{ item: 'https://shop.example/', name: 'Home', position: '1' },
    },
  ),
  micro(
    '<div itemscope itemtype="https://schema.org/LocalBusiness"><p itemprop=address itemscope itemtype="https://schema.org/PostalAddress"><span itemprop=streetAddress>Rue 1</span>, <span itemprop=addressLocality>Genève</span><p><data itemprop=priceRange value="$$">cheap</data><link itemprop=sameAs href=https://other.example/x></div>',
    {
      ...{
        streetAddress: 'Rue 1',
        addressLocality: 'Genève',
        priceRange: '$$',
        sameAs: 'https://other.example/x',
      },
    },
  ),
  micro(
    '<footer hidden><div itemscope itemtype="https://schema.org/Organization"><span itemprop=legalName>東京 株式会社</span><span itemprop=description>one<br>two</span></div></footer>',
    {
      legalName: '東京 株式会社',
    },
  ),
  micro(
    '<div itemscope><span itemprop=color>blue</span></div><div itemscope itemtype="https://schema.org/Review"><div itemprop=reviewRating itemscope itemtype="https://schema.org/Rating"><meter itemprop=ratingValue value=4 max=5>4 of 5</meter></div><span itemprop=author>Jo</span></div>',
    {
      ...{ color: 'blue', ratingValue: '4', author: 'Jo' },
    },
  ),

  rdfa(
    '<div vocab="https://schema.org/" typeof="Product"><h1 property="name">Oak table</h1><div property="offers" typeof="Offer"><span property="price" content="129.50">129,50</span></div></div>',
    {
      name: 'Oak table',
      price: '129.50',
    },
  ),
  rdfa(
    '<div prefix="schema: http://schema.org/" typeof="schema:Person"><span property="schema:name">Ana</span><a property="schema:url" href="/ana">page</a></div>',
    {
      name: 'Ana',
      url: 'https://shop.example/ana',
    },
  ),
  rdfa(
    '<article vocab="http://schema.org/" typeof="Article" resource="#post"><h1 property="headline">Rain</h1><time property="datePublished" datetime="2024-03-12">12.3.</time><img property="image" src="r.png"></article>',
    {
      ...{ headline: 'Rain', datePublished: '2024-03-12', image: 'https://shop.example/a/r.png' },
    },
  ),
  rdfa(
    '<ol vocab="https://schema.org/" typeof="BreadcrumbList"><li property="itemListElement" typeof="ListItem"><a property="item" typeof="WebPage" href="/k"><span property="name">Küche</span></a><meta property="position" content="2"></li></ol>',
    {
      name: 'Küche',
      position: '2',
    },
  ),
  rdfa(
    '<p vocab="https://schema.org/" typeof="Event"><span property="name">Fair</span> <span property="location" typeof="Place"><span property="address">Main St. 1</span></span></p>',
    {
      name: 'Fair',
      address: 'Main St. 1',
    },
  ),
  rdfa(
    '<div vocab="https://schema.org/" typeof="Book"><span property="name alternateName">Rivers</span><div rel="author"><span typeof="Person"><b property="givenName">Jo</b></span></div></div>',
    {
      ...{ name: 'Rivers', alternateName: 'Rivers', givenName: 'Jo' },
    },
  ),

  graph(
    '<meta property="og:title" content="Oak table"><meta property="og:image" content="https://a.example/1.png"><meta property="og:image" content="https://a.example/2.png"><meta property="og:type" content="product">',
    {
      ...{
        'og:title': 'Oak table',
        'og:image': ['https://a.example/1.png', 'https://a.example/2.png'],
        'og:type': 'product',
      },
    },
  ),
  graph('<meta name="og:title" content="By name"><meta name="og:url" content="https://a.example/n">', {
    'og:title': 'By name',
    'og:url': 'https://a.example/n',
  }),
  graph(`<meta content='Größe &amp; "Maß"' property='og:title'/><meta property=og:locale content=de_DE>`, {
    'og:title': 'Größe & "Maß"',
    'og:locale': 'de_DE',
  }),
  graph(
    '<meta property="article:published_time" content="2024-03-12T10:00:00Z"><meta property="article:tag" content="rain"><meta property="article:tag" content="river">',
    {
      'article:published_time': '2024-03-12T10:00:00Z',
      'article:tag': ['rain', 'river'],
    },
  ),
  graph(
    '<META PROPERTY="OG:Title" CONTENT="Capitals"><meta property="product:price:amount" content="12.50">',
    {
      'og:title': 'Capitals',
      'product:price:amount': '12.50',
    },
  ),
];
