-- What a host's server errors (5xx) of the last day amount to; see domain/server-errors.ts.
alter table host
  add column errors_since   timestamptz,
  add column errors         integer not null default 0,
  add column errors_answers integer not null default 0,
  add column outages        integer not null default 0,
  add column outage_at      timestamptz;
