/** Handbooks, wikis and the pages of Drupal. */
import type { Template } from './writer.ts';

export const manuals: Readonly<Record<string, Template>> = {
  MediaWiki: (w) =>
    w.page(
      `<div class="mw-page-container"><div class="vector-header">${w.menu(5)}</div><div id="mw-panel">${w.menu(25)}</div><div id="content" class="mw-body" role="main"><h1 id="firstHeading">${w.title}</h1><div id="bodyContent"><div id="siteSub">From Wikipedia, the free encyclopedia</div><div id="mw-content-text" class="mw-body-content"><div class="mw-parser-output">${w.p(2).replaceAll(', ', ', <a href="/w">').replaceAll('.</p>', '</a>.</p>')}<div id="toc" class="toc" role="navigation"><h2>Contents</h2>${w.menu(6)}</div>${w.each(4, () => `<h2><span class="mw-headline">${w.say(w.words(3))}</span><span class="mw-editsection">[<a href="/e">edit</a>]</span></h2>${w.p(2)}`)}<table class="navbox"><tr><td>${w.each(30, () => w.link(2), ' · ')}</td></tr></table></div></div><div id="catlinks" class="catlinks">Categories: ${w.each(5, () => w.link(2), ' | ')}</div></div></div><div id="footer"><p>${w.prose(2)}</p></div></div>`,
    ),
  'Drupal 7 with comments': (w) =>
    w.page(
      `<div id="page"><div id="header">${w.menu()}</div><div id="main"><div id="content" class="column"><div class="region region-content"><div id="block-system-main" class="block block-system"><div class="content"><div id="node-4" class="node node-article"><div class="submitted">Submitted by ${w.link(1)} on 3 March</div><div class="content"><div class="field field-name-body field-type-text-with-summary"><div class="field-items"><div class="field-item even">${w.p(5)}</div></div></div></div><div id="comments" class="comment-wrapper"><h2 class="title">Comments</h2>${w.each(30, () => `<div class="comment"><div class="submitted">${w.link(1)}</div><div class="content"><div class="field field-name-comment-body"><div class="field-items"><div class="field-item even"><p>${w.prose(4)}</p></div></div></div></div></div>`)}</div></div></div></div></div></div><div class="region region-sidebar-first"><div class="block"><p>${w.prose(3)}</p></div></div></div></div>`,
    ),
  'Drupal, sections in fields': (w) =>
    w.page(
      `<div class="dialog-off-canvas-main-canvas"><header>${w.menu()}</header><main role="main"><div class="layout-content"><div class="region region-content"><article class="node node--type-page"><div class="node__content">${w.each(7, (n) => `<div class="field field--name-field-paragraphs field__item"><div class="paragraph paragraph--type--${n % 3 === 2 ? 'banner' : 'text'} paragraph--view-mode--default"><div class="field field--name-field-title">${w.say(w.words(3))}</div><div class="clearfix text-formatted field field--name-field-text">${w.p(w.between(1, 2))}</div></div></div>`)}</div></article></div></div></main><footer>${w.prose(2)}</footer></div>`,
    ),
  'Sphinx, Read the Docs': (w) =>
    w.page(
      `<div class="wy-grid-for-nav"><nav class="wy-nav-side">${w.menu(20)}</nav><section class="wy-nav-content-wrap"><div class="wy-nav-content"><div class="rst-content"><div role="navigation" aria-label="breadcrumbs">${w.menu(2)}</div><div role="main" class="document" itemscope><div itemprop="articleBody"><section id="s"><h1>${w.title}<a class="headerlink" href="#s">¶</a></h1>${w.p(2)}<div class="admonition note"><p class="admonition-title">${w.say('Note')}</p><p>${w.line(1)}</p></div><div class="highlight-python notranslate"><div class="highlight"><pre>${w.say(`import x ${w.words(3)}`)}</pre></div></div>${w.each(3, () => `<section><h2>${w.say(w.words(2))}</h2>${w.p(1)}<dl class="py function"><dt class="sig">${w.say(`run(${w.words(1)})`)}</dt><dd><p>${w.line(1)}</p></dd></dl></section>`)}</section></div></div><footer><div class="rst-footer-buttons">${w.link()}</div></footer></div></div></section></div>`,
    ),
  Docusaurus: (w) =>
    w.page(
      `<div id="__docusaurus"><nav class="navbar">${w.menu(6)}</nav><div class="main-wrapper"><div class="docsWrapper_h"><aside class="theme-doc-sidebar-container">${w.menu(20)}</aside><main class="docMainContainer_T"><div class="container padding-top--md"><div class="row"><div class="col docItemCol_V"><div class="docItemContainer_D"><article><nav class="theme-doc-breadcrumbs">${w.menu(2)}</nav><div class="tocCollapsible_E theme-doc-toc-mobile"><button>On this page</button></div><div class="theme-doc-markdown markdown"><header><h1>${w.title}</h1></header>${w.p(2)}<h2>${w.say(w.words(2))}</h2>${w.p(1)}<div class="theme-admonition theme-admonition-tip alert"><div class="admonitionContent"><p>${w.line(1)}</p></div></div><ul>${w.each(4, () => `<li>${w.say(w.words(7))}</li>`)}</ul>${w.p(1)}</div></article><nav class="pagination-nav">${w.link()}${w.link()}</nav></div></div><div class="col col--3"><div class="tableOfContents_b">${w.menu(5)}</div></div></div></div></main></div></div><footer class="footer">${w.menu(9)}</footer></div>`,
    ),
  'man page': (w) =>
    w.page(
      `<div class="manual-text"><table class="head"><tr><td>LS(1)</td><td>Manual</td></tr></table>${w.each(5, () => `<section class="Sh"><h1 class="Sh">${w.say(w.words(2))}</h1>${w.p(1)}<dl class="Bl-tag">${w.each(4, () => `<dt>${w.say(`-${w.words(1)}`)}</dt><dd>${w.line(1)}</dd>`)}</dl></section>`)}</div>`,
    ),
  'handbook, a card for each paragraph': (w) =>
    w.page(
      `<div class="app"><div class="sidebar-left">${w.menu(15)}</div><div class="page-body"><div class="grid">${w.each(8, () => `<div class="cell"><div class="card"><div class="card-body"><h4 class="card-title">${w.say(w.words(3))}</h4><div class="card-text">${w.line(2)}</div></div></div></div>`)}</div></div></div>`,
    ),
};
