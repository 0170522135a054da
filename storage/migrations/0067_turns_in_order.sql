-- Whose turn a host is: the tiers of its queues, and their turns as the host is taken and given back.

-- The tier of a URL of this priority (domain/front-queue/tiers.ts).
create function front_tier(priority real) returns smallint language sql immutable parallel safe as $$
  select case when priority >= 0.3::real then 0 when priority >= 0.12::real then 1 else 2 end::smallint
$$;
-- The tier of a crawl's URLs at a host: of those due among the first twenty in line, else of the first.
create function due_tier(host bigint, crawl bigint) returns smallint language sql stable as $$
  select coalesce((select front_tier(priority)
                     from (select priority, due_at from url
                            where host_id = host and crawl_id = crawl and state = 'queued'
                            order by priority desc, key limit 20) first
                    order by due_at <= now() desc, priority desc limit 1), 2::smallint)
$$;

create function host_queue_begun() returns trigger language plpgsql as $$
declare
  esteem smallint;
begin
  select h.shard, h.known_at is not null, h.esteem into new.shard, new.known, esteem from host h where h.id = new.host_id;
  new.authority := case esteem when 1 then true when -1 then false else new.authority end;
  new.shard := coalesce(new.shard, 0);
  new.known := coalesce(new.known, false);
  return new;
end $$;
create trigger host_queue_begun before insert on host_queue for each row execute function host_queue_begun();

-- A host that a workflow takes leaves the turns of all crawls, and a host that is given back returns to them. When a
-- host is taken, crawls without work there are left alone: a crawl that has ended costs nothing. Admitting a URL
-- touches no turn, so that admission and feeding need not wait for each other: a queue that began meanwhile, or got
-- work, is looked at once too often at worst.
--
-- The queues of a host are locked by crawl before they change: an update takes them in the order in which it meets them,
-- and stood in a deadlock with a writer that takes them in the one order of locks (storage/frontier/queue-locks.ts).
create function host_turned() returns trigger language plpgsql as $$
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
create trigger host_turned after update on host for each row
  when (old.fed <> new.fed or (old.parked_at is null) <> (new.parked_at is null)
        or not new.fed and new.parked_at is null
           and ((old.known_at is null) <> (new.known_at is null)
                or greatest(new.not_before, new.closed_until) < greatest(old.not_before, old.closed_until)))
  execute function host_turned();
