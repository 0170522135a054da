/**
 * What limits leave out of a crawl where no URL of the frontier tells of it. Whoever cuts says how much, and it is stored
 * with the URL at which it was cut; a crawl's sums are kept by a trigger (migration 0032), so that no limit is silent.
 */

/** By kind, one and many of what was left out. */
const cutPhrases = {
  /** Of a page, beyond `maxLinksPerPage`. */
  links: ['link over the limit of a page', 'links over the limit of a page'],
  /** Links and entries of sitemaps that are longer than any URL of a crawl. */
  longUrls: ['link that is too long', 'links that are too long'],
  /** Links, redirects and entries of sitemaps that are not within the crawl's scope. */
  outside: ['link out of the crawl', 'links out of the crawl'],
  /** Links that their page asks not to follow. */
  nofollow: ['nofollow link', 'nofollow links'],
  text: ['character of text', 'characters of text'],
  title: ['character of a title', 'characters of titles'],
  description: ['character of a description', 'characters of descriptions'],
  /** Of one sitemap. */
  sitemapEntries: ['sitemap entry over the limit', 'sitemap entries over the limit'],
  /** Sitemaps that were read up to the largest size, or until they broke off; what follows is not known. */
  sitemapBytes: ['sitemap too large to be read whole', 'sitemaps too large to be read whole'],
  brokenSitemaps: ['sitemap that breaks off', 'sitemaps that break off'],
  /** That one sitemap names beyond those a host may have. */
  sitemaps: ['sitemap over the limit of a host', 'sitemaps over the limit of a host'],
  robotsSitemaps: ['Sitemap line of a robots.txt', 'Sitemap lines of robots.txt files'],
  robotsText: ['robots.txt too long to be read whole', 'robots.txt files too long to be read whole'],
} as const;
export type CutKind = keyof typeof cutPhrases;
export const cutKinds = Object.keys(cutPhrases) as CutKind[];

/** Such as `1,300 links over the limit of a page`. */
export const cutPhrase = (kind: CutKind, amount: number): string =>
  `${amount.toLocaleString('en-US')} ${cutPhrases[kind][amount === 1 ? 0 : 1]}`;

/** How much was left out at one place; what is not named was whole. */
export type Cut = Readonly<Partial<Record<CutKind, number>>>;

/** In the order of the kinds. */
export const cutPhrasesOf = (cut: Cut): string[] =>
  cutKinds.flatMap((kind) => (cut[kind] === undefined ? [] : [cutPhrase(kind, cut[kind])]));

/** Those by which a page of the crawl may never have been met. */
export const linkCuts: readonly CutKind[] = [
  'links',
  'sitemapEntries',
  'sitemapBytes',
  'brokenSitemaps',
  'sitemaps',
];

/** All of them together, without what is nothing. */
export function cutBy(...cuts: readonly Cut[]): Cut {
  const sums = new Map<string, number>();
  for (const [kind, amount] of cuts.flatMap((cut) => Object.entries(cut))) {
    if (amount > 0) sums.set(kind, (sums.get(kind) ?? 0) + amount);
  }
  return Object.fromEntries(sums);
}
