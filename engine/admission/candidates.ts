/** The only code that makes candidates: a URL that was found, with what follows from where it was found. */
import { seedPriority, sitemapPriority, worthOf } from '../../domain/priority/place.ts';
import type { UrlKind } from '../../domain/url-kind.ts';
import type { ExcludedReason } from '../../domain/url-reason.ts';
import { canonicalize, type CanonicalUrl } from '../../domain/url.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';

export interface Candidate {
  readonly crawl: OpenCrawl;
  readonly link: CanonicalUrl;
  readonly kind: UrlKind;
  readonly seed: boolean;
  readonly depth: number;
  readonly hops: number;
  /** Where the URL stands in line, whatever its score; null: its score says it (scoring.ts). */
  readonly priority: number | null;
  /** Of the page that names the URL, in (0, 1]; 1 where none does. */
  readonly parentPriority: number;
  /** What the link promises of the crawl's focus; absent: its URL alone says it. */
  readonly promise?: number;
  /** The last change that a sitemap names, in epoch milliseconds; absent: none is known, or the score needs none. */
  readonly lastmod?: number;
  /** Milliseconds from now before which the URL must not be requested; absent: at once. */
  readonly dueInMs?: number;
  /** The chain of redirects that leads here (engine/visit/redirect-chain.ts); absent or null: none is known. */
  readonly chain?: string | null;
  /** Where the URL was found, key in hex; null: nowhere, as for a seed. */
  readonly parent: { readonly hostId: number; readonly key: string } | null;
  /** A sitemap on the host of the sitemap that names it: where that one is read, this one is. Absent: judged by its host. */
  readonly vouched?: true;
  /** Where a seed has moved to: its place comes into the crawl in the transaction that stores the candidate. */
  readonly moved?: true;
  /** A page or a style sheet needs it. */
  readonly requisite?: true;
  /** Set: a URL that the scope admits is stored as excluded, for this reason. */
  readonly refusal?: { readonly reason: ExcludedReason; readonly detail: string };
}

/** What is known about the URL where another one was found. */
interface Parent {
  readonly host_id: number;
  /** In hex. */
  readonly key: string;
  readonly depth: number;
  readonly priority: number;
}

export type Found =
  | { readonly in: 'seed' }
  /** Offered by a foreign fetcher that names no page for it. */
  | { readonly in: 'offer'; readonly depth: number }
  /** @property depth of the link, if a foreign fetcher says one; at least the page's depth plus 1 holds */
  | { readonly in: 'page'; readonly page: Parent; readonly depth?: number; readonly promise?: number }
  /** What a page, or a style sheet of one, needs to be shown. */
  | { readonly in: 'requisite'; readonly page: Parent }
  /** Made up beside a page (domain/soft-404/). */
  | { readonly in: 'thin-air'; readonly page: Parent }
  /** A page that a sitemap names. */
  | {
      readonly in: 'sitemap';
      readonly sitemap: Parent;
      readonly lastmod?: number;
      readonly refusal?: Candidate['refusal'];
    }
  /** A sitemap that another sitemap names; null: robots.txt names it. */
  | {
      readonly in: 'sitemaps';
      readonly sitemap: (Parent & { readonly origin: string }) | null;
      readonly refusal?: Candidate['refusal'];
    }
  | {
      readonly in: 'redirect';
      readonly url: Parent & { readonly hops: number; readonly kind: UrlKind; readonly origin: string };
      /** Milliseconds for which the answer asks to wait. */
      readonly waitMs: number;
      /** As in `Candidate`. */
      readonly chain?: string | null;
    };

type Place = Pick<Candidate, 'kind' | 'depth' | 'parent'> & Partial<Candidate>;

const at = ({ host_id: hostId, key, priority }: Parent): Pick<Candidate, 'parent' | 'parentPriority'> => ({
  parent: { hostId, key },
  parentPriority: worthOf(priority),
});

/** What follows for a URL from where it was found. */
export function placeOf(found: Found): Place {
  switch (found.in) {
    case 'seed':
      return { kind: 'page', seed: true, depth: 0, parent: null, priority: seedPriority };
    case 'offer':
      // Found on some page: seeds alone are at depth 0, and where their redirects lead.
      return { kind: 'page', depth: Math.max(1, found.depth), parent: null };
    case 'page': {
      const { page, depth = 0, promise } = found;
      const place = { kind: 'page', depth: Math.max(depth, page.depth + 1), ...at(page) } as const;
      return promise === undefined ? place : { ...place, promise };
    }
    // As far from a seed as its page, and wanted as much.
    case 'requisite': {
      const { page } = found;
      return { kind: 'requisite', depth: page.depth, ...at(page), priority: worthOf(page.priority) };
    }
    case 'thin-air':
      return { kind: 'probe', depth: found.page.depth, ...at(found.page), priority: sitemapPriority };
    case 'sitemap': {
      const { sitemap, lastmod, refusal } = found;
      return {
        ...({ kind: 'page', depth: sitemap.depth + 1 } as const),
        ...at(sitemap),
        ...(lastmod !== undefined && { lastmod }),
        ...(refusal !== undefined && { refusal }),
      };
    }
    case 'sitemaps': {
      const { sitemap, refusal } = found;
      const place = {
        ...({ kind: 'sitemap', priority: sitemapPriority, parent: null } as const),
        depth: sitemap?.depth ?? 0,
        ...(sitemap !== null && at(sitemap)),
      };
      return refusal === undefined ? place : { ...place, refusal };
    }
    case 'redirect': {
      const { url, waitMs, chain = null } = found;
      // The same page under another name is worth the same.
      const priority = url.kind === 'sitemap' ? sitemapPriority : worthOf(url.priority);
      const { kind, depth, hops } = url;
      return { kind, depth, hops: hops + 1, chain, dueInMs: waitMs, ...at(url), priority };
    }
  }
}

export const candidate = (crawl: OpenCrawl, link: CanonicalUrl, found: Found): Candidate => {
  const place = placeOf(found);
  return {
    crawl,
    link,
    seed: false,
    hops: 0,
    priority: null,
    parentPriority: 1,
    ...place,
    ...(leadingSitemap(found) === link.host && ({ vouched: true } as const)),
    ...(place.kind === 'requisite' && ({ requisite: true } as const)),
  };
};

export interface Candidates {
  readonly candidates: Candidate[];
  /** How many are longer than any URL of a crawl may be. */
  readonly longUrls: number;
}

/** @param urls absolute; those that no crawl can have are left out */
export function candidatesOf(
  crawl: OpenCrawl,
  urls: readonly string[],
  foundAs: (url: string) => Found,
): Candidates {
  let longUrls = 0;
  const candidates = urls.flatMap((url): Candidate[] => {
    const link = canonicalize(url);
    if (link.ok) return [candidate(crawl, link.value, foundAs(url))];
    if (link.rejected === 'too-long') longUrls++;
    return [];
  });
  return { candidates, longUrls };
}

/** The origin of the sitemap that names or redirects to another one; null: none does. */
function leadingSitemap(found: Found): string | null {
  if (found.in === 'sitemaps') return found.sitemap?.origin ?? null;
  return found.in === 'redirect' && found.url.kind === 'sitemap' ? found.url.origin : null;
}
