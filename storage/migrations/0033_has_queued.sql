-- Whether URLs are queued is a column of its own. An update that changes a column named in an index, or in its condition,
-- writes the row anew in every index of the table; `queued` changes with each URL, `has_queued` seldom.

alter table host_queue add column has_queued boolean not null generated always as (queued > 0) stored;
drop index host_queue_waiting;
drop index host_queue_turn;
drop index host_queue_door;
create index host_queue_waiting on host_queue (host_id) where has_queued;
create index host_queue_turn on host_queue (crawl_id, shard, tier, authority, turn_at)
 where known and has_queued and turn_at is not null;
create index host_queue_door on host_queue (crawl_id, tier, authority, turn_at)
 where not known and has_queued and turn_at is not null;

create or replace function host_turned() returns trigger language plpgsql as $$
declare
  at constant timestamptz := greatest(new.not_before, new.closed_until);
begin
  if new.fed or new.parked_at is not null then
    update host_queue set turn_at = null where host_id = new.id and has_queued and turn_at is not null;
  else
    update host_queue
       set turn_at = at, known = new.known_at is not null, shard = new.shard, tier = due_tier(host_id, crawl_id)
     where host_id = new.id
       and (turn_at is null or has_queued and (turn_at > at or known <> (new.known_at is not null)));
  end if;
  return null;
end $$;
