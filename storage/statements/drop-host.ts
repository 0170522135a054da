import { statement } from '../statement.ts';

/** Excludes what is queued at a host, for good, with the reason. */
export const dropHost = statement<[hostId: string, reason: string], { crawl_id: number }>(
  'drop-host',
  `update url set state = 'excluded', reason = 'dropped', detail = $2
    where host_id = $1 and state = 'queued'
   returning crawl_id`,
);
