/** What a visit reads about a host, and what it stores. */
import type { TroubleClass } from '../../domain/trouble.ts';
import { statement } from '../postgres/index.ts';
import { isUnread } from '../unread.ts';
import { turnInMs } from './crawl-turns.ts';

export interface HostHold {
  /** Why an operator has paused the host; null: the host is not paused. */
  readonly paused: string | null;
  /** The trouble that parked the host, its class, and the milliseconds that it has lasted; null: the host is not parked. */
  readonly parked: string | null;
  readonly trouble: TroubleClass | null;
  readonly trouble_ms: number;
  /** A new crawl waits for an answer of the host (`askParkedHosts`). */
  readonly asked: boolean;
}

/** What keeps a host from being visited until somebody acts; no row: nothing does. */
export const hostHold = statement<[hostId: string], HostHold>('host-hold')`
   select case when paused_at is not null then coalesce(paused_reason, '') end as paused,
          case when parked_at is not null then coalesce(last_error, '') end as parked,
          trouble, extract(epoch from now() - coalesce(failing_since, parked_at, now()))::float8 * 1000 as trouble_ms,
          exists (select from host_queue q where q.host_id = host.id and q.asking is not null) as asked
     from host where id = $1 and (paused_at is not null or parked_at is not null)`;

export interface HostOutlook {
  readonly queued: number;
  readonly dead_letters: number;
  /** A running crawl has a URL that is due here, and the crawl has its turn. */
  readonly due: boolean;
  /** Milliseconds until a running crawl with a due URL has its turn; null: no URL is due. */
  readonly turn_ms: number | null;
  /** A fetched body waits for dedup or extraction. */
  readonly pending: boolean;
  /** A crawl or tenant with fewer places wants the place of this host. */
  readonly yields: boolean;
  /** Crawls with URLs queued or in hand here, most queued first: the ids of some, and how many others there are. */
  readonly wanted_by: { readonly crawls: readonly string[]; readonly more: number };
}

/** How many crawls are named. */
const named = 5;

/** The work that waits at a host, over all crawls. */
export const hostOutlook = statement<[hostId: string], HostOutlook>('host-outlook')`
   select (select coalesce(sum(queued), 0)::int from host_queue where host_id = $1) as queued,
          (select count(*)::int from dead_letter where host_id = $1) as dead_letters,
          coalesce(turn.in_ms = 0, false)
          or exists (select 1 from url where host_id = $1 and state = 'leased') as due, turn.in_ms as turn_ms,
          exists (select 1 from url u where u.host_id = $1 and ${isUnread('u')}) as pending,
          (select yield_at is not null from host where id = $1) as yields,
          (select json_build_object(
                    'crawls', coalesce(json_agg(crawl_id::text order by place) filter (where place <= ${named}), '[]'),
                    'more', greatest(0, count(*) - ${named}))
             from (select crawl_id, row_number() over (order by queued desc, crawl_id) as place
                     from host_queue where host_id = $1 and (has_queued or leased > 0)) wanting) as wanted_by
     from (select min(${turnInMs}) as in_ms from host_queue q
             join crawl c on c.id = q.crawl_id and c.state = 'running'
            cross join lateral (select 1 from url u
                                 where u.host_id = q.host_id and u.crawl_id = q.crawl_id
                                   and u.state = 'queued' and u.due_at <= now() limit 1) due
            where q.host_id = $1 and q.has_queued) turn`;

/** Milliseconds for which a host may not be visited. */
export const hostRest = statement<[hostId: string], { rest_ms: number }>('host-rest')`
   select greatest(0, extract(epoch from not_before - now()) * 1000)::float8 as rest_ms from host where id = $1`;

export interface StoredRobots {
  readonly status: number;
  readonly body: string | null;
  /** The address that answered; null: not known. */
  readonly address: string | null;
  readonly fetched_at: Date;
  /** Milliseconds since robots.txt was fetched. */
  readonly age_ms: number;
  readonly kept_ms: number | null;
}

export const loadRobots = statement<[hostId: string], StoredRobots>('load-robots')`
   select status, body, address, fetched_at, (extract(epoch from now() - fetched_at) * 1000)::float8 as age_ms,
          kept_ms
     from robots where host_id = $1`;

/**
 * @param body null: the host has no robots.txt, so everything is allowed. @param cut what limits left out of the file
 * (domain/limits.ts), as JSON @param address of the host that answered; null: not known @param place of this address @param keptMs for how long the
 * answer said that the copy may be kept; null: it said nothing
 */
export const saveRobots = statement<{
  hostId: string;
  status: number;
  body: string | null;
  cut: string;
  address: string | null;
  place: readonly string[] | null;
  keptMs: number | null;
}>('save-robots')`
   insert into robots (host_id, status, body, cut, address, place, kept_ms, fetched_at)
   values ($hostId, $status, $body, nullif($cut::jsonb, '{}'), $address, $place, $keptMs, now())
   on conflict (host_id) do update set status = excluded.status, body = excluded.body, cut = excluded.cut,
                                    address = excluded.address, place = excluded.place, kept_ms = excluded.kept_ms,
                                    fetched_at = now()`;

/** The address that answered when robots.txt of the host was read; null: not known. */
export const robotsAddress = statement<[hostId: number], { address: string | null }>('robots-address')`
   select address from robots where host_id = $1`;

/** What a host has taught (domain/host-memory.ts); ages in milliseconds. */
export interface LessonsRow {
  readonly failing: readonly string[];
  readonly complained: readonly string[];
  readonly well_age_ms: number | null;
  readonly outages: number;
  readonly outage_age_ms: number | null;
  readonly slowdown: number;
  readonly clean: number;
  readonly since_complaint: number;
  readonly complained_age_ms: number | null;
  readonly base_delay_ms: number | null;
  /**
   * Revision of the host's settings under which this was learnt: a change of the delay since has set the slowdown back.
   */
  readonly revision: number;
}

/** Stores what a host has taught, under the host's lease. @param lessons a `LessonsRow` */
export const saveLessons = statement<[hostId: string, token: number, lessons: string]>('save-lessons')`
   update host
      set failing = l.failing, complained = l.complained, outages = l.outages,
          well_at = now() - l.well_age_ms * interval '1 millisecond',
          outage_at = now() - l.outage_age_ms * interval '1 millisecond',
          slowdown = case when settings_revision = l.revision then l.slowdown else host.slowdown end,
          clean = case when settings_revision = l.revision then l.clean else host.clean end,
          since_complaint = l.since_complaint,
          complained_at = now() - l.complained_age_ms * interval '1 millisecond',
          base_delay_ms = l.base_delay_ms
     from json_to_record($3) as l(
       failing text[], complained text[], well_age_ms float8, outages int, outage_age_ms float8, slowdown smallint,
       clean int, since_complaint int, complained_age_ms float8, base_delay_ms real, revision bigint)
    where id = $1 and lease_token = $2`;

/** Reserves requests before they are sent, under a lease that is held; no row: the lease was lost. */
export const reserveRequests = statement<[hostId: string, token: number, requests: number], { id: number }>(
  'reserve-requests',
)`
   update host set requests_reserved = requests_reserved + $3 where id = $1 and lease_token = $2 returning id`;
