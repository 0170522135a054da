/** How hosts are given places among those that are worked, and asked to give them back. */
import {
  countOfWaiting,
  heldPlaces,
  hostIsKnown,
  looked,
  queueIsDue,
  waitingHosts,
  type Looked,
} from './waiting-hosts.ts';
import { onceHeld } from '../frontier/index.ts';
import { storedStages } from '../../domain/stage.ts';
import { statement } from '../postgres/index.ts';
import { isUnread } from '../unread.ts';
import { isItsTurn } from '../hosts/index.ts';

/**
 * Hosts of a shard that count under its cap of active hosts, for the statements that count them: a workflow has them,
 * and they can be visited within a minute. Hosts that sleep for longer (paused, in backoff, with a long delay or
 * outside their windows) take no place: otherwise a few hundred silent hosts would hold up all others for hours.
 */
const workedHosts = (shard: string): string =>
  `host where shard = ${shard} and fed and paused_at is null and not_before < now() + interval '1 minute' and closed_until <= now()`;

/** When all places are taken, a look sees so many hosts of each queue that wait; the next tick sees more. */
const atOnce = 16;

/**
 * What is taken of the places of a shard, and hosts that wait for one: known hosts with due URLs that nobody works. The
 * look is as wide as places are free and may be given, `most`; if none is, it tells whether somebody waits who should have
 * one.
 */
export const hostsForPlaces = statement<[shard: number, activeHosts: number, most: number], Looked>(
  'hosts-for-places',
)`
   with worked as materialized (
     select coalesce(fed_for, 0) as crawl_id, fed_tier as tier, count(*)::int as hosts from ${workedHosts('$1')} group by 1, 2
   ), room as materialized (
     select case when coalesce(sum(hosts), 0) < $2
                 then least($2 - coalesce(sum(hosts), 0)::int, greatest($3, ${atOnce})) else ${atOnce} end as free
       from worked
   ), ${waitingHosts({
     of: 'q.known and q.shard = $1',
     free: '(select free from room)',
     crawl: 'true',
     host: hostIsKnown,
   })}, ${heldPlaces('worked')}
   ${looked}`;

/**
 * Hosts of a shard that have a place, and whose first visit has not begun: nobody has their lease, and nothing was asked
 * there since. A start that takes a minute is not waited for: its host may be lent, or wait for a fetch slot.
 */
export const countUnbegun = statement<[shard: number], { unbegun: number }>('count-unbegun')`
   select count(*)::int as unbegun from ${workedHosts('$1')}
      and parked_at is null and lease_token is null and not idle and not_before <= now()
      and fed_at > now() - interval '1 minute' and coalesce(asked_at, '-infinity') < fed_at`;

/** As `countOfWaiting`, of hosts that wait for a place in a shard. */
export const countWaiting = statement<[shard: number, most: number], { waiting: number }>('count-waiting')`
   ${countOfWaiting('q.known and q.shard = $1', '$2')}`;

export interface FedHost {
  readonly id: number;
  readonly origin: string;
}

/**
 * Marks hosts as worked, those that nobody took meanwhile. `places`: [{host_id, crawl_id, tier}]. The statement locks
 * the queues in their order before it marks the hosts, since marking fires the trigger that takes away the turns of
 * these queues.
 */
export const feedHosts = statement<[places: string], FedHost>('feed-hosts')`
   with place as materialized (
     select * from json_to_recordset($1) as r(host_id bigint, crawl_id bigint, tier smallint)
   ), chosen as materialized (
     select h.id, p.crawl_id, p.tier from host h join place p on p.host_id = h.id
      where h.id in (select host_id from place)
        and not h.fed and h.parked_at is null and h.paused_at is null and greatest(h.not_before, h.closed_until) <= now() + interval '1 second'
      order by h.id for update of h skip locked
   ), held as materialized (
     select from host_queue q where q.host_id in (select id from chosen) and q.has_queued
      order by q.host_id, q.crawl_id for update
   )
   update host h set fed = true, fed_at = now(), fed_for = c.crawl_id, fed_tier = c.tier, yield_at = null
     from chosen c where h.id = c.id and ${onceHeld}
   returning h.id, h.origin`;

export interface AskedBack {
  readonly id: number;
  readonly origin: string;
  /** The host's workflow sleeps until the host may be visited, so the caller must tell the workflow. */
  readonly asleep: boolean;
}

/**
 * The order of a crawl's worked hosts in a tier: the last host gives its place back first. Last come hosts that were
 * asked to a moment ago and still have their places. Before them come hosts that can give their places back soon,
 * because a slice is under way or a timer ends before one. First come hosts that are in trouble, lent, or wait for a
 * fetch slot. Among hosts of one kind, the host that was worked longest comes last.
 */
const givingBack = `case when failures > 0 or lent then 0
                         when yield_at > now() - interval '30 seconds' then 2
                         when lease_until > now() or not_before > now() then 1
                         else 0 end, fed_at desc nulls last, id`;

