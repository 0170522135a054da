/** Pages that were rendered without files whose hosts had logged the crawl out. */
import { storedStages } from '../../domain/stage.ts';
import { withoutLooks } from '../looks.ts';
import { statement } from '../postgres/index.ts';

/**
 * Has them judged again by what their answers brought, as if it had just come: they are rendered anew. Those that are to be
 * fetched again are rendered with what comes then (`commitResults`). The caller has let the crawl in at hosts in the same
 * transaction, and locked its row. Answers how many; fewer than asked for: there are no more.
 */
export const renderAgain = statement<[crawlId: number, limit: number], { pages: number }>('render-again')`
   with chosen as materialized (
     select u.host_id, u.crawl_id, u.key, u.content_hash, u.answer_hash
       from rendering g
       join url u on u.host_id = g.host_id and u.crawl_id = g.crawl_id and u.key = g.key
      where g.lacks_login and g.crawl_id = $1 and u.state = 'done' and u.content_hash is not null
      order by u.host_id, u.crawl_id, u.key limit $2 for update of u
   ), noted as (
     update rendering g set lacks_login = false, ${withoutLooks} from chosen c
      where g.host_id = c.host_id and g.crawl_id = c.crawl_id and g.key = c.key
   ), freed as (
     insert into freed_body (hash)
     select distinct content_hash from chosen where answer_hash is not null order by content_hash
     on conflict (hash) do update set since = now()
   ), judged as (
     update url u
        set stage = ${String(storedStages.dedup)}, content_hash = coalesce(u.answer_hash, u.content_hash), answer_hash = null
       from chosen c
      where u.host_id = c.host_id and u.crawl_id = c.crawl_id and u.key = c.key
   )
   select count(*)::int as pages from chosen`;
