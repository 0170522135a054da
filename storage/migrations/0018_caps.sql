-- Caps on hosts together: on those at one address, and on those of one registered domain (domain/caps.ts).

-- What operators set for an address or a domain; all others have the caps of the process settings.
create table cap (
  -- A registered domain, an IPv4 address, or the /64 of an IPv6 address.
  name        text primary key,
  -- Requests per second; null: no cap.
  rate        double precision,
  -- Requests in flight; null: as many as the rate.
  in_flight   integer,
  changed_at  timestamptz not null default now()
);

-- Processes that hold permits. A process whose time is over has none any more, and finds its row gone.
create table permit_holder (
  id          uuid primary key,
  held_until  timestamptz not null
);

-- Who has which permits of a group (domain/caps.ts: GroupBooks). Only groups of which somebody has a permit have a row.
create table permit_group (
  name   text primary key,
  books  jsonb not null
);

-- Hosts that wait for a permit, for people who ask why; a row that is over means nothing.
create table cap_wait (
  host_id  bigint primary key references host (id),
  name     text not null,
  until    timestamptz not null
);
