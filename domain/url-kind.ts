/**
 * What a URL is fetched for: a page to extract, a sitemap that names pages, a path that was made up to see how its
 * host answers it (domain/soft-404/), or a file that a page needs to be shown (content/requisites.ts). By the number
 * stored in `url.kind`.
 */
export const storedKinds = { page: 0, sitemap: 1, probe: 2, requisite: 3 } as const;

/** What an archive has the answers of: all that was asked for on behalf of a crawl but made-up paths. */
export const archivedKinds = [storedKinds.page, storedKinds.sitemap, storedKinds.requisite];

export type UrlKind = keyof typeof storedKinds;
export type StoredKind = (typeof storedKinds)[UrlKind];

export const urlKinds = Object.keys(storedKinds) as UrlKind[];

export const kindOf = (stored: StoredKind): UrlKind =>
  urlKinds.find((kind) => storedKinds[kind] === stored) ?? 'page';
