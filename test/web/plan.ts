/**
 * What the synthetic web consists of: hosts, their resources, and who links to whom. Everything follows from the
 * options and the origins, so a process that knows both can say what a crawl has to fetch without asking the server.
 */
import { addTraps } from './misfits.ts';
import type { WebOptions } from './options.ts';
import { randomFrom } from './random.ts';
import { addPage, pagePath, type Link, type Page, type Resource, type Site } from './site.ts';
import { addShells } from './shells.ts';
import { addWrinkles } from './wrinkles.ts';

export interface Plan {
  readonly options: WebOptions;
  readonly sites: readonly Site[];
}

/** Pages of a misfit's host, traps apart. */
const misfitPages = 5;

/** A random tree over the host's pages: each page is linked from an earlier one that still has room. */
function growTree(options: WebOptions, site: Site, count: number): void {
  const random = randomFrom(options.seed, site.index, 3);
  const room = Math.max(1, Math.floor(options.links * 0.6));
  for (let number = 0; number < count; number++) {
    const page = addPage(options, site, pagePath(options, site.index, number));
    site.pages.push(page);
    if (number === 0) continue;
    let parent = site.pages[random.below(number)];
    if (parent === undefined || parent.fixed.length >= room) parent = site.pages[number - 1];
    parent?.fixed.push({ to: page, rel: 'follow' });
  }
}

/**
 * Links of a page: the fixed ones, then random ones to pages of well-behaved hosts until there are `links`. The same
 * for a page and its copy.
 */
export function linksOf(plan: Plan, page: Page): readonly Link[] {
  if (page.copyOf !== null) return linksOf(plan, page.copyOf);
  const { options, sites } = plan;
  const random = randomFrom(options.seed, page.site.index, page.index, 4);
  const links = [...page.fixed];
  const taken = new Set<Resource>(links.map((link) => link.to));
  taken.add(page);
  for (let tries = options.links * 2; links.length < options.links && tries > 0; tries--) {
    const away = options.hosts > 0 && random.chance(options.crossShare);
    const site = away ? sites[random.below(options.hosts)] : page.site;
    const to = site?.pages[random.below(site.pages.length)];
    if (to === undefined || taken.has(to)) continue;
    taken.add(to);
    links.push({ to, rel: 'follow' });
  }
  return links;
}

/** The web of these options on these origins, one for each well-behaved host and then for each misfit. */
export function planWeb(options: WebOptions, origins: readonly string[]): Plan {
  const sites = origins.map((origin, index): Site => ({
    index,
    origin,
    misfit: options.misfits[index - options.hosts] ?? null,
    resources: [],
    byPath: new Map(),
    pages: [],
  }));
  for (const site of sites) {
    growTree(options, site, site.misfit === null ? options.pages : misfitPages);
    if (site.misfit !== null) addTraps(site);
  }
  addWrinkles(options, sites.slice(0, options.hosts));
  addShells(options, sites.slice(0, options.hosts));
  return { options, sites };
}
