import { onceHeld } from '../queue-locks.ts';
import { statement } from '../statement.ts';

/** URLs of a host that failed and wait for a time of their own become due now. Such URLs have priorities below 0. */
export const makeDue = statement<[hostId: string], Record<string, never>>(
  'make-due',
  `with held as materialized (
     select crawl_id from host_queue where host_id = $1 and queued > 0 order by crawl_id for update
   )
   update url u set due_at = now()
     from held
    where u.host_id = $1 and u.crawl_id = held.crawl_id and u.state = 'queued' and u.priority <= 0
      and u.due_at > now() and ${onceHeld}`,
);
