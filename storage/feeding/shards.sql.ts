/** Shards of hosts: when their schedulers rest, and how a shard is split. */
import { onceHeld } from '../frontier/index.ts';
import { storedStages } from '../../domain/stage.ts';
import { statement } from '../postgres/index.ts';
import { isUnread } from '../unread.ts';
import { earliestTurn, isAnyDue } from './waiting-hosts.ts';

/**
 * Number of shards: as many as hosts were ever spread over, and those that splits have made. `spread`: the number of
 * shards that new hosts are spread over now, which is remembered.
 */
export const countShards = statement<[spread: number], { shards: number }>('count-shards')`
   with noted as (
     insert into shard (id) select generate_series(0, $1 - 1) on conflict do nothing
   )
   select greatest($1, (select max(id) from shard) + 1, (select max(to_shard) from shard_split) + 1)::int as shards`;

const ofShard = (shard: string): string => `q.known and q.shard = ${shard}`;

/**
 * Notes that the scheduler of a shard rests until the next turn of a host, and for `mostMs` milliseconds at most.
 * Answers for how long. What becomes due before is found by `claimDueShards`, which sees the note.
 */
export const restShard = statement<[shard: number, mostMs: number], { ms: number }>('rest-shard')`
   insert into shard (id, rests_until)
   values ($1, least(now() + $2 * interval '1 millisecond', ${earliestTurn(ofShard('$1'))}))
   on conflict (id) do update set rests_until = excluded.rests_until
   returning greatest(0, extract(epoch from rests_until - now()) * 1000)::float8 as ms`;

/**
 * Shards whose schedulers rest although there is work: a host is due, a body waits to be read or rendered, or a lease has run out
 * that nobody returned. The caller must wake their schedulers. Each is answered once.
 */
export const claimDueShards = statement<[], { id: number }>('claim-due-shards')`
   update shard s set rests_until = null
    where s.id in (select id from shard where rests_until > now() order by id for update skip locked)
      and (exists (select from url u where ${isUnread('u')})
           or exists (select from url where stage > 0 and stage = ${String(storedStages.render)})
           or ${isAnyDue(ofShard('s.id'))}
           or exists (select from host h where h.shard = s.id and h.fed and h.parked_at is null
                                           and h.lease_token is not null and h.lease_until < now()))
   returning s.id`;

/**
 * Splits a shard: notes the new shard, to which `moveHosts` then gives about half of the hosts. No row: the shard is
 * being split already, or there are as many shards as there may be. `least`: the new shard has no lower number.
 */
export const splitShard = statement<[shard: number, least: number], { into: number }>('split-shard')`
   insert into shard_split (from_shard, to_shard)
   select $1, made.shard
     from (select greatest($2, (select max(id) + 1 from shard), (select max(to_shard) + 1 from shard_split))::smallint as shard) made
    where made.shard < 64 and not exists (select from shard_split where from_shard = $1 and done_at is null)
   on conflict do nothing
   returning to_shard as into`;

/**
 * Gives hosts of a shard that is being split to the new shard: looks at the next `limit` hosts of all shards, by id.
 * Nothing but the shard changes: leases, places and workflows stay as they are, so that a host that is worked is worked
 * on. A queue that begins at the same moment may keep the old shard: either scheduler may give the host its place, and
 * only one does, since both need the host's row.
 */
export const moveHosts = statement<[shard: number, limit: number], { done: boolean }>('move-hosts')`
   with split as materialized (
     select * from shard_split where from_shard = $1 and done_at is null for update
   ), span as materialized (
     select s.seq, s.to_shard, s.moved_after, (select max(id) from (select id from host where id > s.moved_after order by id limit $2) h) as upto
       from split s
   ), moving as materialized (
     select h.id from host h, span
      where h.id > span.moved_after and h.id <= span.upto and h.shard = $1 and goes_along(span.seq, h.origin)
      order by h.id for update of h
   ), held as materialized (
     select q.host_id, q.crawl_id from host_queue q where q.host_id in (select id from moving)
      order by q.host_id, q.crawl_id for update
   ), queues as (
     update host_queue q set shard = span.to_shard from held l, span where q.host_id = l.host_id and q.crawl_id = l.crawl_id
   ), moved as (
     update host h set shard = span.to_shard from span where h.id in (select id from moving) and ${onceHeld}
     returning h.id
   )
   update shard_split s
      set moved_after = coalesce(span.upto, s.moved_after), moved = s.moved + (select count(*) from moved),
          done_at = case when span.upto is null then now() end
     from span where s.seq = span.seq
   returning done_at is not null as done`;

export interface SplitRow {
  readonly from_shard: number;
  readonly to_shard: number;
  readonly moved: number;
  readonly done: boolean;
}

export const listSplits = statement<[], SplitRow>('list-splits')`
   select from_shard, to_shard, moved::int as moved, done_at is not null as done from shard_split order by seq`;
