/** Shops, public offices, pages of site builders, and pages of lists, tables and few words. */
import type { Template, Writer } from './writer.ts';

const top = (w: Writer, names = 'site-header'): string => `<div class="${names}">${w.menu()}</div>`;
const bottom = (w: Writer): string => `<div class="site-footer"><p>${w.prose(2)}</p>${w.menu(8)}</div>`;

export const sites: Readonly<Record<string, Template>> = {
  'product, Shopify': (w) =>
    w.page(
      `<div id="shopify-section-header" class="shopify-section">${w.menu()}</div><main id="MainContent" class="content-for-layout"><section class="shopify-section section"><div class="page-width"><div class="product product--medium"><div class="product__media-wrapper"><ul>${w.each(5, () => '<li><img src=/p></li>')}</ul></div><div class="product__info-wrapper"><div class="product__info-container"><div class="product__title"><h1>${w.title}</h1></div><div class="price">$49.00</div><form><button>Add to cart</button></form><div class="product__description rte">${w.p(2)}<ul>${w.each(6, () => `<li>${w.say(w.prose(1))}</li>`)}</ul></div><div class="product__accordion accordion"><details><summary><h2>${w.say(w.words(2))}</h2></summary><div class="accordion__content rte">${w.p(1)}</div></details></div></div></div></div></div></section><section class="shopify-section"><div class="related-products"><h2>You may also like</h2><ul class="product-grid">${w.each(6, () => `<li><div class="card"><h3>${w.link(4)}</h3><span>$20.00</span></div></li>`)}</ul></div></section></main><footer>${w.menu(9)}</footer>`,
    ),
  'product, WooCommerce': (w) =>
    w.page(
      `${top(w)}<div id="primary" class="content-area"><main id="main" class="site-main"><div id="product-7" class="product type-product"><div class="summary entry-summary"><h1 class="product_title entry-title">${w.title}</h1><p class="price">€ 30</p><div class="woocommerce-product-details__short-description">${w.p(1, 2)}</div><div class="product_meta"><span class="sku_wrapper">SKU: 12</span> ${w.link()}</div></div><div class="woocommerce-tabs wc-tabs-wrapper"><ul class="tabs wc-tabs" role="tablist"><li><a href="#tab-d">Description</a></li><li><a href="#tab-r">Reviews</a></li></ul><div class="woocommerce-Tabs-panel panel entry-content wc-tab" id="tab-description" role="tabpanel">${w.p(4, 2)}</div></div><section class="related products"><h2>Related products</h2><ul class="products">${w.each(4, () => `<li class="product">${w.link(4)} <span class="price">€ 10</span></li>`)}</ul></section></div></main></div>${bottom(w)}`,
    ),
  'office on ASP.NET, the page is a form': (w) =>
    w.page(
      `<form id="aspnetForm" method="post"><div id="s4-workspace"><div id="s4-bodyContainer"><div class="topnav">${w.menu()}</div><div class="contentwrapper"><div class="ms-rtestate-field"><h1>${w.title}</h1><div class="ExternalClass">${w.p(5, 3)}<ul>${w.each(5, () => `<li>${w.say(w.prose(1))}</li>`)}</ul>${w.p(1)}</div></div></div><div class="fuss">${w.menu(6)}<p>${w.prose(1)}</p></div></div></div></form>`,
    ),
  'office with a consent banner and accordions': (w) =>
    w.page(
      `<div class="cookie-banner" role="region"><h2>Cookies</h2><p>${w.prose(3)}</p></div>${top(w, 'kopfbereich')}<div class="inhalt"><nav class="breadcrumb">${w.menu(3)}</nav><div class="text"><h1>${w.title}</h1>${w.p(2)}<div class="accordion">${w.each(5, () => `<div class="accordion-item"><h3 class="accordion-header">${w.say(w.words(4))}</h3><div class="accordion-collapse collapse"><div class="accordion-body">${w.p(w.between(1, 2), 2)}</div></div></div>`)}</div></div><div class="kontakt"><p>${w.prose(1)}</p></div></div>${bottom(w)}`,
    ),
  'government service in steps': (w) =>
    w.page(
      `<div class="govuk-width-container"><header class="govuk-header">${w.menu(3)}</header><main class="govuk-main-wrapper" id="content"><div class="govuk-grid-row"><div class="govuk-grid-column-two-thirds"><h1 class="govuk-heading-xl">${w.title}</h1></div></div><div class="govuk-grid-row"><div class="govuk-grid-column-two-thirds"><aside class="part-navigation-container">${w.menu(5)}</aside><div class="gem-c-govspeak govuk-govspeak"><p>${w.line(2)}</p><h2>${w.say(w.words(3))}</h2>${w.p(2, 2)}<ul>${w.each(6, () => `<li>${w.say(w.words(6))}</li>`)}</ul><div class="call-to-action"><p>${w.line(1)}</p></div>${w.p(2)}</div></div><div class="govuk-grid-column-one-third"><div class="gem-c-contextual-sidebar"><h2>Related content</h2>${w.menu(5)}</div></div></div></main></div>`,
    ),
  'Wix, boxes and spans': (w) =>
    w.page(
      `<div id="SITE_CONTAINER"><div id="SITE_HEADER">${w.menu(6)}</div><div id="PAGES_CONTAINER"><div id="masterPage">${w.each(5, (n) => `<section id="comp-k${String(n)}" class="wixui-section"><div data-mesh-id="comp-k${String(n)}inlineContent"><div id="comp-h${String(n)}" class="HcOXKn wixui-rich-text" data-testid="richTextElement"><h2 class="font_2"><span>${w.say(w.words(4))}</span></h2></div><div id="comp-t${String(n)}" class="HcOXKn wixui-rich-text" data-testid="richTextElement">${w.each(w.between(1, 2), () => `<p class="font_8"><span style="x">${w.line(3)}</span></p>`)}</div><div id="comp-b${String(n)}"><a href="/b">${w.words(2)}</a></div></div></section>`)}</div></div><div id="SITE_FOOTER"><p>${w.prose(1)}</p></div></div>`,
    ),
  Squarespace: (w) =>
    w.page(
      `<div id="siteWrapper"><header id="header">${w.menu(5)}</header><main id="page"><article class="sections" id="sections">${w.each(4, () => `<section class="page-section"><div class="content-wrapper"><div class="content"><div class="sqs-layout"><div class="row sqs-row"><div class="col sqs-col-6"><div class="sqs-block html-block sqs-block-html"><div class="sqs-block-content"><h3>${w.say(w.words(3))}</h3>${w.p(1, 3)}</div></div></div><div class="col sqs-col-6"><div class="sqs-block html-block"><div class="sqs-block-content">${w.p(1, 3)}</div></div></div></div></div></div></div></section>`)}</article></main><footer id="footer-sections"><div class="sqs-block"><p>${w.prose(2)}</p></div></footer></div>`,
    ),
  'very short page': (w) =>
    w.page(
      `<div class="cookie-notice"><p>${w.prose(3)}</p></div>${top(w)}<div class="main"><h1>${w.title}</h1><p>${w.line(1)}</p></div>${bottom(w)}`,
    ),
  'short page, nameless': (w) =>
    w.page(
      `<div>${w.menu()}</div><div><h1>${w.title}</h1><p>${w.line(2)}</p><p>${w.line(1)}</p></div><div><p>${w.words(12)}</p>${w.menu(8)}</div>`,
    ),
  'list of entries': (w) =>
    w.page(
      `${top(w)}<main><h1>${w.title}</h1><p>${w.line(2)}</p><ul class="entries">${w.each(20, () => `<li>${w.say(`${w.words(3)}: ${w.sentence()}`)}</li>`)}</ul></main>${bottom(w)}`,
    ),
  'list of links with remarks': (w) =>
    w.page(
      `<div class="header">${w.menu()}</div><div class="readme"><h1>${w.title}</h1><p>${w.line(2)}</p>${w.each(
        4,
        () =>
          `<h2>${w.say(w.words(2))}</h2><ul>${w.each(6, () => {
            const [name, rest] = [w.words(2), w.sentence()];
            return w.say(`${name} - ${rest}`).replace(name, `<li><a href="/l">${name}</a>`) + '</li>';
          })}</ul>`,
      )}</div>${bottom(w)}`,
    ),
  'table of data': (w) =>
    w.page(
      `${top(w)}<div id="content"><h1>${w.title}</h1><p>${w.line(2)}</p><table class="data"><tr>${w.each(4, () => `<th>${w.say(w.words(1))}</th>`)}</tr>${w.each(25, () => `<tr>${w.each(4, () => `<td>${w.say(w.below(2) === 0 ? String(w.below(10_000)) : w.words(2))}</td>`)}</tr>`)}</table></div>${bottom(w)}`,
    ),
  'questions that are often asked': (w) =>
    w.page(
      `${top(w)}<section class="faq"><h1>${w.title}</h1>${w.each(9, () => `<details class="faq__item"><summary>${w.say(`${w.words(7)}?`)}</summary><div class="faq__answer"><p>${w.line(2)}</p></div></details>`)}</section><section class="contact-us"><p>${w.prose(1)}</p></section>${bottom(w)}`,
    ),
  'job offer, terms and details': (w) =>
    w.page(
      `${top(w)}<div class="job"><h1>${w.title}</h1><dl>${w.each(5, () => `<dt>${w.say(w.words(1))}</dt><dd>${w.say(w.words(3))}</dd>`)}</dl><div class="job-description">${w.p(2)}<h3>${w.say(w.words(2))}</h3><ul>${w.each(7, () => `<li>${w.say(w.prose(1))}</li>`)}</ul>${w.p(1)}</div><div class="apply">${w.link(2)}</div></div><div class="similar-jobs"><h2>${w.words(2)}</h2>${w.each(6, () => `<div class="job-card"><h3>${w.link(4)}</h3><p>${w.prose(1)}</p></div>`)}</div>${bottom(w)}`,
    ),
  'text right in the body': (w) =>
    w.page(
      `<h1>${w.title}</h1><p>${w.each(6, () => w.link(1), ' | ')}</p>${w.p(6)}<hr><p>${w.each(6, () => w.link(1), ' | ')}</p>`,
    ),
  'shop of a company, boxes of few words': (w) =>
    w.page(
      `${top(w, 'navbar')}<div class="hero"><h1>${w.say(w.words(4))}</h1><p>${w.say(w.words(12))}</p></div><div class="features row">${w.each(6, () => `<div class="col-md-4"><h3>${w.say(w.words(3))}</h3><p>${w.line(1)}</p></div>`)}</div><div class="about"><h2>${w.say(w.words(2))}</h2>${w.p(2)}</div>${bottom(w)}`,
    ),
};
