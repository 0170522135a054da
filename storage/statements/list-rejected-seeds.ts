import type { RejectedSeed } from '../../contracts/http/crawls.ts';
import { statement } from '../statement.ts';

export const listRejectedSeeds = statement<[crawlId: string, limit: number], RejectedSeed>(
  'list-rejected-seeds',
  `select line, url, rejected as reason from seed
    where crawl_id = $1 and rejected is not null order by line limit $2`,
);
