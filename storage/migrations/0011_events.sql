-- The outbox: what happened to a crawl, in order.
create table event (
  id        bigint generated always as identity primary key,
  crawl_id  bigint not null,
  number    bigint not null,
  at        timestamptz not null default now(),
  kind      text not null,
  data      jsonb not null default '{}'
);
create unique index event_crawl on event (crawl_id, number);

-- Events are numbered within their crawl, so that no number tells how much happens to other crawls. A writer of an
-- event holds the crawl's row, so numbers are committed in their order, and none appears late.
create function number_event() returns trigger language plpgsql as $$
begin
  select coalesce(max(number), 0) + 1 into new.number from event where crawl_id = new.crawl_id;
  return new;
end $$;
create trigger event_numbered before insert on event for each row execute function number_event();
