-- Regions (F17): from where hosts are fetched (domain/regions.ts). An instance without regions has no row here.

create table region (
  name      text primary key,
  -- When a process that fetches last named the region in its settings, and when one that fetches in it last said that it
  -- is at work.
  named_at  timestamptz not null default now(),
  seen_at   timestamptz not null default '-infinity'
);

-- The place of the address that answered, by the GeoIP file: country and continent (`de`, `continent-eu`); null: not known.
alter table robots add column place text[];

-- The region whose doors ask the host; empty: any. A door that meets a host of another region notes that region here, so
-- that its own looks find the hosts of its region alone, however many wait for a slower one.
alter table host_queue add column region text not null default '';
drop index host_queue_door;
create index host_queue_door on host_queue (crawl_id, region, tier, authority, turn_at)
 where not known and has_queued and turn_at is not null;
