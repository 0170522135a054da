import { statement } from '../statement.ts';

/** Sets crawls that had ended running again; their rows are locked. Answers those that had. */
export const reopenClosedCrawls = statement<[crawlIds: readonly number[]], { id: number }>(
  'reopen-closed-crawls',
  `with reopened as (
     update crawl set state = 'running', cause = null, reason = null, started_at = coalesce(started_at, now()), ended_at = null
      where id = any ($1) and state in ('finished', 'failed')
     returning id
   ), told as (
     insert into event (crawl_id, kind) select id, 'crawl.reopened' from reopened
   )
   select id from reopened`,
);
