/** What a page is shown with only if it is asked for, since it is large or is read from the body. */
export const pageFields = ['links', 'text', 'main', 'meta', 'fields', 'anchors', 'images'] as const;
export type PageField = (typeof pageFields)[number];
