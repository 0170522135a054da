-- The queues of a host are locked by crawl before they change: an update takes them in the order in which it meets them,
-- and stood in a deadlock with a writer that takes them in the one order of locks (storage/frontier/queue-locks.ts).
create or replace function host_turned() returns trigger language plpgsql as $$
declare
  at constant timestamptz := greatest(new.not_before, new.closed_until);
begin
  if new.fed or new.parked_at is not null then
    update host_queue q set turn_at = null
      from (select crawl_id from host_queue where host_id = new.id and has_queued and turn_at is not null
             order by crawl_id for update) held
     where q.host_id = new.id and q.crawl_id = held.crawl_id;
  else
    update host_queue q
       set turn_at = at, known = new.known_at is not null, shard = new.shard, tier = due_tier(q.host_id, q.crawl_id)
      from (select crawl_id from host_queue
             where host_id = new.id
               and (turn_at is null or has_queued and (turn_at > at or known <> (new.known_at is not null)))
             order by crawl_id for update) held
     where q.host_id = new.id and q.crawl_id = held.crawl_id;
  end if;
  return null;
end $$;
