-- expand: backups that have ended, and events that pass numbers over.
-- The latest that is whole tells how much would be lost.
create table backup (
  -- As in its repository; of one that failed, as it would have been.
  id       text primary key,
  began_at timestamptz not null,
  ended_at timestamptz not null default now(),
  -- Stored bytes of all its parts, and of those that were new. Null: it failed.
  bytes    bigint,
  added    bigint,
  -- Why it failed, for people.
  error    text
);
create index backup_whole on backup (began_at) where error is null;

-- An event may come with a number, if that is behind all others of its crawl: after a restore, numbers that were given
-- out since the backup are passed over.
create or replace function number_event() returns trigger language plpgsql as $$
begin
  select greatest(coalesce(max(number), 0) + 1, new.number) into new.number from event where crawl_id = new.crawl_id;
  return new;
end $$;
