/** Rows of hosts: as people see them, how they are made, and which crawls have work at a host. */
import type { HostSettings } from '../../contracts/hosts.ts';
import { rankOfAuthority } from '../../domain/host-quality.ts';
import { hostStateNames, hostStates, type HostState } from '../../domain/host-state.ts';
import { hostSettings } from './host-settings.ts';
import { hostState } from './host-state.ts';
import { slowdownNow } from './slowdown.ts';
import { statement } from '../postgres/index.ts';
import type { CrawlState } from '../../contracts/crawl.ts';

export interface HostRow {
  readonly id: number;
  readonly origin: string;
  readonly state: HostState;
  readonly parked_at: Date | null;
  /** How many times the delay is doubled after complaints. */
  readonly slowdown: number;
  readonly failures: number;
  readonly failing_since: Date | null;
  readonly last_error: string | null;
  /** Milliseconds from now until the host may be visited; at most 0: it may be visited now. */
  readonly wait_ms: number;
  readonly base_delay_ms: number | null;
  readonly settings: HostSettings;
  readonly settings_revision: number;
  /** The quality in force, and whether an operator has set it; 1 for a host that nobody has looked at. */
  readonly quality: number;
  readonly pinned: boolean;
  /** It is left for later, since so many of its requests fail. */
  readonly later: boolean;
  /** Requests a day by its quality; null: as many as any host. */
  readonly budget: number | null;
  /** 1: an authority in every crawl; -1: in none; 0: only where a seed names the host. */
  readonly esteem: -1 | 0 | 1;
  /** The day in the host's time zone for which requests are counted; null: none was sent yet. */
  readonly requests_day: string | null;
  readonly requests_used: number;
  readonly requests_reserved: number;
  /** The database's clock, in milliseconds since 1970. */
  readonly now_ms: number;
  readonly queued: number;
  readonly leased: number;
  readonly dead_letters: number;
}

/** Hosts in a state: found by its index, and sorted out if they are in an earlier one. */
const inState = hostStateNames.map(
  (state) => `(select h.*, '${state}' as state from host h
      where $2 = '${state}' and h.id > $1 and ${hostStates[state].sql} and ${hostState} = '${state}'
      order by h.id limit $4)`,
);

/**
 * Hosts by their ids: those after `after`, in a state (null: any); or the one host with this origin, in any state. Each
 * of these questions has a part of the statement, and all parts but one notice at once that they are not asked for: so
 * one plan suits every question. Active hosts go by `host_fed`, which is not in the order of ids: a scheduler's cap
 * keeps them few, and an index of their own would have to be written at each visit of each host.
 */
export const listHosts = statement<
  [after: string, state: HostState | null, origin: string | null, limit: number],
  HostRow
>('list-hosts')`
   with chosen as (
     (select h.*, ${hostState} as state from host h
       where $2::text is null and $3::text is null and h.id > $1::bigint order by h.id limit $4)
     union all
     (select h.*, ${hostState} as state from host h where h.origin = $3)
     union all
     ${inState.join('\n     union all\n     ')}
   )
   select c.id, c.origin, c.state, c.parked_at, ${slowdownNow('c.')} as slowdown, c.failures, c.failing_since, c.last_error,
          case when c.not_before = '-infinity' then 0
               else extract(epoch from c.not_before - now()) * 1000 end::float8 as wait_ms,
          c.base_delay_ms, ${hostSettings('c.')}, c.settings_revision, c.budget, c.esteem,
          coalesce(g.pinned, g.quality, 1)::float8 as quality, g.pinned is not null as pinned,
          coalesce(g.later and g.pinned is null, false) as later,
          c.requests_day, c.requests_used, c.requests_reserved,
          (extract(epoch from now()) * 1000)::float8 as now_ms,
          coalesce(q.queued, 0)::int as queued, coalesce(q.leased, 0)::int as leased,
          (select count(*)::int from dead_letter d where d.host_id = c.id) as dead_letters
     from chosen c
     left join host_quality g on g.host_id = c.id
     left join lateral (select sum(queued) as queued, sum(leased) as leased
                          from host_queue where host_id = c.id) q on true
    order by c.id`;

/** Makes host rows that are missing. `rows`: [{origin, shard}], the shard before any split. */
export const ensureHosts = statement<[rows: string]>('ensure-hosts')`
   insert into host (origin, shard, esteem)
   select origin, placed_shard(origin, shard), case when rank_of(origin) <= ${rankOfAuthority} then 1 else 0 end
     from json_to_recordset($1) as r(origin text, shard smallint) order by origin
   on conflict (origin) do nothing`;

export const hostIds = statement<[origins: readonly string[]], { id: number; origin: string }>('host-ids')`
   select id, origin from host where origin = any ($1)`;

export interface HostCrawlRow {
  readonly id: string;
  readonly state: CrawlState;
  readonly queued: number;
  readonly leased: number;
  readonly weight: number;
}

/** Crawls that have work at a host. */
export const hostCrawls = statement<[hostId: string | number], HostCrawlRow>('host-crawls')`
   select c.id::text, c.state, q.queued, q.leased, coalesce((c.config ->> 'weight')::float8, 1) as weight
     from host_queue q join crawl c on c.id = q.crawl_id
    where q.host_id = $1 and q.queued + q.leased > 0
    order by c.id`;

/** Hosts that are paused or parked, by their ids. */
export const heldHostsAfter = statement<[after: string, limit: number], { id: string; origin: string }>(
  'held-hosts-after',
)`
   select id::text, origin
     from ((select id, origin from host where paused_at is not null and id > $1::bigint order by id limit $2)
           union
           (select id, origin from host where parked_at is not null and id > $1::bigint order by id limit $2)) held
    order by held.id limit $2`;

export const isHostParked = statement<[origin: string], { id: string; parked: boolean }>('is-host-parked')`
   select id::text, parked_at is not null as parked from host where origin = $1`;
