/** The HTML of a page, as a site's template would write it. */
import { linksOf, type Plan } from './plan.ts';
import { randomFrom, type Random } from './random.ts';
import type { Page, Resource } from './site.ts';
import { isDisallowed } from './wrinkles.ts';
import { madeUpName, phrase, sentencesIn, type Language } from './words.ts';

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text: string): string => text.replace(/[&<>"]/g, (sign) => escapes[sign] ?? sign);

const style = `<style>body{font:16px/1.5 sans-serif;margin:0 auto;max-width:60rem}nav a{margin-right:1rem}
.card{border:1px solid #ddd;padding:.5rem}footer{color:#777}</style>`;
const script = `<script>document.documentElement.className+=' js';if(1<2&&window.top!==window){console.log('<a href="/never">framed</a>')}</script>`;

/** Ends in a name and a number that no other page of the site has: else the set of words of long pages would be one. */
const titleOf = (plan: Plan, page: Page): string =>
  `${phrase(randomFrom(plan.options.seed, page.site.index, page.index, 6), page.language, 4)} ${madeUpName(page.index)} ${String(page.index)}`;

function folderOf(path: string): string {
  const end = path.indexOf('?');
  const bare = end < 0 ? path : path.slice(0, end);
  return bare.slice(0, bare.lastIndexOf('/') + 1);
}

/**
 * The same resource under another spelling: each must end as one and the same page. Not for disallowed paths, since a
 * parameter takes a URL out of a rule that ends in `$`.
 */
function varied(random: Random, path: string): string {
  switch (random.below(12)) {
    case 0:
      return `${path}#part-${String(random.below(9))}`;
    case 1:
      return `${path}${path.includes('?') ? '&' : '?'}utm_source=feed&utm_campaign=c${String(random.below(9))}`;
    case 2: {
      const [bare, query] = path.split('?');
      return query === undefined ? path : `${bare ?? ''}?${query.split('&').reverse().join('&')}`;
    }
    default:
      return path;
  }
}

/** A link's href: absolute, without scheme, from the root, or from the folder where that is possible. */
function hrefTo(plan: Plan, from: Page, to: Resource, random: Random): string {
  const vary = plan.options.wrinkles > 0 && to.kind === 'page' && !isDisallowed(to.path);
  const path = vary ? varied(random, to.path) : to.path;
  const authority = to.site.origin.slice('http:'.length);
  const form = random.below(10);
  if (to.site !== from.site) return form < 2 ? authority + path : to.site.origin + path;
  if (form === 0) return to.site.origin + path;
  const folder = folderOf(from.path);
  if (!from.rooted && path.startsWith(folder) && path.length > folder.length) {
    const rest = path.slice(folder.length);
    return form < 5 ? `./${rest}` : /^[a-z0-9]/.test(rest) ? rest : path;
  }
  return path;
}

function paragraphs(random: Random, language: Language, bytes: number): string {
  const bank = sentencesIn(language);
  let html = '';
  while (html.length < bytes) {
    html += '<p>';
    for (let n = 2 + random.below(4); n > 0; n--) html += random.pick(bank) + ' ';
    html += '</p>\n';
    if (random.chance(0.1)) html += `<h2>${escape(phrase(random, language, 3))}</h2>\n`;
  }
  return html;
}

/** UTF-8 HTML of about `bytes` bytes (never much less). The same bytes for a page and its copy. */
export function renderPage(plan: Plan, page: Page): Buffer {
  if (page.copyOf !== null) return renderPage(plan, page.copyOf);
  const random = randomFrom(plan.options.seed, page.site.index, page.index, 7);
  const { language } = page;
  const title = escape(titleOf(plan, page));
  const description = escape(random.pick(sentencesIn(language)));
  const anchors = linksOf(plan, page).map(({ to, rel }) => {
    const href = escape(hrefTo(plan, page, to, random));
    const mark = rel === 'follow' ? '' : ` rel="${rel === 'ugc' ? 'noopener ugc' : rel}"`;
    return `<a href="${href}"${mark}>${escape(phrase(random, language, 2))}</a>`;
  });
  const navigation = anchors.splice(0, Math.ceil(anchors.length / 4));
  const head = `<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="description" content="${description}">
${page.nofollow === 'meta' ? '<meta name="robots" content="nofollow">\n' : ''}${style}
${script}
</head>
<body>
<nav>${navigation.join('\n')}</nav>
<main>
<h1>${title}</h1>
`;
  const foot = `</main>
<footer>&copy; ${escape(phrase(random, language, 2))}</footer>
</body>
</html>
`;
  const linkBytes = anchors.reduce((sum, anchor) => sum + anchor.length + 35, 0);
  const room = Math.max(0, plan.options.bytes - head.length - foot.length - linkBytes);
  const parts = anchors.length + 1;
  let body = paragraphs(random, language, room / parts);
  for (const anchor of anchors) {
    const left = plan.options.bytes - head.length - foot.length - body.length - linkBytes / 2;
    body += `<div class="card"><p>${anchor}</p></div>\n`;
    if (left > 0) body += paragraphs(random, language, Math.min(left, room / parts) * 0.6);
  }
  const left = plan.options.bytes - head.length - foot.length - body.length;
  if (left > 0) body += paragraphs(random, language, left);
  return Buffer.from(head + body + foot);
}
