/** What a URL is fetched for: a page to extract, or a sitemap that names pages. By the number stored in `url.kind`. */
export const storedKinds = { page: 0, sitemap: 1 } as const;

export type UrlKind = keyof typeof storedKinds;
export type StoredKind = (typeof storedKinds)[UrlKind];

export const urlKinds = Object.keys(storedKinds) as UrlKind[];

export const kindOf = (stored: StoredKind): UrlKind => (stored === storedKinds.sitemap ? 'sitemap' : 'page');
