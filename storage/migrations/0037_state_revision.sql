-- How often a crawl's state has changed. Whoever changes it next names the number that it knows: a process that was
-- frozen meanwhile knows an older one, and changes nothing.
alter table crawl add column state_revision integer not null default 0;

create function crawl_state_changed() returns trigger language plpgsql as $$
begin
  new.state_revision := old.state_revision + 1;
  return new;
end $$;

create trigger crawl_state_changed before update of state on crawl for each row
  when (old.state is distinct from new.state) execute function crawl_state_changed();
