/** News, in ten languages. */
import {
  at,
  day,
  label,
  ld,
  menu,
  pad,
  page,
  people,
  shown,
  slashed,
  slug,
  text,
  type Ways,
} from './parts.ts';

export const news: Ways = {
  'news, data in UTC and the day before shown': (f) => {
    const utc = new Date(f.date.getTime() + 86_400_000).toISOString().replace(/T.*/, 'T03:12:00.000Z');
    return {
      authors: f.authors,
      url: `https://${f.host}/story/${slug(f)}`,
      html: page(
        f,
        `<meta property="og:type" content="article"><meta property="og:site_name" content="${f.site}">${ld({ '@type': 'NewsArticle', headline: f.headline, datePublished: utc, dateModified: utc, author: f.authors.map((name) => ({ '@type': 'Person', name })), publisher: { '@type': 'NewsMediaOrganization', name: f.site } })}`,
        `<div data-component="header"><h1>${f.headline}</h1><div class="css-1kx"><span>${label(f)} <span class="css-99">${people(f)}</span></span></div><time datetime="${utc}">${shown(f)}</time></div><div>${text(f)}</div>`,
      ),
    };
  },
  'news, folders of days and paragraphs': (f) => ({
    authors: f.authors,
    url: `https://${f.host}/politics/${slashed(f.date)}/${slug(f)}.html`,
    html: page(
      f,
      `<meta property="og:type" content="article">`,
      `${menu}<h1>${f.headline}</h1><p class="byline">${label(f)} ${people(f)}</p>${text(f)}`,
    ),
  }),
  'news, offset': (f) => ({
    authors: f.authors,
    html: page(
      f,
      `<meta name="date" content="${at(f.date, '-05:00')}"><meta name="author" content="${f.authors.join(', ')}"><meta property="og:site_name" content="${f.site}">`,
      `<article><h1>${f.headline}</h1><div class="article-byline"><span class="author">${label(f)} ${people(f)}, Staff Writers</span><span class="timestamp">${shown(f)} 10:41 PM EST</span></div>${text(f)}</article>`,
      `${f.headline} | ${f.site}`,
    ),
  }),
  'news, byline in capitals and a dateline': (f) => ({
    authors: f.authors.slice(0, 1),
    html: page(
      f,
      '',
      `<div class="story"><h1 class="headline">${f.headline}</h1><div class="byline"><p>BY ${(f.authors[0] ?? '').toUpperCase()}</p><p>SENIOR CORRESPONDENT</p></div><div class="pubdate">Published ${shown(f)} | Updated ${shown(f, 'long', f.changed)}</div>${text(f)}</div>`,
      `${f.headline} — ${f.site}`,
    ),
  }),
  'news, Unix time': (f) => ({
    authors: [],
    html: page(
      f,
      '',
      `<div class="story"><h1>${f.headline}</h1><span class="js-timestamp date" data-timestamp="${String(f.date.getTime() / 1000)}"></span>${text(f)}</div>`,
      `${f.headline} — ${f.site}`,
    ),
  }),
  'news, weekday beside numbers': (f) => ({
    authors: [],
    html: page(
      f,
      '',
      `<div class="story"><h1>${f.headline}</h1><p class="info">${new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(f.date)}, ${String(f.date.getUTCMonth() + 1)}/${String(f.date.getUTCDate())}/${String(f.date.getUTCFullYear())}</p>${text(f)}</div>`,
      `${f.headline} — ${f.site}`,
    ),
  }),
  'press release': (f) => ({
    authors: [],
    html: page(
      f,
      `<meta property="og:type" content="article"><meta name="author" content="${f.site}">`,
      `${menu}<h1>${f.headline}</h1><div class="body"><p><b>BERLIN, ${shown(f)} /${f.site}/</b> -- ${f.paragraphs[0] ?? ''}</p>${text(f)}</div>`,
    ),
  }),
  'German newspaper': (f) => ({
    authors: f.authors.slice(0, 1),
    html: page(
      { ...f, language: 'de' },
      `<meta name="author" content="${f.authors[0] ?? ''}, ${f.site}">`,
      `<header><h2><span class="kicker">Politik</span> <span>${f.headline}</span></h2></header><div class="article-info">Ein Artikel von <a href="/impressum/autor-x">${f.authors[0] ?? ''}</a><br><time datetime="${day(f.date)} 14:03:11">${pad(f.date.getUTCDate())}.${pad(f.date.getUTCMonth() + 1)}.${String(f.date.getUTCFullYear())}, 14.03 Uhr</time></div>${text(f)}`,
      `${f.headline} - ${f.site}`,
    ),
  }),
  'Typo3 news': (f) => ({
    authors: f.authors.slice(0, 1),
    html: page(
      { ...f, language: 'de' },
      '<meta name="generator" content="TYPO3 CMS">',
      `${menu}<div class="news news-single"><div class="article"><div class="header"><h1 itemprop="headline">${f.headline}</h1></div><div class="footer-meta"><span class="news-list-date"><time itemprop="datePublished" datetime="${day(f.date)}">${pad(f.date.getUTCDate())}.${pad(f.date.getUTCMonth() + 1)}.${String(f.date.getUTCFullYear())}</time></span> <span class="news-list-author">Von ${f.authors[0] ?? ''}</span></div>${text(f)}</div></div>`,
    ),
  }),
  Joomla: (f) => ({
    authors: f.authors.slice(0, 1),
    html: page(
      f,
      `<meta name="author" content="${f.authors[0] ?? ''}"><meta name="generator" content="Joomla!">`,
      `${menu}<div class="item-page"><h2 itemprop="headline">${f.headline}</h2><dl class="article-info muted"><dt class="article-info-term">Details</dt><dd class="createdby">Written by ${f.authors[0] ?? ''}</dd><dd class="published"><time datetime="${at(f.date, '+00:00')}">Published: ${shown(f)}</time></dd><dd class="hits">Hits: 4711</dd></dl>${text(f)}</div>`,
      f.headline,
    ),
  }),
  'news of Korea': (f) => ({
    authors: [],
    html: page(
      { ...f, language: 'ko' },
      '',
      `<div class="article_head"><h3 class="tit_view">${f.headline}</h3><span class="txt_info">입력 <span class="num_date">${String(f.date.getUTCFullYear())}. ${String(f.date.getUTCMonth() + 1)}. ${String(f.date.getUTCDate())}. 09:12</span></span></div><section>${text(f)}</section>`,
    ),
  }),
  'news of Iran': (f) => ({
    authors: [],
    html: page(
      { ...f, language: 'fa' },
      '',
      `<div class="item-header"><h1>${f.headline}</h1><div class="item-date">${new Intl.DateTimeFormat('fa-IR', { dateStyle: 'long', timeZone: 'UTC' }).format(f.date)} - ۱۰:۱۲</div></div><div>${text(f)}</div>`,
    ),
  }),
  'news of Thailand': (f) => ({
    authors: [],
    html: page(
      { ...f, language: 'th' },
      '',
      `<h1>${f.headline}</h1><p class="date">${new Intl.DateTimeFormat('th-TH', { dateStyle: 'medium', timeZone: 'UTC' }).format(f.date)} 10:12 น.</p>${text(f)}`,
    ),
  }),
  'news of Egypt': (f) => ({
    authors: [],
    html: page(
      { ...f, language: 'ar' },
      '',
      `<h1>${f.headline}</h1><div class="newsStoryDate">${new Intl.DateTimeFormat('ar-EG', { dateStyle: 'full', timeZone: 'UTC' }).format(f.date)}</div>${text(f)}`,
    ),
  }),
  'Norwegian paper': (f) => ({
    authors: f.authors.slice(0, 1),
    html: page(
      { ...f, language: 'nb' },
      '',
      `<article><h1>${f.headline}</h1><div class="article__byline"><div class="byline__name">${f.authors[0] ?? ''}</div><div class="byline__title">Journalist</div></div><div class="dateline">Publisert ${shown({ ...f, language: 'nb' })} kl. 09:12</div>${text(f)}</article>`,
    ),
  }),
};
