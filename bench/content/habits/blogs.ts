/** Programs for blogs and small sites. */
import {
  at,
  comments,
  day,
  ld,
  menu,
  pad,
  page,
  recent,
  shown,
  slug,
  text,
  yoast,
  type Ways,
} from './parts.ts';

export const blogs: Ways = {
  'WordPress with Yoast, block theme': (f) => {
    const url = `https://${f.host}/${slug(f)}/`;
    return {
      url,
      authors: f.authors.slice(0, 1),
      html: page(
        f,
        `<meta property="og:type" content="article"><meta property="og:site_name" content="${f.site}"><meta property="og:title" content="${f.headline}"><meta property="article:published_time" content="${at(f.date, '+00:00')}"><meta property="article:modified_time" content="${at(f.changed, '+00:00')}"><meta name="author" content="${f.authors[0] ?? ''}"><meta name="twitter:label1" content="Written by"><meta name="twitter:data1" content="${f.authors[0] ?? ''}">${yoast(f, url, 'Article')}`,
        `<header class="wp-block-template-part"><p class="wp-block-site-title">${f.site}</p></header><main class="wp-block-group"><h1 class="wp-block-post-title">${f.headline}</h1><div class="wp-block-post-author-name"><a href="https://${f.host}/author/x/">${f.authors[0] ?? ''}</a></div><div class="wp-block-post-date"><time datetime="${at(f.date, '+00:00')}">${shown(f)}</time></div><div class="entry-content">${text(f)}</div>${comments(f)}</main>`,
      ),
    };
  },
  'WordPress twentyten, no data': (f) => ({
    authors: f.authors.slice(0, 1),
    html: page(
      f,
      '',
      `<div id="header"><h1 id="site-title">${f.site}</h1></div>${menu}<div id="content" class="hentry"><h1 class="entry-title">${f.headline}</h1><div class="entry-meta"><span class="meta-prep meta-prep-author">Posted on</span> <a href="/p" title="10:41 pm" rel="bookmark"><span class="entry-date">${shown(f)}</span></a> <span class="meta-sep">by</span> <span class="author vcard"><a class="url fn n" href="/author/x" title="View all posts by ${f.authors[0] ?? ''}">${f.authors[0] ?? ''}</a></span></div><div class="entry-content">${text(f)}</div><div class="entry-utility">This entry was posted in <a>Texts</a>.</div></div>${comments(f)}${recent(f)}`,
    ),
  }),
  'WordPress Divi, line of details': (f) => ({
    authors: f.authors.slice(0, 1),
    html: page(
      f,
      '',
      `${menu}<div id="left-area"><article class="et_pb_post"><div class="et_post_meta_wrapper"><h1 class="entry-title">${f.headline}</h1><p class="post-meta"> by <span class="author vcard"><a href="/author/x/" rel="author">${f.authors[0] ?? ''}</a></span> | <span class="published">${shown(f, 'medium')}</span> | <a rel="category tag">Texts</a> | <span class="comments-number"><a>0 comments</a></span></p></div><div class="entry-content">${text(f)}</div></article></div>${recent(f)}`,
    ),
  }),
  'WordPress Newspaper': (f) => ({
    authors: f.authors.slice(0, 1),
    html: page(
      f,
      `<meta property="og:type" content="article"><meta property="og:site_name" content="${f.site}">`,
      `<div class="td-header-menu-wrap"><div class="td_data_time">Friday, November 27, 2026</div></div><article class="post type-post"><header class="td-post-title"><h1 class="entry-title">${f.headline}</h1><div class="td-module-meta-info"><div class="td-post-author-name"><div class="td-author-by">By</div> <a href="/author/x">${f.authors[0] ?? ''}</a><div class="td-author-line"> - </div></div><span class="td-post-date"><time class="entry-date updated td-module-date" datetime="${at(f.date, '+00:00')}">${shown(f)}</time></span><div class="td-post-views"><span>1042</span></div></div></header><div class="td-post-content">${text(f)}</div></article>${comments(f)}`,
    ),
  }),
  'WordPress Genesis with Elementor info': (f) => ({
    authors: f.authors.slice(0, 1),
    html: page(
      f,
      '',
      `${menu}<div class="elementor"><div class="elementor-widget elementor-widget-theme-post-title"><h1 class="elementor-heading-title">${f.headline}</h1></div><div class="elementor-widget elementor-widget-post-info"><ul class="elementor-inline-items elementor-icon-list-items elementor-post-info"><li class="elementor-icon-list-item" itemprop="author"><a href="/author/x/"><span class="elementor-icon-list-text elementor-post-info__item elementor-post-info__item--type-author">${f.authors[0] ?? ''}</span></a></li><li itemprop="datePublished"><a><span class="elementor-post-info__item--type-date"><time>${shown(f)}</time></span></a></li></ul></div><div class="elementor-widget-theme-post-content">${text(f)}</div></div>`,
    ),
  }),
  'WordPress, admin wrote it': (f) => {
    const url = `https://${f.host}/${slug(f)}/`;
    return {
      url,
      authors: [],
      html: page(
        f,
        `<meta property="og:type" content="article"><meta property="article:published_time" content="${at(f.date, '+00:00')}"><meta name="author" content="admin">${yoast(f, url, 'BlogPosting', 'admin')}`,
        `<article><h1 class="entry-title">${f.headline}</h1><div class="entry-meta">${shown(f)} by <a rel="author" href="/author/admin">admin</a></div>${text(f)}</article>`,
      ),
    };
  },
  'WordPress, the firm wrote it': (f) => {
    const url = `https://${f.host}/${slug(f)}/`;
    return {
      url,
      authors: [],
      html: page(
        f,
        `<meta property="og:type" content="article"><meta property="og:site_name" content="${f.site}"><meta property="article:published_time" content="${at(f.date, '+00:00')}"><meta name="author" content="${f.site}">${yoast(f, url, 'BlogPosting', f.site)}`,
        `<article><h1 class="entry-title">${f.headline}</h1>${text(f)}</article>`,
      ),
    };
  },
  'Drupal 7': (f) => ({
    authors: f.authors.slice(0, 1),
    html: page(
      f,
      '',
      `${menu}<div id="content"><h1 class="title" id="page-title">${f.headline}</h1><div class="node node-article"><div class="meta submitted">Submitted by <span rel="sioc:has_creator"><span class="username" property="foaf:name">${f.authors[0] ?? ''}</span></span> on <span property="dc:date dc:created" content="${at(f.date, '+01:00')}" datatype="xsd:dateTime">${shown(f)} - 22:41</span></div><div class="content">${text(f)}</div></div></div>`,
      `${f.headline} | ${f.site}`,
    ),
  }),
  'Drupal 10, fields': (f) => ({
    authors: f.authors.slice(0, 2),
    html: page(
      f,
      '',
      `${menu}<main><h1 class="page-header"><span>${f.headline}</span></h1><div class="field field--name-field-author field--type-entity-reference">${f.authors
        .slice(0, 2)
        .map((name) => `<div class="field__item"><a href="/people/x">${name}</a></div>`)
        .join(
          '',
        )}</div><div class="field field--name-field-date field--type-datetime field--label-hidden field__item"><time datetime="${day(f.date)}T12:00:00Z">${shown(f)}</time></div><div class="field field--name-body">${text(f)}</div></main>`,
      `${f.headline} | ${f.site}`,
    ),
  }),
  Ghost: (f) => ({
    authors: f.authors,
    html: page(
      f,
      `<meta property="og:type" content="article"><meta property="og:site_name" content="${f.site}"><meta property="article:published_time" content="${f.date.toISOString()}">${ld({ '@type': 'Article', publisher: { '@type': 'Organization', name: f.site }, author: { '@type': 'Person', name: f.authors[0] }, contributor: f.authors.slice(1).map((name) => ({ '@type': 'Person', name })), headline: f.headline, datePublished: f.date.toISOString() })}`,
      `<article class="gh-article post"><header class="gh-article-header"><h1 class="gh-article-title">${f.headline}</h1><div class="gh-article-meta"><h4 class="gh-article-author-name">${f.authors.map((name) => `<a href="/author/${name.toLowerCase().replaceAll(' ', '-')}/">${name}</a>`).join(', ')}</h4><div class="gh-article-meta-content"><time class="gh-article-meta-date" datetime="${day(f.date)}">${shown(f, 'medium')}</time> <span>4 min read</span></div></div></header>${text(f)}</article>`,
      f.headline,
    ),
  }),
  'Medium, hashed classes': (f) => ({
    authors: f.authors.slice(0, 1),
    url: `https://${f.host}/${slug(f)}-3f2a91bc77d0`,
    html: page(
      f,
      `<meta property="og:type" content="article"><meta property="og:site_name" content="${f.site}"><meta property="article:published_time" content="${f.date.toISOString()}"><meta name="author" content="${f.authors[0] ?? ''}"><meta property="article:author" content="https://${f.host}/@x">`,
      `<article><div class="ab ac"><h1 class="pw-post-title fr fs">${f.headline}</h1><div class="ae q"><a href="/@x" rel="noopener follow" class="af ag">${f.authors[0] ?? ''}</a><span class="bd b"><a>Follow</a></span><div class="ah ai"><span>4 min read</span><span>·</span><span data-testid="storyPublishDate">${shown(f, 'medium')}</span></div></div>${text(f)}</div></article>`,
      `${f.headline} | by ${f.authors[0] ?? ''} | ${f.site}`,
    ),
  }),
  Blogger: (f) => ({
    authors: f.authors.slice(0, 1),
    url: `https://${f.host}/${String(f.date.getUTCFullYear())}/${pad(f.date.getUTCMonth() + 1)}/${slug(f)}.html`,
    html: page(
      f,
      '',
      `<div class="header"><h1 class="title">${f.site}</h1></div><div class="blog-posts hfeed"><div class="date-outer"><h2 class="date-header"><span>${shown(f, 'full')}</span></h2><div class="post hentry"><h3 class="post-title entry-title">${f.headline}</h3><div class="post-body entry-content">${text(f)}</div><div class="post-footer"><span class="post-author vcard">Posted by <span class="fn">${f.authors[0] ?? ''}</span></span> <span class="post-timestamp">at <abbr class="published" title="${at(f.date, '-08:00')}">10:41 PM</abbr></span></div></div></div></div><div class="comments" id="comments"><h4>2 comments:</h4><dl><dt class="comment-author"><a rel="nofollow">Tom</a> said...</dt></dl></div>`,
      `${f.site}: ${f.headline}`,
    ),
  }),
  Substack: (f) => ({
    authors: f.authors.slice(0, 1),
    html: page(
      f,
      `<meta name="author" content="${f.authors[0] ?? ''}"><meta property="og:type" content="article">${ld({ '@type': 'NewsArticle', headline: f.headline, datePublished: at(f.date, '+00:00'), author: [{ '@type': 'Person', name: f.authors[0] }], publisher: { '@type': 'Organization', name: f.site } })}`,
      `<div class="single-post"><h1 class="post-title">${f.headline}</h1><div class="byline-wrapper"><div class="profile-hover"><a href="https://substack.com/@x">${f.authors[0] ?? ''}</a></div><div class="pencraft">${shown(f, 'medium')}</div></div>${text(f)}</div>`,
    ),
  }),
};
