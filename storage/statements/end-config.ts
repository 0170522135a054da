import { statement } from '../statement.ts';

/** A pending version is applied to its end, or given up with its crawl. */
export const endConfig = statement<
  [crawlId: string, version: number, state: 'applied' | 'stopped'],
  { version: number }
>(
  'end-config',
  `update crawl_config set state = $3, ended_at = now() where crawl_id = $1 and version = $2 and state = 'pending'
   returning version`,
);
