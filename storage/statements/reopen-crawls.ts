import { statement } from '../statement.ts';

/** Crawls that finished while URLs waited at this host run again. Answers the ids of all that have URLs here. */
export const reopenCrawls = statement<[hostId: string], { id: number }>(
  'reopen-crawls',
  `with waiting as materialized (
     select c.id from crawl c join host_queue q on q.crawl_id = c.id
      where q.host_id = $1 and q.queued > 0 and c.state in ('running', 'finished', 'failed')
      order by c.id for no key update of c
   ), reopened as (
     update crawl c set state = 'running', cause = null, reason = null, ended_at = null
       from waiting w where c.id = w.id and c.state in ('finished', 'failed')
     returning c.id
   ), told as (
     insert into event (crawl_id, kind) select id, 'crawl.reopened' from reopened
   )
   select id from waiting`,
);
