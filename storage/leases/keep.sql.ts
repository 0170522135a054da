/** How a lease is renewed and given back. */
import { halfForgotten } from '../../domain/host-quality.ts';
import { askAgainMs, turnRequests } from '../../domain/lending.ts';
import { statement, type Queryable } from '../postgres/index.ts';
import { notingTimes, type NotedTime } from '../times/index.ts';
import { fetcherWants, isOurs } from './take.sql.ts';

/** A lease of which there is something to tell. */
export interface LeaseNews {
  readonly token: number;
  /**
   * True: its holder has lost it. False: it was renewed, but somebody waits for the host, so the visit must end soon.
   * Null: it was renewed, but a foreign fetcher wants the host, so the visit ends after its turn.
   */
  readonly lost: boolean | null;
}

/**
 * Renews the leases of a process, all in one statement, and answers those that are lost, or whose visits must end soon
 * because somebody waits: another host's visit or a foreign fetcher wants to send a request, somebody wants the
 * host's place among the hosts that are worked, or a crawl that the visit does not serve has URLs queued here. Of
 * thousands of leases there are usually none.
 * `held`: [{id, token, crawls}]; `crawls` are those that the visit serves, null if it serves none.
 */
export const renewLeases = statement<[held: string, leaseMs: number], LeaseNews>('renew-leases')`
   with asked as materialized (
     select * from json_to_recordset($1) as r(id bigint, token bigint, crawls bigint[])
   ), held as materialized (
     select h.id, r.crawls from host h join asked r on h.id = r.id and h.lease_token = r.token
      order by h.id for update of h
   ), renewed as (
     update host h set lease_until = now() + $2 * interval '1 millisecond'
       from held where h.id = held.id
     returning h.lease_token as token,
               coalesce(greatest(h.guest_until, h.lend_until) > now(), false)
               or held.crawls is not null
                  and (h.yield_at is not null
                       or exists (select from host_queue q join crawl c on c.id = q.crawl_id and c.state = 'running'
                                   where q.host_id = h.id and q.has_queued and q.crawl_id <> all (held.crawls)))
               as others_wait, ${fetcherWants} as fetcher_wants
   )
   select token, true as lost from asked where token not in (select token from renewed)
   union all
   select token, case when others_wait then false end from renewed where others_wait or fetcher_wants`;

/** Asks the holder of the host's lease, if there is one, to end its visit. */
export const cutVisit = statement<[hostId: string]>('cut-visit')`
   update host set cut_token = lease_token where id = $1 and lease_token is not null`;

/**
 * The leases of all processes whose visits must end, because they were cut, or because the settings of the host were
 * changed after the lease was taken (a trigger cuts them). They are few: a lease that is returned is cut no longer.
 */
export const cutLeases = statement<[], { token: number }>('cut-leases')`
   select cut_token as token from host where cut_token is not null and cut_token = lease_token`;

/**
 * Leaves a host alone for so many milliseconds, as an answer under this lease has asked. @param forAllMs the part of it
 * that holds for all tenants, whoever is blamed for trouble of the host
 */
export const leaveHostAlone = statement<[hostId: string, token: number, ms: number, forAllMs: number]>(
  'leave-host-alone',
)`
   update host set not_before = greatest(not_before, now() + $3 * interval '1 millisecond'),
                   others_from = greatest(others_from, now() + $4 * interval '1 millisecond')
    where id = $1 and lease_token = $2`;

/** What was requested of the host under the lease, and for how long the host is closed now. */
export interface Visit {
  /** Milliseconds since the head of the last answer; null: nothing was asked. */
  readonly askedAgoMs: number | null;
  /** Milliseconds that this answer took, from when its request left to the answer's end; null: not known. */
  readonly tookMs: number | null;
  /** The day on the host's calendar, and all requests that were counted for that day. */
  readonly day: string;
  readonly used: number;
  /** The part of the wait that does not come from the pace, in milliseconds. */
  readonly heldMs: number;
  /**
   * Revision of the settings under which the visit was made. If the settings were changed since, this visit's pace and
   * closing are not written: the next holder judges both.
   */
  readonly revision: number;
  /** Milliseconds for which the host is closed by its windows or its quota; 0: it is open. */
  readonly closedMs: number;
}

/** Whose URLs have shown the trouble of a host. */
export interface Blamed {
  /** The tenant whose URLs alone have shown it; 0: it is for all. */
  readonly tenantId: number;
  /** Milliseconds after which others than this tenant may ask the host. */
  readonly forAllMs: number;
}

