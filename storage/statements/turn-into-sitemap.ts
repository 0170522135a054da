import { statement } from '../statement.ts';

/** A URL that was taken for a page is a sitemap: it is read as a sitemap from now on, and counts as one. */
export const turnIntoSitemap = statement<
  [hostId: number, crawlId: number, key: string],
  Record<string, never>
>(
  'turn-into-sitemap',
  `update url set kind = 1 where host_id = $1 and crawl_id = $2 and key = decode($3, 'hex') and kind = 0`,
);
