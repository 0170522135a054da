/**
 * What limits cut from a crawl without leaving a row in the frontier. The code that cuts counts the amount, which is
 * stored with the URL where it was cut. A trigger keeps the sums of each crawl (storage/migrations/0007_frontier.sql),
 * so that no limit is silent.
 */
import { counted, grouped } from './counted.ts';

/** By kind: words for one and for many things that were cut. */
const cutPhrases = {
  /** Links of a page beyond `maxLinksPerPage`. */
  links: ['link over the limit of a page', 'links over the limit of a page'],
  /** Links, sitemap entries and addresses of files that are longer than any URL of a crawl may be. */
  longUrls: ['link that is too long', 'links that are too long'],
  /** Links, redirects and sitemap entries outside the crawl's scope. */
  outside: ['link out of the crawl', 'links out of the crawl'],
  /** Seeds whose redirects end outside the scope: at a login, where the crawl may not go, or past the places that seeds may bring. */
  seeds: ['seed that leads out of the crawl', 'seeds that lead out of the crawl'],
  /** Links that their page asks us not to follow. */
  nofollow: ['nofollow link', 'nofollow links'],
  /** Links of pages in a crawl that takes pages from sitemaps only. */
  unlisted: ['link that is not followed', 'links that are not followed'],
  /** Of the fields Link and Refresh of answers, beyond 4,096 each. */
  linkFields: ['character of a Link field', 'characters of Link fields'],
  /** Style sheets, scripts, pictures and the like that a page needs, beyond those that are fetched for one page. */
  requisites: ['file of a page over the limit of a page', 'files of pages over the limit of a page'],
  /** What a page asked for while it was rendered, or was made of it, beyond what rendering may take (domain/rendering/limits.ts). */
  renderedFiles: ['file of a rendered page over the limit', 'files of rendered pages over the limit'],
  text: ['character of text', 'characters of text'],
  title: ['character of a title', 'characters of titles'],
  description: ['character of a description', 'characters of descriptions'],
  /** Headings, properties, items and the like, beyond what is stored with a page. */
  meta: ['piece of metadata', 'pieces of metadata'],
  /** Pages that say hardly anything as they are (page-need.ts). */
  emptyShells: [
    'page that is an empty shell and needs a browser (JavaScript)',
    'pages that are empty shells and need a browser (JavaScript)',
  ],
  loginForms: ['page that is a login form', 'pages that are login forms'],
  /** Documents such as PDF that have no text, because reading them passed a limit, or because they are damaged or locked. */
  documentsTooLarge: ['document too large to be read', 'documents too large to be read'],
  documentsTooSlow: ['document that takes too long to read', 'documents that take too long to read'],
  documentsTooMuchMemory: [
    'document that takes too much memory to read',
    'documents that take too much memory to read',
  ],
  brokenDocuments: ['damaged document', 'damaged documents'],
  lockedDocuments: ['document that wants a password', 'documents that want a password'],
  /** Pages of a document beyond those that are read. */
  documentPages: ['page of a document', 'pages of documents'],
  /** Values that the rules of a crawl find in a page: those without room, or shortened; those that are not of their type. */
  fields: ['value of a field without room', 'values of fields without room'],
  fieldsUnread: [
    'value that is not of the type of its field',
    'values that are not of the type of their field',
  ],
  /** Pages that were read without the rules of their crawl, because applying the rules passed a limit or failed. */
  rulesTooSlow: ['page on which the rules take too long', 'pages on which the rules take too long'],
  rulesTooMuchMemory: [
    'page on which the rules take too much memory',
    'pages on which the rules take too much memory',
  ],
  brokenRules: ['page on which the rules fail', 'pages on which the rules fail'],
  /** Texts that are left out of an answer, because reading the body again passed a limit. They are part of no sum. */
  textUnread: ['text that takes too much to be read again', 'texts that take too much to be read again'],
  /** Entries of one sitemap over the limit. */
  sitemapEntries: ['sitemap entry over the limit', 'sitemap entries over the limit'],
  /** Sitemaps read only up to the size limit, or until they broke off; how many entries followed is not known. */
  sitemapBytes: ['sitemap too large to be read whole', 'sitemaps too large to be read whole'],
  brokenSitemaps: ['sitemap that breaks off', 'sitemaps that break off'],
  /** Sitemaps that a sitemap names beyond those a host may have. */
  sitemaps: ['sitemap over the limit of a host', 'sitemaps over the limit of a host'],
  robotsSitemaps: ['Sitemap line of a robots.txt', 'Sitemap lines of robots.txt files'],
  robotsText: ['robots.txt too long to be read whole', 'robots.txt files too long to be read whole'],
} as const;
export type CutKind = keyof typeof cutPhrases;
export const cutKinds = Object.keys(cutPhrases) as CutKind[];

/** Such as `1,300 links over the limit of a page`. */
export const cutPhrase = (kind: CutKind, amount: number): string =>
  `${amount.toLocaleString('en-US')} ${cutPhrases[kind][amount === 1 ? 0 : 1]}`;

/** How much was cut at one place; of a kind that is absent, nothing was cut. */
export type Cut = Readonly<Partial<Record<CutKind, number>>>;

/** In the order of the kinds. */
export const cutPhrasesOf = (cut: Cut): string[] =>
  cutKinds.flatMap((kind) => (cut[kind] === undefined ? [] : [cutPhrase(kind, cut[kind])]));

/** Kinds of cuts that may have hidden a page from the crawl. */
export const linkCuts: readonly CutKind[] = [
  'links',
  'sitemapEntries',
  'sitemapBytes',
  'brokenSitemaps',
  'sitemaps',
];

/** Kinds of cuts of documents that have no text. */
export const unreadCuts: readonly CutKind[] = [
  'documentsTooLarge',
  'documentsTooSlow',
  'documentsTooMuchMemory',
  'brokenDocuments',
  'lockedDocuments',
];

/** Files that pages need are counted so far, so that a look at a crawl costs little. */
export const mostNeeded = 10_000;

/** Kinds of cuts of pages whose body says hardly anything as it is. */
const needCuts = {
  emptyShells: ['is an empty shell that needs', 'are empty shells that need', ' a browser (JavaScript)'],
  loginForms: ['is a login form', 'are login forms', ''],
} as const;

/** Share of a crawl's pages from which on it is worth a sentence that they say hardly anything. */
const tellsFrom = 0.1;

/** Such as `12 of 14 pages are login forms`, for each kind that many pages are. @param pages that the crawl has fetched */
export const needPhrases = (
  pages: number,
  cut: Readonly<Partial<Record<CutKind, { readonly places: number }>>>,
): string[] =>
  (['emptyShells', 'loginForms'] as const).flatMap((kind) => {
    const count = cut[kind]?.places ?? 0;
    if (count === 0 || count < pages * tellsFrom) return [];
    const [one, many, end] = needCuts[kind];
    return [`${grouped(count)} of ${counted(pages, 'page')} ${count === 1 ? one : many}${end}`];
  });

/** Kinds of cuts of pages that were read without the rules of their crawl. */
export const unruledCuts: readonly CutKind[] = ['rulesTooSlow', 'rulesTooMuchMemory', 'brokenRules'];

/** The sum of several cuts, without kinds of which nothing was cut. */
export function cutBy(...cuts: readonly Cut[]): Cut {
  const sums = new Map<string, number>();
  for (const [kind, amount] of cuts.flatMap((cut) => Object.entries(cut))) {
    if (amount > 0) sums.set(kind, (sums.get(kind) ?? 0) + amount);
  }
  return Object.fromEntries(sums);
}
