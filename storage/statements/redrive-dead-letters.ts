import { statement } from '../statement.ts';

/** Puts a host's dead letters that a parked or failing host caused back into their queues, with all their tries. */
export const redriveDeadLetters = statement<
  [hostId: string, classes: readonly string[]],
  { crawl_id: number }
>(
  'redrive-dead-letters',
  `with letters as (
     delete from dead_letter where host_id = $1 and class = any ($2) returning host_id, crawl_id, key
   )
   update url u set state = 'queued', attempts = 0, tries = 0, reason = null, detail = null, due_at = now()
     from letters l
    where u.host_id = l.host_id and u.crawl_id = l.crawl_id and u.key = l.key and u.state = 'failed'
   returning u.crawl_id`,
);
