/**
 * Hints from the names that authors give to parts of a page (class, id, role, itemprop). Templates have shared these
 * words since the days of blogs, and every classifier of main text uses them.
 */

import { mountIds } from '../domain/page-need.ts';
import { ownCopy } from './own-copy.ts';

/** Bits. */
export const hints = {
  /** The words of what surrounds an article: sidebar, promo, share. */
  around: 1,
  /** The words of an article. */
  content: 2,
  /** Declared to be no content: navigation, hidden, a dialog. */
  outside: 4,
  /** Declared to be the content: role=main, itemprop=articleBody. */
  main: 8,
  /** What readers wrote below. */
  comments: 16,
  byline: 32,
  /** Client-side frameworks build the page in it. */
  mount: 64,
  /** It shows a date, and says which. */
  dated: 1 << 16,
  published: 1 << 17,
  modified: 1 << 18,
  /** It shows who wrote the page; with `named`, the name alone. */
  author: 1 << 19,
  named: 1 << 20,
} as const;

const roles: ReadonlyMap<string, number> = new Map([
  ...['navigation', 'menu', 'menubar', 'banner', 'contentinfo', 'complementary', 'search', 'dialog'].map(
    (role) => [role, hints.outside] as const,
  ),
  ...['alertdialog', 'alert', 'status', 'toolbar', 'tablist'].map((role) => [role, hints.outside] as const),
  ['main', hints.main],
  ['article', hints.content],
]);

const itemprops: ReadonlyMap<string, number> = new Map([
  ['articleBody', hints.main],
  ['author', hints.byline | hints.author | hints.named],
  ['datePublished', hints.dated | hints.published],
  ['dateCreated', hints.dated | hints.published],
  ['dateModified', hints.dated | hints.modified],
  ['breadcrumb', hints.outside],
]);

const words: readonly (readonly [RegExp, number])[] = [
  [
    /(?:^|[-_\s])(?:nav|navbar|navigation|navi|menu|breadcrumbs?|cookies?|gdpr|consent|modal|popup|overlay|sr-only|visually-hidden|screen-reader-text|noprint|headerlink|skip-?link|newsletter|subscribe|login|signup|toc|pagination|pager|print-?only)(?:$|[-_\s])/i,
    hints.outside,
  ],
  [
    /sidebar|side-bar|sidenav|banner|footer|masthead|outbrain|taboola|promo|related|recommend|slide-?show|carousel|playlist|transcript|caption|signature|post-?profile|user-?(?:info|profile)|more-?(?:stories|articles|news|from)|share|sharing|social|shoutbox|skyscraper|sponsor|shopping|(?<!elementor-)widget|advert|(?:^|[-_\s])(?:ads?|adsense|tags|tag-?(?:list|cloud)|rss|meta|contact|legends?|extra|copyright|teasers?|trending|popular|tools?|toolbar)(?:$|[-_\s])/i,
    hints.around,
  ],
  [
    /[ck]omm?ent|disqus|combx|replies|respond|(?:^|[-_\s])(?:remark|discussion|reactions)(?:$|[-_\s])/i,
    hints.comments,
  ],
  [
    /article|hentry|h-entry|story|(?:^|[-_\s])(?:body|content|main|entry|post|text|blog|page|answer|message)(?:$|[-_\s])|(?:post|entry|page|main|article|body|story|blog)-?(?:content|body|text)|post-?(?:bit|row)/i,
    hints.content,
  ],
  [
    /byline|(?:^|[-_\s])(?:author|dateline|writtenby|p-author|post-?meta|entry-?meta)(?:$|[-_\s])/i,
    hints.byline,
  ],
];

/** Names without any of these are those of no mark. */
const mayMark =
  /date|dat[ou]|fecha|time|publi|post|submit|creat|updat|modif|revis|edited|aktual|veröff|parution|author|autor|aut[eo]|byline|writ|journalist|reporter|redakt|forfatter|kirjo|contrib|meta|fn/i;
/** What shows when a page was written, and by whom. */
const marks: readonly (readonly [RegExp, number])[] = [
  [
    /(?:^|[-_\s])(?<!(?:event|start|end|due|valid|birth|current|expiry)[-_]*)(?:dates?|datum|fecha|datetime|timestamp|time|published|pubdate|posted|postedon|submitted|created|updated|modified|dateline|parution|veröffentlicht)(?=$|[-_\s])(?![-_]*(?:picker|select|filter|range|archive|icon|start|end|event))|[a-z](?:Date|Time|DateTime)(?:$|[-_\s])|(?:post|entry|article|publish|pub|news)(?:date|time)/,
    hints.dated,
  ],
  [
    /publi|pubdate|posted|post-?_*date|post-?_*time|entry-?_*date|submitted|created|article-?_*(?:date|time)|news-?_*date|veröffentlicht|parution/i,
    hints.published,
  ],
  [/modif|updat|revis|edited|aktualisi/i, hints.modified],
  [
    /(?:^|[-_\s])(?:authors?|autor(?:en|in|es)?|auteur|autore|byline|writer|journalist|reporter|redakteur|forfatter|kirjoittaja|contributor|p-author|post-?meta|entry-?meta)(?:$|[-_\s])|byline|(?:author|writer|autor)-?_*name|[a-z]Author(?:$|[-_\s])/i,
    hints.author,
  ],
  [
    /(?:author|autor|auteur|autore|byline|writer)[-_]*(?:name|link|nom|fn)|(?:^|[-_\s])(?:authors?|autor|p-author|fn)(?:$|\s)/i,
    hints.named,
  ],
];

/** Characters of a name that are looked at. */
const longestName = 200;
/** Sites use the same names on every page. */
const mostKnown = 5_000;
const known = new Map<string, number>();

/** What one attribute says; 0: nothing. */
export function hintsOf(attribute: string, value: string): number {
  switch (attribute) {
    case 'role':
      return roles.get(value.toLowerCase()) ?? 0;
    case 'itemprop':
      return itemprops.get(value) ?? 0;
    case 'hidden':
      return hints.outside;
    case 'id':
      return ofName(value) | (mountIds.has(value) ? hints.mount : 0);
    case 'class':
      return ofName(value);
    default:
      return 0;
  }
}

function ofName(name: string): number {
  const found = known.get(name);
  if (found !== undefined) return found;
  const head = name.slice(0, longestName);
  let told = 0;
  for (const [pattern, bit] of words) if (pattern.test(head)) told |= bit;
  if (mayMark.test(head)) for (const [pattern, bit] of marks) if (pattern.test(head)) told |= bit;
  if (name.length <= longestName) {
    if (known.size >= mostKnown) known.clear();
    known.set(ownCopy(name), told);
  }
  return told;
}

/** Is it an attribute that gives hints? Told from the source, without making a text of it. */
export function hintAttribute(source: string, start: number, end: number): string {
  switch (end - start) {
    case 2:
      return source.startsWith('id', start) ? 'id' : '';
    case 4:
      return source.startsWith('role', start) ? 'role' : '';
    case 5:
      return source.startsWith('class', start) ? 'class' : '';
    case 6:
      return source.startsWith('hidden', start) ? 'hidden' : '';
    case 8:
      return source.startsWith('itemprop', start) ? 'itemprop' : '';
    default:
      return '';
  }
}