/** What the holder of a lease has learnt about its host. */
export interface Leaving {
  /** Milliseconds from now until the host may be visited. */
  readonly waitMs: number;
  /** Milliseconds of this wait that are the host's pace. */
  readonly paceMs: number;
  readonly failures: number;
  readonly lastError: string | null;
  /** Absent: the holder has met no trouble. */
  readonly blamed?: Blamed;
  /** The wait, apart from the pace, is because this installation has no room for answers; absent: as before. */
  readonly eased?: boolean;
  /** Requests that a worker of ours has sent: its turn beside foreign fetchers; absent: none. */
  readonly sent?: number;
  /** Requests that tell how the host is doing, and how many of them failed; absent: none. */
  readonly asked?: number;
  readonly failed?: number;
  /** Null: the holder says nothing of requests, and what the row says of them stays. */
  readonly visit: Visit | null;
}

/** What a visit leaves of the sums of earlier ones. Its exponent is bounded: a `real` that becomes too small is an error. */
const kept = `power(0.5, least(l.asked, ${String(10 * halfForgotten)}) / ${String(halfForgotten)})`;

/** How long the host must wait now, as an interval; without its pace if settings were changed meanwhile. */
const waited = `interval '1 millisecond' *
                         case when settings_revision = coalesce(l.revision, settings_revision) then l.wait_ms else l.held_ms end`;

/** Instants count from the statement: in a transaction, `now()` is its begin, and the next request would come too soon. */
const release = statement<
  [hostId: string | number, token: number, leaving: string, times: string],
  { id: number }
>('release-lease')`
   with left_behind as (
   update host
      set lease_token = null, lease_until = null, cut_token = null,
          not_before = greatest(not_before, statement_timestamp() + ${waited}),
          paced_until = greatest(paced_until, statement_timestamp() + interval '1 millisecond' *
                          case when settings_revision = coalesce(l.revision, settings_revision) then l.pace_ms else 0 end),
          failures = l.failures, last_error = l.last_error, eased = coalesce(l.eased, host.eased),
          failing_since = case when l.failures = 0 then null else coalesce(failing_since, statement_timestamp()) end,
          blamed_tenant = case when l.failures > 0 then nullif(coalesce(l.blamed, host.blamed_tenant), 0) end,
          others_from = greatest(others_from, statement_timestamp() + l.for_all_ms * interval '1 millisecond'),
          asked_at = coalesce(statement_timestamp() - l.asked_ago_ms * interval '1 millisecond', asked_at),
          took_ms = coalesce(l.took_ms, host.took_ms),
          requests_day = coalesce(l.day, requests_day), requests_used = coalesce(l.used, requests_used),
          fed_tier = case when fed and fed_for is not null then due_tier(id, fed_for) else fed_tier end,
          recent_asked = host.recent_asked * ${kept} + l.asked,
          recent_failed = case when host.recent_failed > 0.000001 then host.recent_failed * ${kept} else 0 end + l.failed,
          requests_reserved = 0, lent = lent and (l.sent = 0 or ${isOurs}),
          lend_began = case when l.sent = 0 then lend_began else statement_timestamp() end,
          lend_turns = case when l.sent = 0 then lend_turns
                            when ${fetcherWants} then least(l.sent, ${turnRequests}) else 0 end,
          lend_until = case when l.sent > 0 and ${fetcherWants} then
                              statement_timestamp() + ${waited} + interval '${askAgainMs} milliseconds'
                            else lend_until end,
          closed_until = case when coalesce(l.closed_ms, 0) = 0 or settings_revision <> l.revision then '-infinity'
                              else statement_timestamp() + l.closed_ms * interval '1 millisecond' end
     from jsonb_to_record($3::jsonb) as l(
            wait_ms float8, pace_ms float8, failures int, last_error text, eased boolean, asked_ago_ms float8, took_ms real,
            day text, used int, closed_ms float8, held_ms float8, revision int, asked float8, failed float8, sent int,
            blamed bigint, for_all_ms float8)
    where id = $1 and lease_token = $2
   returning id
   ), ${notingTimes('$4', 'q.host_id = $1 and exists (select from left_behind)')}
   select id from left_behind`;

/**
 * Returns a lease cleanly, with what its holder has learnt about the host: when it may be visited again and how it is
 * doing; and with where the time of the visit went. No row: the lease had been lost, and its new holder knows better.
 */
export const releaseLease = (
  db: Queryable,
  hostId: string | number,
  token: number,
  { waitMs, paceMs, failures, lastError, blamed, eased, asked = 0, failed = 0, sent = 0, visit }: Leaving,
  times: readonly NotedTime[] = [],
): Promise<{ id: number }[]> =>
  release(
    db,
    hostId,
    token,
    JSON.stringify({
      wait_ms: waitMs,
      pace_ms: paceMs,
      failures,
      last_error: lastError,
      eased,
      asked,
      failed,
      sent,
      blamed: blamed?.tenantId,
      for_all_ms: blamed?.forAllMs,
      ...(visit !== null && {
        asked_ago_ms: visit.askedAgoMs,
        took_ms: visit.tookMs,
        day: visit.day,
        used: visit.used,
        closed_ms: visit.closedMs,
        held_ms: visit.heldMs,
        revision: visit.revision,
      }),
    }),
    JSON.stringify(times),
  );
