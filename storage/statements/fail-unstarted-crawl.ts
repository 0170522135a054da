import { statement } from '../statement.ts';

/** A crawl whose workflow could not be started ends here; one that has begun is left alone. */
export const failUnstartedCrawl = statement<[crawlId: string, reason: string], { id: string }>(
  'fail-unstarted-crawl',
  `with ended as (
     update crawl set state = 'failed', cause = 'not-started', reason = $2, ended_at = now()
      where id = $1 and state = 'seeding'
     returning id
   ), told as (
     insert into event (crawl_id, kind, data)
     select id, 'crawl.failed', json_build_object('cause', 'not-started', 'reason', $2::text) from ended
   )
   select id::text from ended`,
);
