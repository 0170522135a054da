/** What operators do with a host. */
import { mayKnow } from '../may-know.ts';
import { statement } from '../postgres/index.ts';

/**
 * Changes those settings of a host that `change` names (a `HostSettingsChange`); null takes a setting back. Waits that
 * come only from the old settings are forgotten: opening times, quota, and the pace. The next slice judges them anew,
 * the pace from `asked_at`. A change of the delay also ends the slowdown. Retry-After and backoff stay. No row: the
 * settings have none of these `revisions` (null: any revision will do), and nothing was changed.
 */
export const changeHostSettings = statement<
  [hostId: string | number, change: string, revisions: readonly number[] | null],
  { origin: string }
>('change-host-settings')`
   update host
      set settings = jsonb_strip_nulls(settings || c),
          slowdown = case when c ? 'delaySeconds' then 0 else slowdown end,
          clean = case when c ? 'delaySeconds' then 0 else clean end,
          settings_revision = settings_revision + 1,
          closed_until = '-infinity', lend_until = null,
          not_before = case when not_before <= paced_until and asked_at is not null
                            then least(not_before, now()) else not_before end,
          paced_until = case when asked_at is null then paced_until else least(paced_until, now()) end
     from (select $2::jsonb as c) change
    where id = $1 and ($3::bigint[] is null or settings_revision = any ($3))
   returning origin`;

/**
 * Pauses a host for an operator, with the reason; `reason` null ends the pause. A host that is already paused keeps the
 * time at which its pause began.
 */
export const setHostPause = statement<[hostId: string, reason: string | null]>('set-host-pause')`
   update host set paused_at = case when $2::text is not null then coalesce(paused_at, now()) end, paused_reason = $2
    where id = $1`;

/** Excludes up to `limit` URLs queued at a host, for good, with the reason; returns one row for each. */
export const dropHost = statement<[hostId: string, reason: string, limit: number], { crawl_id: number }>(
  'drop-host',
)`
   with held as materialized (
     select crawl_id from host_queue where host_id = $1 and has_queued order by crawl_id for update
   ), chosen as materialized (
     select u.crawl_id, u.key from held q
      cross join lateral (select crawl_id, key from url
                           where host_id = $1 and crawl_id = q.crawl_id and state = 'queued' limit $3) u
      limit $3
   )
   update url u set state = 'excluded', reason = 'dropped', detail = $2
     from chosen c where u.host_id = $1 and u.crawl_id = c.crawl_id and u.key = c.key and u.state = 'queued'
   returning u.crawl_id`;

/**
 * Makes the next slice read robots.txt of a host before its next request, whatever copy is kept. A wait that comes only
 * from the pace of the old copy is judged anew, from `asked_at`; a slice under way ends. No row: there is no such host.
 */
export const askRobots = statement<[origin: string], { id: number }>('ask-robots')`
   update host
      set robots_asked_at = now(), settings_revision = settings_revision + 1, lend_until = null,
          not_before = case when not_before <= paced_until and asked_at is not null
                            then least(not_before, now()) else not_before end,
          paced_until = case when asked_at is null then paced_until else least(paced_until, now()) end
    where origin = $1
   returning id`;

/**
 * Notes that the crawl waits for one answer of each of these hosts that is parked and has queued URLs of the crawl. A
 * host that gave this crawl an answer within the hour is not asked again: millions of seeds come in thousands of
 * batches.
 */
export const askParkedHosts = statement<[crawlId: number, origins: readonly string[]], { host_id: number }>(
  'ask-parked-hosts',
)`
   with chosen as materialized (
     select q.host_id from host h join host_queue q on q.host_id = h.id and q.crawl_id = $1
      where h.origin = any ($2) and h.parked_at is not null and q.has_queued
        and q.asking is null and coalesce(q.ask_answered_at, '-infinity') < now() - interval '1 hour'
      order by q.host_id for update of q
   )
   update host_queue q set asking = '-infinity' from chosen c where q.host_id = c.host_id and q.crawl_id = $1
   returning q.host_id`;

/**
 * Claims up to 50 parked hosts for whose answer a crawl waits: hosts that nobody has claimed yet, or that were claimed
 * more than a minute ago and still have not answered. The caller must tell their workflows to ask.
 */
export const claimAsks = statement<[crawlId: number], { host_id: string; origin: string }>('claim-asks')`
   with chosen as materialized (
     select q.host_id, h.origin from host_queue q join host h on h.id = q.host_id
      where q.crawl_id = $1 and q.asking < now() - interval '1 minute' and q.has_queued and h.parked_at is not null
      order by q.host_id limit 50 for update of q skip locked
   )
   update host_queue q set asking = now() from chosen c where q.host_id = c.host_id and q.crawl_id = $1
   returning c.host_id::text, c.origin`;

/** Ends the waits of all crawls for an answer of the host: the host was asked, or to ask would be pointless. */
export const answerAsks = statement<[hostId: string], { crawl_id: number }>('answer-asks')`
   with chosen as materialized (
     select crawl_id from host_queue where host_id = $1 and asking is not null order by crawl_id for update
   )
   update host_queue q set asking = null, ask_answered_at = now() from chosen c where q.host_id = $1 and q.crawl_id = c.crawl_id
   returning q.crawl_id`;

/**
 * Writes an event about each of these hosts for each of these crawls. The caller must hold their rows. `reason` null: there
 * is none; a crawl whose tenant may not know it is not told it, unless it is the crawl's own.
 */
export const tellOfHost = statement<
  [
    crawlIds: readonly number[],
    kind: string,
    hostIds: readonly (number | string)[],
    reason: string | null,
    own: boolean,
  ]
>('tell-of-host')`
   insert into event (crawl_id, kind, data)
   select c.id, $2, jsonb_strip_nulls(jsonb_build_object('host', h.origin, 'reason', case when $5 or ${mayKnow('c')} then $4::text end))
     from host h join crawl c on c.id = any ($1)
     left join host_queue q on q.host_id = h.id and q.crawl_id = c.id
    where h.id = any ($3) order by c.id, h.id`;

/**
 * Ends the waits of crawls for their own delays, after the host's settings were changed: slices judge these waits anew.
 */
export const forgetTurns = statement<[hostId: string | number]>('forget-turns')`
   with held as materialized (
     select q.crawl_id from host_queue q where q.host_id = $1 and q.own_turn_at > now() order by q.crawl_id for update
   )
   update host_queue q set own_turn_at = '-infinity' from held where q.host_id = $1 and q.crawl_id = held.crawl_id`;
