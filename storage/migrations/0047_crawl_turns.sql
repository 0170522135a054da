-- The turns of a crawl at a host are spaced by its own delay (domain/pace.ts), those of others are not.
alter table host_queue
  -- the head of the last answer to a request of this crawl here; its own delay counts from it
  add column asked_at     timestamptz,
  -- no turn before this: by its own delay, where that is longer than the host's, as the settings of that version have it
  add column own_turn_at      timestamptz not null default '-infinity',
  add column turn_version integer not null default 0,
  -- no turn before this: by what a foreign fetcher of its tenant has reported of the host
  add column held_until   timestamptz not null default '-infinity';
