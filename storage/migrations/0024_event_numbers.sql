-- Events are numbered within their crawl, so that no number tells how much happens to crawls of others. Whoever writes
-- one holds the crawl's row: numbers are committed in their order, and none is ever filled in later.
alter table event add column number bigint;
update event e set number = n.number
  from (select id, row_number() over (partition by crawl_id order by id) as number from event) n where n.id = e.id;
alter table event alter column number set not null;
drop index event_crawl;
create unique index event_crawl on event (crawl_id, number);

create function number_event() returns trigger language plpgsql as $$
begin
  select coalesce(max(number), 0) + 1 into new.number from event where crawl_id = new.crawl_id;
  return new;
end $$;
create trigger event_numbered before insert on event for each row execute function number_event();
