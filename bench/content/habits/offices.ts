/** Journals, public offices, forums, and pages made by hand. */
import { at, day, label, ld, menu, pad, page, shown, slashed, text, type Ways } from './parts.ts';

export const offices: Ways = {
  'journal with citation names': (f) => ({
    authors: f.authors,
    url: `https://${f.host}/index.php/j/article/view/4711`,
    html: page(
      f,
      `<meta name="citation_title" content="${f.headline}"><meta name="citation_journal_title" content="${f.site}">${f.authors.map((name) => `<meta name="citation_author" content="${name.split(' ').slice(-1)[0] ?? ''}, ${name.split(' ').slice(0, -1).join(' ')}"><meta name="citation_author_institution" content="University of Somewhere">`).join('')}<meta name="citation_date" content="${slashed(f.date)}"><meta name="DC.Date.issued" content="${day(f.date)}"><meta name="DC.Creator.PersonalName" content="x">`,
      `<article><h1>${f.headline}</h1><ul class="authors">${f.authors.map((name) => `<li><span class="name">${name}</span><span class="affiliation">University of Somewhere</span></li>`).join('')}</ul><section class="abstract">${text(f)}</section></article>`,
    ),
  }),
  'journal, dates of its steps': (f) => ({
    authors: f.authors,
    html: page(
      f,
      `<meta name="dc.creator" content="${f.authors.join('; ')}"><meta name="prism.publicationDate" content="${day(f.date)}">`,
      `<h1>${f.headline}</h1><ul class="c-article-author-list">${f.authors.map((name) => `<li class="c-article-author-list__item"><a data-test="author-name">${name}</a></li>`).join('')}</ul><ul><li>Received: 3 January 2019</li><li>Accepted: 9 April 2019</li><li>Published: <time datetime="${day(f.date)}">${shown(f)}</time></li></ul>${text(f)}`,
    ),
  }),
  'office of Britain': (f) => ({
    authors: [],
    html: page(
      f,
      `<meta name="govuk:first-published-at" content="${at(f.date, '+00:00')}"><meta name="govuk:updated-at" content="${at(f.changed, '+00:00')}">`,
      `<main><h1 class="gem-c-heading">${f.headline}</h1><div class="gem-c-metadata"><dl><dt>From:</dt><dd><a>${f.site}</a></dd><dt>Published</dt><dd>${shown({ ...f, language: 'en-GB' })}</dd><dt>Last updated</dt><dd>${shown({ ...f, language: 'en-GB' }, 'long', f.changed)}</dd></dl></div>${text(f)}</main>`,
    ),
  }),
  'office of Germany': (f) => ({
    authors: [],
    html: page(
      { ...f, language: 'de' },
      '<meta name="author" content="Referat L5">',
      `${menu}<h1>${f.headline}</h1><div class="article-meta"><span class="visuallyhidden">Typ:</span> Pressemitteilung, <span>Datum:</span> <span class="value">${pad(f.date.getUTCDate())}.${pad(f.date.getUTCMonth() + 1)}.${String(f.date.getUTCFullYear())}</span></div>${text(f)}`,
    ),
  }),
  'city of Japan': (f) => ({
    authors: [],
    html: page(
      { ...f, language: 'ja' },
      '',
      `${menu}<div id="contents"><h1>${f.headline}</h1><p class="update">公開日：${f.date.getUTCFullYear() > 2018 ? '令和' : '平成'}${String(f.date.getUTCFullYear() - (f.date.getUTCFullYear() > 2018 ? 2018 : 1988))}年${String(f.date.getUTCMonth() + 1)}月${String(f.date.getUTCDate())}日</p>${text(f)}</div>`,
    ),
  }),
  'office of China': (f) => ({
    authors: [],
    url: `https://${f.host}/zwgk/${String(f.date.getUTCFullYear())}${pad(f.date.getUTCMonth() + 1)}/content_12.htm`,
    html: page(
      { ...f, language: 'zh' },
      `<meta name="PubDate" content="${day(f.date)} 10:12">`,
      `<div class="main"><h1>${f.headline}</h1><div class="info"><span>发布时间：${day(f.date)} 10:12</span> <span>来源：${f.site}</span> <span>【字体：大 中 小】</span></div>${text(f)}</div>`,
    ),
  }),
  'municipality of Poland': (f) => ({
    authors: [],
    html: page(
      { ...f, language: 'pl' },
      '',
      `${menu}<h2>${f.headline}</h2><p>Opublikowano: ${shown({ ...f, language: 'pl' })}</p>${text(f)}<table><tr><td>Data wytworzenia:</td><td>2012-01-02</td></tr></table>`,
    ),
  }),
  'forum thread (phpBB)': (f) => ({
    authors: ['maxhill'],
    html: page(
      f,
      '',
      `<h2 class="topic-title"><a>${f.headline}</a></h2><div class="post bg2"><div class="postbody"><h3><a>${f.headline}</a></h3><p class="author"><span class="responsive-hide">by <strong><a class="username">maxhill</a></strong> » </span><time datetime="${at(f.date, '+00:00')}">${shown(f, 'medium')}, 10:41 pm</time></p><div class="content">${f.paragraphs[0] ?? ''}</div></div></div><div class="post bg1"><p class="author">by <strong><a class="username">tomjones</a></strong> » <time datetime="${at(f.changed, '+00:00')}">${shown(f, 'medium', f.changed)}</time></p><div class="content">${f.paragraphs[1] ?? ''}</div></div>`,
      `${f.headline} - ${f.site}`,
    ),
  }),
  recipe: (f) => ({
    authors: f.authors.slice(0, 1),
    html: page(
      f,
      `<meta property="og:site_name" content="${f.site}">${ld([{ '@type': ['Recipe'], name: f.headline, author: [{ '@type': 'Person', name: `${f.authors[0] ?? ''}, RDN` }], datePublished: at(f.date, '-05:00'), review: [{ '@type': 'Review', author: { name: 'Hungry Tom' }, datePublished: '2023-02-02' }] }])}`,
      `<h1>${f.headline}</h1><div class="mntl-bylines__item">By <a href="/author/x">${f.authors[0] ?? ''}</a> <span>Updated on ${shown(f, 'long', f.changed)}</span></div>${text(f)}<div class="comments"><span class="author">Hungry Tom</span></div>`,
    ),
  }),
  'plain page of an institute': (f) => ({
    authors: [],
    html: page(
      f,
      '',
      `<table><tr><td>${menu}</td><td><h1>${f.headline}</h1><font size="2">${shown(f)}</font>${text(f)}</td></tr></table>`,
    ),
  }),
  'text without a heading, date at its end': (f) => ({
    authors: f.authors.slice(0, 1),
    html: page(
      f,
      '',
      `<div>${text(f)}<p align="right">${label(f)} ${f.authors[0] ?? ''}<br>${shown(f)}</p></div>`,
      f.headline,
    ),
  }),
};
