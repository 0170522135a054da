/** News: papers and agencies, with what stands in and around their texts. */
import type { Template, Writer } from './writer.ts';

const teasers = (w: Writer, count: number): string =>
  w.each(
    count,
    () =>
      `<div class="card"><a href="/n"><h3>${w.words(8)}</h3></a><p>${w.prose(2)}</p><span>3 hours ago</span></div>`,
  );
const ld = (type: string, parts: Readonly<Record<string, unknown>>): string =>
  `<script type="application/ld+json">${JSON.stringify({ '@context': 'https://schema.org', '@type': type, ...parts })}</script>`;

export const news: Readonly<Record<string, Template>> = {
  'a box for each paragraph': (w) =>
    w.page(
      `<header>${w.menu()}</header><main id="main-content"><article class="ssrcss-1"><header><h1 id="main-heading">${w.title}</h1></header><div data-component="byline-block"><div class="ssrcss-b">By ${w.name()}<div>BBC News</div></div></div>${w.each(11, (n) => `<div data-component="text-block" class="ssrcss-11r1m41-RichTextComponentWrapper"><div class="ssrcss-7uxr49"><p class="ssrcss-1q0x1qg-Paragraph">${w.line(w.between(1, 3))}</p></div></div>${n % 4 === 2 ? `<div data-component="image-block"><figure><img src=/i><figcaption>Image caption, ${w.words(8)}</figcaption></figure></div>` : ''}`)}<section data-component="links-block"><h2>More on this story</h2><ul>${w.each(4, () => `<li>${w.link(7)}</li>`)}</ul></section></article></main><section><h2>Top stories</h2>${teasers(w, 8)}</section>`,
    ),
  'text in two sections with advertisements': (w) =>
    w.page(
      `<div class="layout"><div class="header">${w.menu()}</div><div class="layout__main"><div class="headline"><h1>${w.title}</h1></div><section class="zn-body-text"><div class="l-container"><div class="zn-body__paragraph">${w.line()}</div><div class="zn-body__paragraph">${w.line()}</div><div class="zn-body__paragraph">${w.line()}</div></div></section><div class="ad"><p>Advertisement</p></div><section class="zn-rail"><h3>Read more</h3>${w.menu(4)}</section><section class="zn-body-text"><div class="l-container"><div class="zn-body__read-all">${w.each(6, () => `<div class="zn-body__paragraph">${w.line()}</div>`)}</div></div></section></div><div class="layout__rail">${teasers(w, 6)}</div></div>`,
    ),
  'short report, many teasers': (w) =>
    w.page(
      `<div class="nav">${w.menu(20)}</div><div class="wrap"><div class="col-a"><h1>${w.title}</h1><div class="txt">${w.p(3, 2)}</div></div><div class="col-b"><h2>${w.words(2)}</h2>${teasers(w, 14)}</div></div><div class="foot"><p>${w.prose(3)}</p></div>`,
    ),
  'promotion and related inside': (w) =>
    w.page(
      `<header>${w.menu()}</header><article class="article"><h1>${w.title}</h1><p class="standfirst">${w.line(1)}</p><div class="article__body">${w.p(2)}<p>Advertisement</p><div class="inline-promo"><p><a href="/p">${w.words(9)}</a></p></div>${w.p(2)}<p><strong><a href="/more">READ MORE: ${w.words(8)}</a></strong></p>${w.p(2)}<div class="inline-newsletter"><h3>${w.words(4)}</h3><p>${w.prose(2)}</p></div>${w.p(2)}<div class="article__tags">${w.menu(5)}</div></div><div class="article__author-bio"><p>${w.prose(2)}</p></div><div class="article__related"><h3>Related</h3>${teasers(w, 4)}</div></article>`,
      ld('NewsArticle', { headline: w.words(8), author: { '@type': 'Person', name: w.name() } }),
    ),
  'a gallery, captions longer than the text': (w) =>
    w.page(
      `<div class="header">${w.menu()}</div><div class="gallery-page"><h1>${w.title}</h1><div class="gallery-intro">${w.p(4, 3)}</div><div class="slideshow">${w.each(16, (n) => `<div class="slide"><figure><img src="/${String(n)}.jpg"><figcaption><div class="caption-text">${w.prose(3)}</div><span class="credit">Photo: ${w.name()}</span></figcaption></figure></div>`)}</div></div><div class="footer"><p>${w.prose(2)}</p></div>`,
    ),
  'a hidden second copy as one block': (w) => {
    const lines = Array.from({ length: 7 }, () => w.line());
    return w.page(
      `<div class="hd">${w.menu()}</div><div class="story"><h1>${w.title}</h1><div class="story-text">${lines.map((line) => `<p>${line}</p>`).join('')}</div></div><div class="print-copy" style="display:none">${lines.join(' ')}</div><div class="ft">${w.prose(2)}</div>`,
    );
  },
  'a second copy for small screens': (w) => {
    const lines = Array.from({ length: 7 }, () => w.line());
    const copy = lines.map((line) => `<p>${line}</p>`).join('');
    return w.page(
      `<div class="hd">${w.menu()}</div><div class="desktop-view"><h1>${w.title}</h1><div class="d">${copy}</div></div><div class="mobile-view"><div class="m">${copy}</div></div><div class="ft">${w.prose(2)}</div>`,
    );
  },
  'comments of readers above the count of words': (w) =>
    w.page(
      `<header>${w.menu()}</header><div class="article-comments-page"><div class="article-wrap"><h1>${w.title}</h1><div class="lead">${w.line(2)}</div><div class="bodytext">${w.p(5, 3)}</div></div><section class="leserkommentare"><h2>60 Kommentare</h2>${w.each(60, () => `<div class="posting"><div class="posting-head"><span>${w.name()}</span><time datetime="2020-03-02">2. März 2020</time></div><div class="posting-text"><p>${w.prose(3)}</p></div><a href="#">Antworten</a> <a href="#">Melden</a></div>`)}</section></div>`,
    ),
  'article data and a wrong <main>': (w) => {
    const lines = Array.from({ length: 6 }, () => w.line());
    return w.page(
      `<header>${w.menu()}</header><div class="pane"><h1>${w.title}</h1><div class="rte">${lines.map((line) => `<p>${line}</p>`).join('')}</div></div><main><h2>${w.words(3)}</h2>${teasers(w, 12)}</main>`,
      ld('NewsArticle', { headline: w.words(7), articleBody: lines.join('\n\n') }) +
        `<meta property="og:type" content="article"><meta name="description" content="${(lines[0] ?? '').slice(0, 150)}">`,
    );
  },
  'description begins as the text': (w) => {
    const lines = Array.from({ length: 4 }, () => w.line(2));
    return w.page(
      `<div class="p1">${w.menu()}</div><div class="p2"><div class="p3"><div class="q">${lines.map((line) => `<div class="r">${line}</div>`).join('')}</div></div><div class="p4">${w.each(9, () => `<div class="s"><h4>${w.words(5)}</h4><p>${w.prose(3)}</p></div>`)}</div></div>`,
      `<meta name="description" content="${(lines[0] ?? '').slice(0, 155)}">`,
    );
  },
  'live ticker': (w) =>
    w.page(
      `<header>${w.menu()}</header><main><h1>${w.title}</h1><p class="intro">${w.line(2)}</p><div class="liveblog">${w.each(14, (n) => `<div class="liveblog-entry" id="e${String(n)}"><time>${String(9 + n)}:15</time><h3>${w.say(w.words(5))}</h3>${w.p(w.between(1, 2), 2)}<div class="share"><a href="/f">Facebook</a></div></div>`)}</div></main><aside>${teasers(w, 4)}</aside>`,
    ),
  'old table layout': (w) =>
    w.page(
      `<table width="100%"><tr><td colspan="3"><img src="/logo.gif"></td></tr><tr><td width="150" valign="top">${w.each(18, () => `<a href="/m"><font size="2">${w.words(2)}</font></a><br>`)}</td><td valign="top"><font size="4"><b>${w.title}</b></font><br><br><font face="Verdana" size="2">${w.each(8, () => w.line(), '<br><br>')}</font></td><td width="160">${w.each(5, () => `<p><font size="1"><b>${w.words(3)}</b><br>${w.prose(2)}</font></p>`)}</td></tr></table><center><font size="1">${w.prose(1)}</font></center>`,
    ),
  'a teaser of the paywall names': (w) =>
    w.page(
      `<div class="site subscribe-wall"><div class="login-state">${w.menu()}</div><div class="article-paywall modal-host"><h1>${w.title}</h1><div class="content-gate"><div class="premium-text">${w.p(6, 3)}</div></div></div><div class="subscribe-box"><p>${w.prose(3)}</p></div></div>`,
    ),
  'review with verdict and specifications': (w) =>
    w.page(
      `<div id="nav">${w.menu()}</div><div id="content-area"><article><h1>${w.title}</h1><div class="rev-body">${w.p(3)}<h2>${w.say(w.words(3))}</h2>${w.p(2)}<table><tbody>${w.each(8, () => `<tr><th>${w.say(w.words(2))}</th><td>${w.say(w.words(3))}</td></tr>`)}</tbody></table><h2>${w.say('Verdict')}</h2>${w.p(2)}</div></article></div><div id="side">${teasers(w, 5)}</div>`,
    ),
};
