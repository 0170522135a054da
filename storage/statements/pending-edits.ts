import { statement } from '../statement.ts';

/** Crawls with settings that were stored a while ago and are still to be applied: their job may have been lost. */
export const pendingEdits = statement<[], { id: string }>(
  'pending-edits',
  `select crawl_id::text as id from crawl_config
    where state = 'pending' and created_at < now() - interval '10 seconds' limit 100`,
);
