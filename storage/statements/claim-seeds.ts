import { ruleReasons } from '../../domain/scope.ts';
import { holdQueues, onceHeld } from '../queue-locks.ts';
import { statement } from '../statement.ts';

/**
 * Makes seeds of URLs that a crawl knows as links. From then on they are judged as seeds: URLs that wait are no longer
 * a link away from a seed, and URLs that only a rule for links had excluded are queued. `seeds`: [{origin, key}] with
 * keys in hex, which the settings admit as seeds. Answers the hosts of the URLs that were queued.
 */
export const claimSeeds = statement<[crawlId: number, seeds: string, priority: number], { host_id: number }>(
  'claim-seeds',
  `with r as materialized (
     select h.id as host_id, $1::bigint as crawl_id, decode(s.key, 'hex') as key
       from json_to_recordset($2) as s(origin text, key text) join host h on h.origin = s.origin
   ), known as materialized (
     select u.host_id, u.crawl_id, u.key, u.state,
            u.state = 'queued' or (u.state = 'excluded' and u.reason in (${ruleReasons.map((reason) => `'${reason}'`).join(', ')})) as waits
       from r join url u on u.host_id = r.host_id and u.crawl_id = r.crawl_id and u.key = r.key
      where not u.seed
   ), ${holdQueues('known')}, claimed as (
     update url u set seed = true,
            depth = case when k.waits then 0 else u.depth end,
            hops = case when k.waits then 0 else u.hops end,
            priority = case when k.waits then greatest(u.priority, $3) else u.priority end,
            state = case when k.waits then 'queued' else u.state end,
            reason = case when k.waits and k.state = 'excluded' then null else u.reason end,
            detail = case when k.waits and k.state = 'excluded' then null else u.detail end
       from known k
      where u.host_id = k.host_id and u.crawl_id = k.crawl_id and u.key = k.key and u.state = k.state and ${onceHeld}
     returning u.host_id, k.state, k.waits
   )
   select distinct host_id from claimed where state = 'excluded' and waits`,
);
