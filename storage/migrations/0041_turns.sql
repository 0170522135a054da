-- Hosts are worked in fair turns of tenants and crawls, and only those get a workflow that answer (statements/feed-hosts.ts,
-- statements/hosts-at-door.ts). Both look for the next hosts of each crawl; an index leads there, however many wait.

alter table host
  -- when it was last found to answer; null: the door asks it before a workflow is started for it
  add column known_at timestamptz,
  -- the crawl whose place it takes among those that are worked
  add column fed_for bigint;

alter table host_queue
  -- of the host
  add column shard smallint not null default 0,
  add column known boolean not null default false,
  -- Not before this is it the host's turn; those that wait longest go first. It may be too early, never too late: whoever
  -- looks and finds it too early puts it right under the host's lock. Null: a workflow has the host, or it is parked.
  add column turn_at timestamptz default now();
update host_queue q set shard = h.shard from host h where h.id = q.host_id and h.shard <> 0;
create index host_queue_turn on host_queue (crawl_id, shard, turn_at) where known and queued > 0 and turn_at is not null;
create index host_queue_door on host_queue (crawl_id, turn_at) where not known and queued > 0 and turn_at is not null;

create function host_queue_begun() returns trigger language plpgsql as $$
begin
  select h.shard, h.known_at is not null into new.shard, new.known from host h where h.id = new.host_id;
  new.shard := coalesce(new.shard, 0);
  new.known := coalesce(new.known, false);
  return new;
end $$;
create trigger host_queue_begun before insert on host_queue for each row execute function host_queue_begun();

-- A host that is taken in hand leaves the turns of all crawls, one that is given back returns to them. Those without work
-- there are left alone when it is taken: a crawl that has ended costs nothing. Whoever admits a URL touches no turn, so
-- that the two need not wait for each other: a queue that began meanwhile, or got work, is at worst looked at once.
create function host_turned() returns trigger language plpgsql as $$
declare
  at constant timestamptz := greatest(new.not_before, new.closed_until);
begin
  if new.fed or new.parked_at is not null then
    update host_queue set turn_at = null where host_id = new.id and queued > 0 and turn_at is not null;
  else
    update host_queue set turn_at = at, known = new.known_at is not null
     where host_id = new.id
       and (turn_at is null or queued > 0 and (turn_at > at or known <> (new.known_at is not null)));
  end if;
  return null;
end $$;
create trigger host_turned after update on host for each row
  when (old.fed <> new.fed or (old.parked_at is null) <> (new.parked_at is null)
        or not new.fed and new.parked_at is null
           and ((old.known_at is null) <> (new.known_at is null)
                or greatest(new.not_before, new.closed_until) < greatest(old.not_before, old.closed_until)))
  execute function host_turned();

-- The entry of the opt-out list that covers a host, the narrowest; null: none. As `coveringDomain` in domain/opt-out.ts,
-- which has the last word before a request leaves: here hosts are sorted out of which nothing is to be asked at all.
create function opt_out_covering(origin text) returns text language sql stable as $$
  select o.domain
    from (select substring(origin from '^[a-z]+://(\[[^]]*\]|[^:/]*)') as name) host
   cross join lateral (
     select case when name like '[%' then array[name]
                 else array(select array_to_string(parts[i:], '.')
                              from (select string_to_array(name, '.') as parts) p, generate_subscripts(parts, 1) i) end
            as tails) t
    join opt_out o on o.domain = any (t.tails)
   order by length(o.domain) desc limit 1
$$;
