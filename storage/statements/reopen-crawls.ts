import { statement } from '../statement.ts';

/** Crawls that finished while URLs waited at this host run again. Answers their ids. */
export const reopenCrawls = statement<[hostId: string], { id: number }>(
  'reopen-crawls',
  `update crawl c set state = 'running', reason = null, ended_at = null
     from host_queue q
    where q.host_id = $1 and q.queued > 0 and c.id = q.crawl_id and c.state in ('finished', 'failed')
   returning c.id`,
);
