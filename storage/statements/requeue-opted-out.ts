import { statement } from '../statement.ts';

/**
 * Queues again up to `limit` URLs of each crawl that an opt-out excluded at a host; answers one row each. Only if the
 * crawl is open and not ending: its row is locked, so that it is not settled at the same moment. A link that was found
 * while its host was opted out counted against no limit, so the crawl's limit for the host is checked here.
 */
export const requeueOptedOut = statement<[hostId: string, limit: number], { crawl_id: number }>(
  'requeue-opted-out',
  `with open as materialized (
     select c.id, (c.config ->> 'maxPagesPerHost')::bigint as host_limit
       from crawl c
      where c.state in ('seeding', 'running', 'paused')
        and exists (select from url u where u.host_id = $1 and u.crawl_id = c.id
                                        and u.state = 'excluded' and u.reason = 'opt-out')
      order by c.id for no key update of c
   ), room as (
     select o.id, o.host_limit - q.total + (
              select count(*) from url u where u.host_id = $1 and u.crawl_id = o.id
                                           and u.state = 'excluded' and u.reason = 'opt-out') as urls
       from open o join host_queue q on q.host_id = $1 and q.crawl_id = o.id
   ), chosen as materialized (
     select u.crawl_id, u.key from room r
      cross join lateral (
        select crawl_id, key from url
         where host_id = $1 and crawl_id = r.id and state = 'excluded' and reason = 'opt-out'
         order by priority desc, key limit greatest(0, least($2, r.urls))
      ) u
   )
   update url u set state = 'queued', reason = null, detail = null, due_at = now()
     from chosen c
    where u.host_id = $1 and u.crawl_id = c.crawl_id and u.key = c.key
      and u.state = 'excluded' and u.reason = 'opt-out'
   returning u.crawl_id`,
);
