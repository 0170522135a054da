/** A host of the synthetic web and the resources it has. */
import type { Misfit, WebOptions } from './options.ts';
import { randomFrom } from './random.ts';
import { languages, slugWord, type Language } from './words.ts';

interface ResourceBase {
  readonly site: Site;
  /** Path and query as the server matches it. */
  readonly path: string;
  /** Position in the site's resources; seeds the page's own randomness. */
  readonly index: number;
}

export interface Page extends ResourceBase {
  readonly kind: 'page';
  readonly language: Language;
  /** Links every crawl must find here, in this order, before the random ones. */
  readonly fixed: Link[];
  /** The page says so itself; none of its links may be followed. */
  readonly nofollow: false | 'meta' | 'header';
  /** Another URL serves the same bytes, so no link here may depend on the folder it is read in. */
  rooted: boolean;
  /** The page whose bytes this URL serves; null: its own. */
  readonly copyOf: Page | null;
  /** Of a page that is built by a script (shells.ts): the script, and what it asks for. */
  readonly files: ShellFile[];
}

/** Asked for by pages while a browser shows them. */
export interface ShellFile extends ResourceBase {
  readonly kind: 'file';
  /** What that page says; null: the script of all of them. */
  readonly of: Page | null;
}

export interface Redirect extends ResourceBase {
  readonly kind: 'redirect';
  readonly status: 301 | 302 | 307 | 308;
  /** null: itself. Set again only while the web is planned, to close a loop. */
  to: Resource | null;
}

export interface Missing extends ResourceBase {
  readonly kind: 'missing';
  readonly status: 404 | 410;
}

export interface Sitemap extends ResourceBase {
  readonly kind: 'sitemap';
  readonly lists: Resource[];
}

/** Answers in a way of its site's misfit; what a crawl makes of it is not prescribed. */
export interface Trap extends ResourceBase {
  readonly kind: 'trap';
}

export type Resource = Page | ShellFile | Redirect | Missing | Sitemap | Trap;

export interface Link {
  readonly to: Resource;
  readonly rel: 'follow' | 'nofollow' | 'ugc' | 'sponsored';
}

export interface Site {
  readonly index: number;
  /** `http://authority`, no slash at the end. */
  readonly origin: string;
  readonly misfit: Misfit | null;
  readonly resources: Resource[];
  readonly byPath: Map<string, Resource>;
  /** The pages that `/` leads to by a tree of links inside the host; pages[0] is `/`. */
  readonly pages: Page[];
}

const sections = ['articles', 'blog', 'help', 'people', 'places', 'reviews'] as const;

/** Paths of several shapes, so that no single shape rules a host; unique by their number. */
export function pagePath(options: WebOptions, site: number, number: number): string {
  if (number === 0) return '/';
  const random = randomFrom(options.seed, site, number, 1);
  const slug = `${slugWord(random)}-${slugWord(random)}-${String(number)}`;
  switch (number % 5) {
    case 0:
      return `/shop/item?id=${String(number)}&lang=${random.pick(languages)}`;
    case 1:
      return `/${random.pick(sections)}/${slug}.html`;
    case 2:
      return `/news/20${String(10 + random.below(16))}/${String(1 + random.below(12))}/${slug}`;
    case 3:
      return `/${random.pick(sections)}/${slugWord(random)}/${slug}/`;
    default:
      return `/docs/v${String(1 + random.below(4))}/${slug}.html`;
  }
}

export function addPage(
  options: WebOptions,
  site: Site,
  path: string,
  more: Partial<Pick<Page, 'nofollow' | 'copyOf'>> = {},
): Page {
  const index = site.resources.length;
  const random = randomFrom(options.seed, site.index, index, 2);
  const page: Page = {
    kind: 'page',
    site,
    path,
    index,
    language: random.chance(0.8) ? 'en' : random.pick(languages),
    fixed: [],
    nofollow: false,
    rooted: false,
    copyOf: null,
    files: [],
    ...more,
  };
  addResource(page);
  return page;
}

export function addResource(resource: Resource): void {
  resource.site.resources.push(resource);
  resource.site.byPath.set(resource.path, resource);
}
