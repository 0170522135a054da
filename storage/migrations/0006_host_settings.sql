-- What operators set for single hosts (F05, F18), the requests of the day, and how crawls share a host (G3).
-- See domain/windows.ts, domain/quota.ts and domain/pace.ts.
alter table host
  -- set by an operator, beside delay_ms; null: nobody said
  add column concurrency        smallint,
  add column delay_factor       real,
  add column windows            jsonb,
  add column daily_quota        integer,
  -- raised with each change of a setting, so that slices under way hear of it
  add column settings_revision  integer not null default 0,
  -- the head of the last answer, and what that answer took in milliseconds: the next delay counts from them
  add column asked_at           timestamptz,
  add column took_ms            real,
  -- requests of a day in the host's time zone, and those reserved under the lease that is held
  add column requests_day       text,
  add column requests_used      integer not null default 0,
  add column requests_reserved  integer not null default 0,
  -- closed by its windows or its quota, which a slice judges anew; saves looking before
  add column closed_until       timestamptz not null default '-infinity';

-- Where a crawl stands in the turns at a host (statements/lease-urls.ts): the higher, the more it has had for its weight.
alter table host_queue add column served double precision not null default '-infinity';
