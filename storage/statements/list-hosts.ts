import type { HostStanding } from '../../domain/host-standing.ts';
import type { Windows } from '../../domain/windows.ts';
import { statement } from '../statement.ts';

export interface HostRow {
  readonly id: number;
  readonly origin: string;
  readonly state: HostStanding;
  readonly parked_at: Date | null;
  readonly slowdown: number;
  readonly failures: number;
  readonly failing_since: Date | null;
  readonly last_error: string | null;
  /** Milliseconds from now; at most 0: it may be visited. */
  readonly wait_ms: number;
  readonly delay_ms: number | null;
  readonly concurrency: number | null;
  readonly delay_factor: number | null;
  readonly windows: Windows | null;
  readonly daily_quota: number | null;
  readonly settings_revision: number;
  readonly requests_day: string | null;
  readonly requests_used: number;
  readonly requests_reserved: number;
  /** The database's clock, in milliseconds since 1970. */
  readonly now_ms: number;
  readonly queued: number;
  readonly leased: number;
  readonly dead_letters: number;
}

/**
 * Hosts by their ids: those after `after`, in a state (null: any), or the one with this origin (null: any).
 * What the states mean stands in domain/host-standing.ts.
 */
export const listHosts = statement<
  [after: string | null, state: HostStanding | null, origin: string | null, limit: number],
  HostRow
>(
  'list-hosts',
  `with standing as (
     select h.*,
            case when h.parked_at is not null then 'parked'
                 when h.failures > 0 and h.not_before > now() and h.not_before > h.paced_until then 'backoff'
                 when h.closed_until > now() then 'closed'
                 when h.fed then 'active'
                 else 'idle' end as state
       from host h
   ), chosen as (
     select * from standing
      where ($1::bigint is null or id > $1) and ($2::text is null or state = $2) and ($3::text is null or origin = $3)
      order by id limit $4
   )
   select c.id, c.origin, c.state, c.parked_at, c.slowdown, c.failures, c.failing_since, c.last_error,
          case when c.not_before = '-infinity' then 0
               else extract(epoch from c.not_before - now()) * 1000 end::float8 as wait_ms,
          c.delay_ms, c.concurrency, c.delay_factor, c.windows, c.daily_quota, c.settings_revision,
          c.requests_day, c.requests_used, c.requests_reserved,
          (extract(epoch from now()) * 1000)::float8 as now_ms,
          coalesce(q.queued, 0)::int as queued, coalesce(q.leased, 0)::int as leased,
          (select count(*)::int from dead_letter d where d.host_id = c.id) as dead_letters
     from chosen c
     left join lateral (select sum(queued) as queued, sum(leased) as leased
                          from host_queue where host_id = c.id) q on true
    order by c.id`,
);
