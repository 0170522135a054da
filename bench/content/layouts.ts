/** Pages built around a known text: layouts as they are met on the web, with and without names that tell. */

interface Story {
  readonly title: string;
  readonly paragraphs: readonly string[];
  /** Words for menus and teasers, in the language of the story. */
  readonly words: readonly string[];
}

type Layout = (story: Story) => string;

const pick = (words: readonly string[], from: number, count: number): string =>
  Array.from({ length: count }, (_, n) => words[(from * 7 + n) % words.length] ?? '').join(' ');
const menu = ({ words }: Story, entries = 14): string =>
  `<ul>${Array.from({ length: entries }, (_, n) => `<li><a href="/m${String(n)}">${pick(words, n, 2)}</a></li>`).join('')}</ul>`;
const teasers = ({ words }: Story, count = 5): string =>
  Array.from(
    { length: count },
    (_, n) =>
      `<div><h3><a href="/t${String(n)}">${pick(words, n, 6)}</a></h3><p>${pick(words, n + 20, 18)}…</p></div>`,
  ).join('');
const text = ({ paragraphs }: Story): string => paragraphs.map((line) => `<p>${line}</p>`).join('\n');
const comments = ({ words }: Story, count = 6): string =>
  Array.from(
    { length: count },
    (_, n) => `<div><b>user${String(n)}</b><p>${pick(words, n + 40, 30)}.</p></div>`,
  ).join('');
const halves = ({ paragraphs }: Story): readonly [string, string] => {
  const middle = paragraphs.length >> 1;
  const part = (lines: readonly string[]): string => lines.map((line) => `<p>${line}</p>`).join('\n');
  return [part(paragraphs.slice(0, middle)), part(paragraphs.slice(middle))];
};
const legal = (story: Story): string => `<p>© 2024 ${pick(story.words, 3, 25)}.</p>${menu(story, 8)}`;

export const layouts: Readonly<Record<string, Layout>> = {
  html5: (s) =>
    `<header>${menu(s)}</header><main><article>${text(s)}</article></main><aside>${teasers(s)}</aside><footer>${legal(s)}</footer>`,
  'divs with names': (s) =>
    `<div id="header">${menu(s)}</div><div id="content"><div class="post">${text(s)}</div></div><div id="sidebar">${teasers(s)}</div><div id="footer">${legal(s)}</div>`,
  'divs without names': (s) =>
    `<div><div>${menu(s)}</div><div><div>${text(s)}</div><div>${menu(s)}</div></div><div>${legal(s)}</div></div>`,
  'hashed names': (s) =>
    `<div class="css-1x2"><div class="css-9a">${menu(s)}</div><div class="css-77b"><div class="css-3">${text(s)}</div></div><div class="css-zz">${teasers(s)}</div></div>`,
  'table layout': (s) =>
    `<table width=100%><tr><td colspan=3>${menu(s)}</td></tr><tr><td width=150>${menu(s)}</td><td>${text(s)}</td><td>${menu(s)}</td></tr><tr><td colspan=3>${legal(s)}</td></tr></table>`,
  'line breaks': (s) =>
    `<div class=nav>${menu(s)}</div><div class=main>${s.paragraphs.join('<br><br>')}</div><div class=foot>${legal(s)}</div>`,
  'comments below': (s) =>
    `<div id=page><div class=entry-content>${text(s)}</div><section id=comments>${comments(s, 12)}</section></div>`,
  'share and related inside': (s) => {
    const [first, second] = halves(s);
    return `<article><div class="share"><a href=/f>Facebook</a> <a href=/x>X</a></div>${first}<div class="related"><h4>See also</h4>${menu(s, 4)}</div>${second}<div class=tags>${menu(s, 5)}</div></article>`;
  },
  'advertisements inside': (s) => {
    const [first, second] = halves(s);
    return `<div class=story>${first}<div class="ad-slot">${pick(s.words, 9, 14)} <a href=/buy>${pick(s.words, 4, 3)}</a></div>${second}</div><div class=promo>${teasers(s)}</div>`;
  },
  'cookie banner first': (s) =>
    `<div class="cookie-consent" role="dialog"><p>${pick(s.words, 1, 60)}.</p><button>OK</button></div><div>${menu(s)}</div><div class=body>${text(s)}</div>`,
  'names that mislead': (s) =>
    `<body class="has-sidebar menu-open comment-off"><div class="sidebar-layout">${menu(s)}<div class="x">${text(s)}</div></div></body>`,
  'a paragraph in each box': (s) =>
    `<div class=wrap>${menu(s)}<div class=col>${s.paragraphs.map((line) => `<div class=block><div><p>${line}</p></div></div>`).join('')}</div><div class=col2>${teasers(s, 3)}</div></div>`,
  'text in divs': (s) =>
    `<div>${menu(s)}</div><div class=reader>${s.paragraphs.map((line) => `<div>${line}</div>`).join('')}</div><div>${legal(s)}</div>`,
  'many teasers': (s) =>
    `<div class=top>${teasers(s, 10)}</div><div class="article-body">${text(s)}</div><div class=more-stories>${teasers(s, 15)}</div>`,
  'role and aria': (s) =>
    `<div role=banner>${menu(s)}</div><div role=navigation>${menu(s)}</div><div role=main>${text(s)}</div><div role=complementary>${teasers(s)}</div><div role=contentinfo>${legal(s)}</div>`,
  'unclosed everything': (s) =>
    `<div class=menu>${menu(s).replaceAll('</li>', '').replaceAll('</a>', '')}</div><div class=content>${s.paragraphs.map((line) => `<p>${line}`).join('')}<div class=footer>${legal(s)}`,
  wiki: (s) =>
    `<div id=mw-panel>${menu(s, 30)}</div><div id=content><div id=bodyContent><div id=toc>${menu(s, 6)}</div>${text(s).replaceAll('. ', '. <a href=/w>see</a> ')}</div></div><div id=footer>${legal(s)}</div>`,
  'forum answer': (s) =>
    `<div id=question>${text(s)}</div><div class="comments">${comments(s)}</div><div id=sidebar>${menu(s, 20)}</div>`,
  'newsletter inside': (s) => {
    const [first, second] = halves(s);
    return `<main>${first}<form class="newsletter"><label>${pick(s.words, 2, 12)}</label><input></form>${second}</main>`;
  },
  'nested ten deep': (s) => `${menu(s)}${'<div>'.repeat(10)}${text(s)}${'</div>'.repeat(10)}${legal(s)}`,
};

export function renderLayout(layout: Layout, story: Story): string {
  return `<!doctype html><html><head><title>${story.title}</title></head><body>${layout(story)}</body></html>`;
}
