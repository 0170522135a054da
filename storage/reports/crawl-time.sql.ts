/** The hosts that hold a crawl up. */
import type { HolderFacts } from '../../domain/explain/crawl-time.ts';
import { timeCauseNames } from '../../domain/time-lost.ts';
import { hostQuota, hostSetting, hostSettings, hostState, isOnLoan, turnInMs } from '../hosts/index.ts';
import { mayKnow } from '../may-know.ts';
import { statement } from '../postgres/index.ts';
import { openWaits } from '../times/index.ts';
import { delayMs } from './outlook.sql.ts';

export interface HoldingHost extends HolderFacts {
  /** Hosts with URLs left, apart from parked ones, and the URLs left there. */
  readonly of_hosts: number;
  readonly of_urls: number;
}

/** Causes of the time that each URL takes while a host is worked. */
const paced = [
  'answering',
  'delay',
  'crawl_delay',
  'slowdown',
  'own_delay',
  'others',
  'pressure',
  'own_work',
] as const;

/** What requests to a host have taught, and what stands there for who may not know it: as `withheld` of explain. */
const learned = {
  failures: '0',
  trouble: 'null',
  last_error: 'null',
  eased: 'false',
  slowdown: '0',
  took_ms: 'null',
  base_delay_ms: 'null',
  budget: 'null',
  requests_day: 'null',
  requests_used: '0',
  asked_at: 'null',
  not_before: `'-infinity'`,
  paced_until: `'-infinity'`,
  lease_token: 'null',
  lease_until: 'null',
} as const;

/**
 * Joins the host `h` of the queue `q` as the tenant of the crawl `c` may know it, and what the crawl has waited for there,
 * `t`. A request of another crawl of the tenant lets it know the host as well; the limit makes Postgres look that up by
 * host. Windows are the operator's: everybody is told when they open.
 */
const knownHost = `join host r on r.id = q.host_id
       cross join lateral (select ${mayKnow('c')} or coalesce(
         (select true from host_queue o join crawl k on k.id = o.crawl_id
           where o.host_id = q.host_id and o.reached and k.tenant_id = c.tenant_id limit 1), false) as known offset 0) may
       cross join lateral (
         select r.id, r.origin, r.settings, r.paused_at, r.parked_at, r.fed, r.fed_at, r.known_at,
                case when may.known or ${hostSetting('windows', 'r.')} is not null then r.closed_until else '-infinity' end as closed_until,
                ${Object.entries(learned)
                  .map(
                    ([column, without]) =>
                      `case when may.known then r.${column} else ${without} end as ${column}`,
                  )
                  .join(', ')}) h
       left join host_time t on t.crawl_id = q.crawl_id and t.host_id = q.host_id and may.known`;

/** Days of quota count as days. */
const longestFirst = `state = 'paused' desc,
             wait_ms + "left" * each_ms + 86400000 * floor("left" / greatest(1, quota)) desc, id`;

/**
 * The hosts where the URLs that a crawl has left will take longest, hosts that an operator paused first. Hosts that are
 * parked, or have logged the crawl out, are left out: a crawl ends without them. Hosts are sorted by their own rows, however many they are; what they wait for
 * is looked up for those that are named alone.
 */
export const holdingHosts = statement<[crawlId: string, limit: number], HoldingHost>('holding-hosts')`
   with here as (
     select h.id, q.queued + q.leased as left,
            ${hostState} as state,
            greatest(0, ${turnInMs}, extract(epoch from greatest(h.not_before, h.closed_until, q.turn_at) - now()) * 1000)::float8 as wait_ms,
            greatest(${delayMs} / coalesce(${hostSetting('concurrency', 'h.')}::int, 1),
                     1000 * (${paced.map((cause) => `coalesce(t.${cause}, 0)`).join(' + ')}) / nullif(greatest(0, q.total - q.queued - q.leased), 0)) as each_ms,
            coalesce(${hostQuota('h.')}::float8, 1e9) as quota
       from host_queue q
       join crawl c on c.id = q.crawl_id
       ${knownHost}
      where q.crawl_id = $1 and (q.has_queued or q.leased > 0) and h.parked_at is null and q.logged_out_at is null
   ), chosen as materialized (
     select *, row_number() over (order by ${longestFirst}) as place,
            count(*) over ()::int as of_hosts, sum("left") over ()::bigint as of_urls
       from here order by ${longestFirst} limit $2
   )
   select h.origin, n."left", n.state, h.last_error as "lastError", h.trouble, n.wait_ms as "waitMs", n.each_ms as "eachMs",
          ${hostSettings('h.')}, h.budget, h.requests_day as "requestsDay", h.requests_used as "requestsUsed", n.of_hosts, n.of_urls,
          case when ${isOnLoan} then (extract(epoch from h.lease_until - now()) * 1000)::float8 end as "lentMs",
          json_build_object(${timeCauseNames.map((cause) => `'${cause}', coalesce(t.${cause}, 0) + case when c.state <> 'running' or h.lease_token is not null and h.lease_until > now() then 0 else open.${cause} end`).join(', ')}) as spent
     from chosen n
     join host_queue q on q.host_id = n.id and q.crawl_id = $1
     join crawl c on c.id = q.crawl_id
     ${knownHost}
     ${openWaits}
    order by n.place`;