/** Marks hosts that must give their places back. `asks`: [{crawl_id, tier, hosts}], how many of which. */
export const askPlacesBack = statement<[shard: number, asks: string], AskedBack>('ask-places-back')`
   with ask as materialized (
     select * from json_to_recordset($2) as r(crawl_id bigint, tier smallint, hosts int)
   ), worked as (
     select id, coalesce(fed_for, 0) as crawl_id, fed_tier as tier,
            row_number() over (partition by coalesce(fed_for, 0), fed_tier order by ${givingBack}) as nth,
            count(*) over (partition by coalesce(fed_for, 0), fed_tier) as all_of
       from ${workedHosts('$1')}
   ), beyond as materialized (
     select h.id from host h
      where h.id in (select id from worked w join ask using (crawl_id, tier) where w.nth > w.all_of - ask.hosts)
        and h.fed and h.yield_at is null
      order by h.id for update skip locked
   )
   update host h set yield_at = now() from beyond b where h.id = b.id
   returning h.id, h.origin, h.lease_token is null and h.not_before > now() as asleep`;

/**
 * Puts right the turns of hosts that were looked at too early. `queues`: [{host_id, crawl_id}]. The statement runs
 * under the lock of the host, so that nobody gives the host back meanwhile: a turn is never noted too late. A host that
 * has not answered for a day no longer counts as answering. If all URLs of a host are due later, the host is looked at
 * again when the first is due, and within three seconds at the latest: URLs found there meanwhile wait no longer than
 * that. A host that waits for its crawl's own delay is looked at again within ten seconds: the delay may have been
 * lowered. A crawl that the site has logged out has no turn (`letBackIn`). The tier is that of the URLs that are left.
 */
export const correctTurns = statement<[queues: string]>('correct-turns')`
   with early as materialized (
     select * from json_to_recordset($1) as r(host_id bigint, crawl_id bigint)
   ), h as materialized (
     select id, fed or parked_at is not null as in_hand, known_at,
            greatest(not_before, closed_until,
                     case when known_at is null then greatest(lease_until, guest_until, lend_until) end) as at,
            coalesce(greatest(known_at, asked_at) < now() - interval '1 day', false) as forgotten
       from host where id in (select host_id from early)
      order by id for update skip locked
   ), held as materialized (
     select q.host_id, q.crawl_id from host_queue q join early e using (host_id, crawl_id)
      where q.host_id in (select id from h) order by q.host_id, q.crawl_id for update of q
   ), forgotten as (
     update host set known_at = null from h
      where host.id = h.id and h.known_at is not null and h.forgotten and not h.in_hand
        and (select count(*) from held) >= 0
   )
   update host_queue q
      set known = h.known_at is not null,
          tier = due_tier(q.host_id, q.crawl_id),
          turn_at = case when h.in_hand or q.logged_out_at is not null then null
                         when h.at > now() then h.at
                         when ${queueIsDue} then q.turn_at
                         when not (${isItsTurn})
                           then least(now() + interval '10 seconds', greatest(q.own_turn_at, q.held_until))
                         else greatest(now() + interval '1 second',
                                       least(now() + interval '3 seconds',
                                             (select min(due_at)
                                                from (select due_at from url
                                                       where host_id = q.host_id and crawl_id = q.crawl_id
                                                         and state = 'queued'
                                                       order by priority desc, key limit 100) first))) end
     from held l join h on h.id = l.host_id
    where q.host_id = l.host_id and q.crawl_id = l.crawl_id and q.turn_at <= now()`;

export interface ShardActivity {
  /** Hosts that are worked in the shard. */
  readonly active: number;
  /** Is any crawl running? */
  readonly running: boolean;
  /** Are seeds being queued? */
  readonly seeding: boolean;
  /** Are hosts of the shard given to another shard? */
  readonly splitting: boolean;
  /** Do bodies wait to be read, in any shard? */
  readonly unread: boolean;
  /** Worker processes that read bodies. */
  readonly readers: number;
  /** Do pages wait for a round of the browser, in any shard? */
  readonly rendering: boolean;
  /** Worker processes that render pages. */
  readonly renderers: number;
}

/** Notes the look as well, every five seconds at most. */
export const shardActivity = statement<[shard: number], ShardActivity>('shard-activity')`
   with noted as (
     update shard set looked_at = now()
      where id = $1 and coalesce(looked_at, '-infinity') < now() - interval '5 seconds'
   )
   select (select count(*)::int from ${workedHosts('$1')}) as active,
          exists (select 1 from crawl where state in ('seeding', 'running', 'draining')) as running,
          exists (select 1 from crawl where state = 'seeding') as seeding,
          exists (select 1 from url u where ${isUnread('u')}) as unread,
          exists (select 1 from url where stage > 0 and stage = ${String(storedStages.render)}) as rendering,
          (select count(*)::int from worker_process
            where 'render' = any (roles) and seen_at > now() - interval '15 seconds') as renderers,
          exists (select 1 from shard_split where from_shard = $1 and done_at is null) as splitting,
          (select count(*)::int from worker_process
            where 'extract' = any (roles) and seen_at > now() - interval '15 seconds') as readers`;
