import { statement } from '../statement.ts';

/** Crawls with settings that were stored a while ago and are still to be applied, by their ids. */
export const pendingEdits = statement<[after: string, limit: number], { id: string }>(
  'pending-edits',
  `select crawl_id::text as id from crawl_config
    where state = 'pending' and created_at < now() - interval '10 seconds' and crawl_id > $1::bigint
    order by crawl_id limit $2`,
);
