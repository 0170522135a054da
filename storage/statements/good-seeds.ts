import { statement } from '../statement.ts';

/** The seeds of a crawl that are URLs, in their order. */
export const goodSeeds = statement<[crawlId: number], { url: string }>(
  'good-seeds',
  `select url from seed where crawl_id = $1 and rejected is null order by line`,
);
