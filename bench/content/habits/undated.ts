/** Pages that have neither a date of publication nor an author. */
import { at, day, ld, menu, page, shown, text, yoast, type Ways } from './parts.ts';

const none = { date: null, authors: [] } as const;

export const undated: Ways = {
  'home page with teasers': (f) => ({
    ...none,
    url: `https://${f.host}/`,
    html: page(
      f,
      `<meta property="og:site_name" content="${f.site}">`,
      `<h1>${f.site}</h1>${[1, 2, 3, 4, 5].map((n) => `<article class="post"><h2><a href="/p${String(n)}">A text of ours</a></h2><p class="post-meta">by <a rel="author">${f.authors[0] ?? ''}</a> <time datetime="${day(new Date(f.date.getTime() - n * 86_400_000))}">then</time></p><p>${f.paragraphs[n] ?? ''}</p></article>`).join('')}`,
      f.site,
    ),
  }),
  'services of a firm, by its agency': (f) => ({
    ...none,
    html: page(
      f,
      `<meta name="author" content="Webwerk Agentur GmbH"><meta property="og:type" content="website">${yoast(f, `https://${f.host}/x`, null)}`,
      `${menu}<h1>What we do</h1>${text(f)}`,
      `What we do - ${f.site}`,
    ),
  }),
  'page about us, by a webmaster': (f) => ({
    ...none,
    html: page(
      f,
      `<meta name="author" content="${f.authors[0] ?? ''}">`,
      `${menu}<h1>About us</h1><p>We have worked since 12 March 1998 for you.</p>${text(f)}`,
      `About us - ${f.site}`,
    ),
  }),
  'product with reviews': (f) => ({
    ...none,
    html: page(
      f,
      `<meta property="og:type" content="product">${ld({ '@type': 'Product', name: 'Blue lamp', offers: { '@type': 'Offer', price: '12.00', priceValidUntil: '2027-12-31' }, review: [{ '@type': 'Review', author: { '@type': 'Person', name: 'Tom Reader' }, datePublished: '2023-02-02' }] })}`,
      `<h1 class="product_title">Blue lamp</h1><p class="price">€12.00</p><p>${f.paragraphs[0] ?? ''}</p><div id="reviews" class="woocommerce-Reviews"><ol class="commentlist"><li class="review"><p class="meta"><strong class="woocommerce-review__author">Tom Reader</strong> – <time class="woocommerce-review__published-date" datetime="2023-02-02T10:00:00+00:00">2 February 2023</time></p><p>A good lamp.</p></li></ol></div>`,
      `Blue lamp - ${f.site}`,
    ),
  }),
  'product, reviews in hashed classes': (f) => ({
    ...none,
    html: page(
      f,
      ld({ '@type': 'Product', name: 'Red lamp' }),
      `<h1>Red lamp</h1><p>${f.paragraphs[0] ?? ''}</p><h2>What others say</h2><div class="rv"><span class="author">Tom R.</span> <span class="date">2 February 2023</span><p>A good lamp, of which I have two.</p></div><div class="rv"><span class="author">Sue K.</span> <span class="date">9 March 2022</span><p>Too red.</p></div>`,
      `Red lamp - ${f.site}`,
    ),
  }),
  'manual (Sphinx)': (f) => ({
    ...none,
    html: page(
      f,
      '<meta name="generator" content="Docutils">',
      `<div class="document"><h1>Installation<a class="headerlink" href="#i">¶</a></h1>${text(f)}<p>Since version 2.4 of 3 May 2021 nothing else is needed.</p></div><div class="footer">© Copyright 2019, ${f.site}. Last updated on ${shown({ ...f, language: 'en' }, 'medium', f.changed)}. Created using Sphinx 4.2.0.</div>`,
      `Installation — ${f.site} 2.4 documentation`,
    ),
  }),
  'manual (Docusaurus)': (f) => ({
    ...none,
    html: page(
      f,
      '',
      `<main><article><header><h1>Configuration</h1></header>${text(f)}<footer><span class="theme-last-updated">Last updated on <b><time datetime="${f.changed.toISOString()}" itemprop="dateModified">${shown({ ...f, language: 'en' }, 'medium', f.changed)}</time></b> by <b>${f.authors[0] ?? ''}</b></span></footer></article></main>`,
      `Configuration | ${f.site}`,
    ),
  }),
  wiki: (f) => ({
    ...none,
    html: page(
      f,
      '',
      `<h1 id="firstHeading">${f.headline}</h1><div id="mw-content-text"><p>${f.paragraphs[0] ?? ''} On 4 July 1996 the town was named.</p>${text(f)}<ul><li>"A source". Retrieved 3 May 2021.</li><li>Doe, J. (12 March 2003). "Another".</li></ul></div><div id="footer"><ul><li id="footer-info-lastmod">This page was last edited on ${shown({ ...f, language: 'en-GB' }, 'long', f.changed)}, at 10:12.</li></ul></div>`,
      `${f.headline} - ${f.site}`,
    ),
  }),
  event: (f) => ({
    ...none,
    html: page(
      f,
      ld({
        '@type': 'Event',
        name: 'Summer concert',
        startDate: '2026-07-04T19:00:00+02:00',
        organizer: { '@type': 'Organization', name: f.site },
      }),
      `<h1>Summer concert</h1><div class="event-date">4 July 2026, 7 pm</div><p>${f.paragraphs[0] ?? ''}</p>`,
      `Summer concert - ${f.site}`,
    ),
  }),
  'list of a category': (f) => ({
    ...none,
    html: page(
      f,
      '<meta property="og:type" content="website">',
      `${menu}<h1 class="page-title">Category: Texts</h1>${[1, 2, 3, 4, 5, 6].map((n) => `<div class="card"><h3><a href="/p${String(n)}">A text of ours, number ${String(n)}</a></h3><span class="card__author">${n % 2 === 0 ? 'Jane Miller' : 'Tom Baker'}</span> <span class="card__date">${shown(f, 'medium', new Date(f.date.getTime() - n * 86_400_000))}</span><p>${(f.paragraphs[n] ?? '').slice(0, 120)}</p></div>`).join('')}`,
      `Texts - ${f.site}`,
    ),
  }),
  'contact and opening hours': (f) => ({
    ...none,
    html: page(
      f,
      `<meta name="author" content="${f.site}"><meta property="article:modified_time" content="${at(f.changed, '+00:00')}"><meta property="og:type" content="article">`,
      `${menu}<h1>Contact</h1><p>Open from 09:00 to 17:00.</p><p>Closed on 24 December 2026.</p>${text(f, 2)}`,
      `Contact - ${f.site}`,
    ),
  }),
  'terms of use': (f) => ({
    ...none,
    html: page(
      f,
      '',
      `${menu}<h1>Terms of use</h1>${text(f)}<p>These terms are those of ${f.site}, P.O. Box 12-03-20.</p>`,
      `Terms - ${f.site}`,
    ),
  }),
};
