import { statement } from '../statement.ts';

/** A pending version is applied to its end, or given up with its crawl. None: somebody else has gone on from there. */
export const endConfig = statement<
  [crawlId: string, version: number, state: 'applied' | 'stopped', from: string | null],
  { version: number }
>(
  'end-config',
  `update crawl_config set state = $3, ended_at = now() where crawl_id = $1 and version = $2 and state = 'pending' and place is not distinct from $4
   returning version`,
);
