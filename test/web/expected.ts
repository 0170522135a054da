/** What a polite crawl of the web has to fetch, found by walking the plan as a crawler walks the pages. */
import { calendarMonth, carouselStop, mostRedirects, staysComplete } from './misfits.ts';
import type { Misfit } from './options.ts';
import { linksOf, type Plan } from './plan.ts';
import type { Page, Resource } from './site.ts';
import { isDisallowed } from './wrinkles.ts';

export interface Expected {
  /** Keys of URLs to be fetched exactly once. robots.txt is not among them: it is judged by itself. */
  readonly must: ReadonlySet<string>;
  /** Keys of URLs that robots.txt forbids. */
  readonly disallowed: ReadonlySet<string>;
  /** Whether a URL that is in neither may be fetched, any number of times (traps, hosts that fail as a whole). */
  readonly optional: (key: string) => boolean;
}

/**
 * The web's own canonical form: no fragment, no utm_ parameters, the rest sorted. URLs of equal keys are one page, to
 * be fetched once under whichever spelling was found.
 */
export function pageKey(url: string): string {
  const parsed = new URL(url);
  parsed.hash = '';
  if (parsed.search !== '') {
    for (const name of [...parsed.searchParams.keys()]) {
      if (name.startsWith('utm_')) parsed.searchParams.delete(name);
    }
    parsed.searchParams.sort();
  }
  return parsed.href;
}

const urlOf = (resource: Resource): string => resource.site.origin + resource.path;

/** Where a crawler goes from here, scope and robots.txt apart. */
function nextOf(plan: Plan, resource: Resource): readonly Resource[] {
  switch (resource.kind) {
    case 'page':
      if (resource.nofollow !== false) return [];
      return [
        ...resource.files,
        ...linksOf(plan, resource)
          .filter((link) => link.rel === 'follow')
          .map((link) => link.to),
      ];
    case 'redirect':
      return resource.to === null ? [] : [resource.to];
    case 'sitemap':
      return resource.lists;
    case 'file':
    case 'missing':
    case 'trap':
      return [];
  }
}

/**
 * @param seedSites Indexes of the sites whose `/` is a seed; all of them when absent.
 * @param scope `any`: every host of the web; `host`: only the seeds' hosts, redirects included.
 */
export function expectedOf(
  plan: Plan,
  scope: 'any' | 'host' = 'any',
  seedSites?: readonly number[],
): Expected {
  const seeds = plan.sites.filter((site) => seedSites === undefined || seedSites.includes(site.index));
  const inScope = new Set(scope === 'any' ? plan.sites : seeds);
  const must = new Set<string>();
  const disallowed = new Set<string>();
  const lenient = new Set<string>();
  for (const site of plan.sites) {
    for (const resource of site.resources) {
      if (site.misfit === 'unruly' || isDisallowed(resource.path)) disallowed.add(pageKey(urlOf(resource)));
    }
    if (site.misfit !== null && site.misfit !== 'unruly' && !staysComplete(site.misfit)) {
      lenient.add(new URL(site.origin).host);
    }
  }

  const reached = new Set<Resource>();
  const queue: Resource[] = [];
  const reach = (resource: Resource | undefined): void => {
    if (resource === undefined || reached.has(resource) || !inScope.has(resource.site)) return;
    reached.add(resource);
    if (disallowed.has(pageKey(urlOf(resource)))) return;
    queue.push(resource);
    const { misfit } = resource.site;
    if (resource.kind === 'trap' || (misfit !== null && !staysComplete(misfit))) return;
    must.add(pageKey(urlOf(resource)));
  };
  const arrive = new Set<Resource['site']>();
  for (const site of seeds) reach(site.pages[0]);
  for (let resource = queue.pop(); resource !== undefined; resource = queue.pop()) {
    if (!arrive.has(resource.site)) {
      arrive.add(resource.site);
      reach(resource.site.byPath.get('/sitemap.xml'));
    }
    for (const next of nextOf(plan, resource)) reach(next);
  }

  const traps = new Set<string>();
  for (const resource of reached) if (resource.kind === 'trap') traps.add(pageKey(urlOf(resource)));
  const hostsOf = (misfit: Misfit): ReadonlySet<string> =>
    new Set(plan.sites.filter((site) => site.misfit === misfit).map((site) => new URL(site.origin).host));
  const [carousels, calendars] = [hostsOf('carousel'), hostsOf('calendar')];
  return {
    must,
    disallowed,
    optional: (key) => {
      const { host, pathname } = new URL(key);
      if (traps.has(key) || lenient.has(host)) return true;
      if (calendars.has(host) && calendarMonth(pathname) !== null) return true;
      const stop = carousels.has(host) ? carouselStop(pathname) : null;
      return stop !== null && stop <= mostRedirects;
    },
  };
}

/** Pages that need a browser, of those that must be fetched, by their keys. */
export const shellsOf = ({ sites }: Plan, { must }: Expected): ReadonlyMap<string, Page> =>
  new Map(
    sites
      .flatMap(({ pages }) => pages)
      .filter(({ files }) => files.length > 0)
      .map((page) => [pageKey(urlOf(page)), page] as const)
      .filter(([key]) => must.has(key)),
  );
