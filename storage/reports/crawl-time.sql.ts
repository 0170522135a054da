/** The hosts that hold a crawl up. */
import type { HostSettings } from '../../contracts/hosts.ts';
import type { HostState } from '../../domain/host-state.ts';
import { timeCauseNames, type TimeCause } from '../../domain/time-lost.ts';
import { hostQuota, hostSetting, hostSettings, hostState, isOnLoan, turnInMs } from '../hosts/index.ts';
import { statement } from '../postgres/index.ts';
import { openWaits } from '../times/index.ts';
import { delayMs } from './outlook.sql.ts';

export interface HoldingHost {
  readonly origin: string;
  /** URLs of the crawl that are queued or in hand here, and those that are over. */
  readonly left: number;
  readonly over: number;
  readonly state: HostState;
  readonly last_error: string | null;
  /** Milliseconds until the host may be asked for the crawl; 0: it may be asked now. */
  readonly wait_ms: number;
  /** Milliseconds that a URL takes: as those took that are over, and never less than the delay in force. */
  readonly each_ms: number;
  readonly settings: HostSettings;
  /** Requests a day by its quality; null: as many as any host. */
  readonly budget: number | null;
  readonly requests_day: string | null;
  readonly requests_used: number;
  /** Milliseconds for which a foreign fetcher has the host at most; null: none has it. */
  readonly lent_ms: number | null;
  /** Seconds by cause. */
  readonly spent: Readonly<Record<TimeCause, number>>;
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

/** Days of quota count as days. */
const longestFirst = `state = 'paused' desc,
             wait_ms + "left" * each_ms + 86400000 * floor("left" / greatest(1, quota)) desc, id`;

/**
 * The hosts where the URLs that a crawl has left will take longest, hosts that an operator paused first. Parked hosts
 * are left out: a crawl ends without them. Hosts are sorted by their own rows, however many they are; what they wait for
 * is looked up for those that are named alone.
 */
export const holdingHosts = statement<[crawlId: string, limit: number], HoldingHost>('holding-hosts')`
   with here as (
     select h.id, q.queued + q.leased as left, greatest(0, q.total - q.queued - q.leased) as over,
            ${hostState} as state,
            greatest(0, ${turnInMs}, extract(epoch from greatest(h.not_before, h.closed_until, q.turn_at) - now()) * 1000)::float8 as wait_ms,
            greatest(${delayMs} / coalesce(${hostSetting('concurrency', 'h.')}::int, 1),
                     1000 * (${paced.map((cause) => `coalesce(t.${cause}, 0)`).join(' + ')}) / nullif(greatest(0, q.total - q.queued - q.leased), 0)) as each_ms,
            coalesce(${hostQuota('h.')}::float8, 1e9) as quota
       from host_queue q
       join host h on h.id = q.host_id
       join crawl c on c.id = q.crawl_id
       left join host_time t on t.crawl_id = q.crawl_id and t.host_id = q.host_id
      where q.crawl_id = $1 and (q.has_queued or q.leased > 0) and h.parked_at is null
   ), chosen as materialized (
     select *, row_number() over (order by ${longestFirst}) as place,
            count(*) over ()::int as of_hosts, sum("left") over ()::bigint as of_urls
       from here order by ${longestFirst} limit $2
   )
   select h.origin, n."left", n.over, n.state, h.last_error, n.wait_ms, n.each_ms, ${hostSettings('h.')}, h.budget, h.requests_day,
          h.requests_used, n.of_hosts, n.of_urls,
          case when ${isOnLoan} then (extract(epoch from h.lease_until - now()) * 1000)::float8 end as lent_ms,
          json_build_object(${timeCauseNames.map((cause) => `'${cause}', coalesce(t.${cause}, 0) + case when c.state <> 'running' or h.lease_token is not null and h.lease_until > now() then 0 else open.${cause} end`).join(', ')}) as spent
     from chosen n
     join host h on h.id = n.id
     join host_queue q on q.host_id = n.id and q.crawl_id = $1
     join crawl c on c.id = q.crawl_id
     left join host_time t on t.crawl_id = q.crawl_id and t.host_id = q.host_id
     ${openWaits}
    order by n.place`;
