import type { CrawlState } from '../../contracts/crawl.ts';
import { statement } from '../statement.ts';

/** What a crawl that drains will be; null: it does not drain. */
export const noteCrawlEnd = statement<[crawlId: number, endsAs: CrawlState | null], Record<string, never>>(
  'note-crawl-end',
  `update crawl set ends_as = $2 where id = $1 and ends_as is distinct from $2`,
);
