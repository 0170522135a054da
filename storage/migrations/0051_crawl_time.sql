-- A crawl's time is that in which it may send requests: pauses, and what passed between an end and a new beginning, are
-- not in it. However its state is changed, the trigger sees it.
alter table crawl
  add column rests_since timestamptz,
  add column rested      interval not null default '0';
update crawl set rests_since = coalesce(ended_at, now()) where state in ('paused', 'finished', 'cancelled', 'failed');

create function crawl_rested() returns trigger language plpgsql as $$
begin
  if new.state in ('paused', 'finished', 'cancelled', 'failed') then
    new.rests_since := coalesce(old.rests_since, now());
  elsif old.rests_since is not null then
    -- What it waited before it first began is no part of its time anyway.
    if old.started_at is not null then new.rested := old.rested + (now() - old.rests_since); end if;
    new.rests_since := null;
  end if;
  return new;
end $$;
create trigger crawl_rested before update of state on crawl for each row
  when (old.state is distinct from new.state) execute function crawl_rested();
