/** What makes a well-behaved host worth a crawler's care: each has a reason to be fetched once, or never. */
import type { WebOptions } from './options.ts';
import { patientDelay } from './misfits.ts';
import { randomFrom, type Random } from './random.ts';
import {
  addPage,
  addResource,
  type Missing,
  type Page,
  type Redirect,
  type Resource,
  type Site,
  type Sitemap,
} from './site.ts';

/** Prefixes and patterns of robots.txt; `robotsFor` writes them, `isDisallowed` knows the paths made under them. */
const robotsRules = [
  'Disallow: /private/',
  'Allow: /private/open/',
  'Disallow: /search?',
  'Disallow: /*.pdf$',
];

/** True for the paths this web makes under its own Disallow lines. No matcher: it knows only what wrinkles create. */
export function isDisallowed(path: string): boolean {
  if (path.startsWith('/private/')) return !path.startsWith('/private/open/');
  return path.startsWith('/search?') || path.endsWith('.pdf');
}

export function robotsFor(options: WebOptions, site: Site): string {
  const lines = ['# Rules of this host', 'User-agent: some-other-robot', 'Disallow: /', '', 'User-agent: *'];
  lines.push(...robotsRules);
  const crawlDelay = site.misfit === 'patient' ? patientDelay : options.crawlDelay;
  if (crawlDelay !== null) lines.push(`Crawl-delay: ${String(crawlDelay)}`);
  if (options.sitemap) lines.push('', `Sitemap: ${site.origin}/sitemap.xml`);
  return lines.join('\n') + '\n';
}

function addRedirect(site: Site, path: string, to: Resource | null, random: Random): Redirect {
  const index = site.resources.length;
  const redirect: Redirect = {
    kind: 'redirect',
    site,
    path,
    index,
    status: random.pick([301, 302, 307, 308] as const),
    to,
  };
  addResource(redirect);
  return redirect;
}

function addMissing(site: Site, path: string, status: Missing['status']): Missing {
  const missing: Missing = { kind: 'missing', site, path, index: site.resources.length, status };
  addResource(missing);
  return missing;
}

function addSitemap(options: WebOptions, site: Site): void {
  const sitemap: Sitemap = {
    kind: 'sitemap',
    site,
    path: '/sitemap.xml',
    index: site.resources.length,
    lists: site.pages.filter((page) => page.index % 2 === 0),
  };
  addResource(sitemap);
  for (let n = 0; n < Math.max(1, options.wrinkles); n++) {
    sitemap.lists.push(addPage(options, site, `/listed/only-in-the-sitemap-${String(n)}.html`));
  }
}

/** One of each per round; `host` is where they live, `other` the host that cross-host redirects lead to. */
function addRound(options: WebOptions, host: Site, other: Site, n: number, random: Random): void {
  const number = String(n);
  const from = (): Page => random.pick(host.pages);
  const link = (to: Resource, rel: 'follow' | 'nofollow' | 'ugc' | 'sponsored' = 'follow'): void => {
    from().fixed.push({ to, rel });
  };
  const page = (path: string): Page => addPage(options, host, path);

  for (const rel of ['nofollow', 'ugc', 'sponsored'] as const) {
    link(page(`/unendorsed/${rel}-${number}.html`), rel);
    link(random.pick(host.pages), rel);
  }
  const hushed = addPage(options, host, `/hushed/page-${number}.html`, {
    nofollow: random.pick(['meta', 'header'] as const),
  });
  hushed.fixed.push({ to: page(`/hidden/behind-${number}.html`), rel: 'follow' });
  link(hushed);

  link(page(`/private/ledger-${number}.html`));
  link(page(`/private/open/notice-${number}.html`));
  link(page(`/search?q=word-${number}`));
  link(page(`/files/report-${number}.pdf`));

  link(addMissing(host, `/lost/page-${number}.html`, n % 2 === 0 ? 404 : 410));

  link(addRedirect(host, `/moved/seen-${number}`, random.pick(host.pages), random));
  link(addRedirect(host, `/moved/only-${number}`, page(`/arrived/only-${number}.html`), random));
  link(addRedirect(host, `/moved/away-${number}`, random.pick(other.pages), random));
  link(
    addRedirect(
      host,
      `/moved/far-${number}`,
      addPage(options, other, `/arrived/from-${String(host.index)}-${number}.html`),
      random,
    ),
  );
  link(addRedirect(host, `/moved/barred-${number}`, page(`/private/target-${number}.html`), random));
  link(
    addRedirect(host, `/moved/lost-${number}`, addMissing(host, `/lost/target-${number}.html`, 404), random),
  );

  const last = addRedirect(host, `/chain/${number}/3`, page(`/arrived/chain-${number}.html`), random);
  const middle = addRedirect(other, `/chain/${String(host.index)}-${number}/2`, last, random);
  link(addRedirect(host, `/chain/${number}/1`, middle, random));

  const forth = addRedirect(host, `/loop/${number}/a`, null, random);
  forth.to = addRedirect(host, `/loop/${number}/b`, forth, random);
  link(forth);
  link(addRedirect(host, `/loop/${number}/self`, null, random));

  const original = random.pick(host.pages);
  original.rooted = true;
  link(addPage(options, host, `/print/copy-${number}.html`, { copyOf: original }));
}

/** Adds `options.wrinkles` rounds to each site, and its sitemap where the options ask for one. */
export function addWrinkles(options: WebOptions, sites: readonly Site[]): void {
  for (const site of sites) {
    const random = randomFrom(options.seed, site.index, 5);
    const other = sites[(site.index + 1) % sites.length] ?? site;
    for (let n = 0; n < options.wrinkles; n++) addRound(options, site, other, n, random);
    if (options.sitemap) addSitemap(options, site);
  }
}
