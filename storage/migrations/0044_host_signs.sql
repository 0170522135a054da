-- What a host's answers say of it (domain/blame.ts, domain/pace.ts): different URLs that failed since the last good
-- answer, those that complained (429, 503), and when an answer was last good. Server errors are no longer counted.
alter table host
  drop column errors_since,
  drop column errors,
  drop column errors_answers,
  -- first bytes of their keys, in hex
  add column failing         text[] not null default '{}',
  add column complained      text[] not null default '{}',
  -- to within a few minutes
  add column well_at         timestamptz,
  -- clean answers since the last complaint, and when that was; slowdown eases up with both
  add column since_complaint integer not null default 0,
  add column complained_at   timestamptz,
  -- the delay that the last slice went by, before any slowdown; null: there was none yet
  add column base_delay_ms   real,
  -- somebody wants robots.txt to be read again: copies from before this are no longer fresh
  add column robots_asked_at timestamptz;
