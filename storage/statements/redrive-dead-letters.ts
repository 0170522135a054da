import { behindBy } from '../../domain/priority.ts';
import { statement } from '../statement.ts';

/**
 * Takes dead letters and puts their URLs back into their queues, with all their tries; answers those that were still
 * letters. `places`: [{crawl_id, host_id, key}], keys in hex. Letters of the resting class that are younger than
 * `restMs` stay. To be called with the host_queue rows locked (lock-host-queues.ts).
 */
export const redriveDeadLetters = statement<
  [places: string, restingClass: string, restMs: number],
  { crawl_id: number; host_id: number }
>(
  'redrive-dead-letters',
  `with letters as (
     delete from dead_letter d
      using json_to_recordset($1) as p(crawl_id bigint, host_id bigint, key text)
      where d.host_id = p.host_id and d.crawl_id = p.crawl_id and d.key = decode(p.key, 'hex')
        and not (d.class = $2 and d.created_at > now() - $3 * interval '1 millisecond')
     returning d.host_id, d.crawl_id, d.key
   )
   update url u set state = 'queued', attempts = 0, tries = 0, reclaims = 0, reason = null, detail = null,
                    due_at = now(), priority = case when priority > 0 then priority else priority + ${String(behindBy)} end
     from letters l
    where u.host_id = l.host_id and u.crawl_id = l.crawl_id and u.key = l.key and u.state = 'failed'
   returning u.crawl_id, u.host_id`,
);
