-- Hosts: what operators set, what their answers have taught, who may send a request to them, and when.

create table host (
  id                 bigint generated always as identity primary key,
  -- scheme + authority: the unit of politeness
  origin             text not null unique,
  shard              smallint not null,

  -- What an operator set, as one value (contracts/hosts.ts: HostSettings); a setting that is not in it is not set. The
  -- revision is raised with each change, so that slices under way hear of it.
  settings           jsonb not null default '{}',
  settings_revision  integer not null default 0,
  -- an operator's pause: nothing is sent until it is ended
  paused_at          timestamptz,
  paused_reason      text,

  -- A host workflow was asked to work this host; fed_at lets the scheduler notice one that got lost. The crawl whose place
  -- it takes among those that are worked.
  fed                boolean not null default false,
  fed_at             timestamptz,
  fed_for            bigint,
  -- its workflow waits to be told of new URLs
  idle               boolean not null default false,
  -- Since when somebody who has fewer places wants that of this host: its workflow gives it back at the end of a slice.
  -- Kept until the host is fed again, so that a workflow that went on all the same gives it back after its next one.
  yield_at           timestamptz,
  -- when it was last found to answer; null: the door asks it before a workflow is started for it
  known_at           timestamptz,
  -- set: waits for a person or a probe; its URLs stay queued
  parked_at          timestamptz,

  -- no request before this (crawl-delay, Retry-After, backoff)
  not_before         timestamptz not null default '-infinity',
  -- the part of it that is plain pace: kept when an operator has the rest forgotten
  paced_until        timestamptz not null default '-infinity',
  -- closed by its windows or its quota, which a slice judges anew; saves looking before
  closed_until       timestamptz not null default '-infinity',
  -- the head of the last answer, and what that answer took in milliseconds: the next delay counts from them
  asked_at           timestamptz,
  took_ms            real,
  -- the delay that the last slice went by, before any slowdown; null: there was none yet
  base_delay_ms      real,
  -- requests of a day in the host's time zone, and those reserved under the lease that is held
  requests_day       text,
  requests_used      integer not null default 0,
  requests_reserved  integer not null default 0,

  -- the exclusive right to send requests; a token that is set while lease_until has passed was not cleanly returned
  lease_token        bigint,
  lease_until        timestamptz,
  -- another host's slice waits for one request here (a robots.txt that redirects)
  guest_until        timestamptz,
  -- lent: the last turn was a foreign fetcher's, and the workers' own comes next.
  -- lend_until: a foreign fetcher waits for the host; slices of ours end soon and begin no earlier than this.
  lent               boolean not null default false,
  lend_until         timestamptz,

  -- What its answers say of it (domain/blame.ts, domain/pace.ts). Host-level failures in a row, with the last one.
  failures           integer not null default 0,
  failing_since      timestamptz,
  last_error         text,
  -- different URLs that failed since the last good answer, and those that complained (429, 503): first bytes of keys, hex
  failing            text[] not null default '{}',
  complained         text[] not null default '{}',
  -- when an answer was last good, to within a few minutes
  well_at            timestamptz,
  -- learned manners: the delay is multiplied by 2^slowdown; it eases up with clean answers since the last complaint, and
  -- with the time since then
  slowdown           smallint not null default 0,
  since_complaint    integer not null default 0,
  complained_at      timestamptz,
  clean              integer not null default 0,
  -- closures for server errors, one after another (domain/server-errors.ts)
  outages            integer not null default 0,
  outage_at          timestamptz,
  -- somebody wants robots.txt to be read again: copies from before this are no longer fresh
  robots_asked_at    timestamptz
);
create sequence lease_token as bigint;

-- Hosts found among millions (GET /v1/hosts?state=). Only what is rare is in an index: its columns change for few hosts,
-- so that leases of all others stay updates within their page (HOT). not_before is in none: every slice moves it.
create index host_fed on host (shard) where fed;
create index host_parked on host (id) where parked_at is not null;
create index host_paused on host (id) where paused_at is not null;
create index host_failing on host (id) where failures > 0 and parked_at is null;
create index host_closed on host (id) where closed_until > '-infinity';

-- Name of a host from its origin, backwards: a domain and all below it are then one range of an index.
create function reversed_host_name(origin text) returns text language sql immutable parallel safe as $$
  select reverse(substring(origin from '^[a-z]+://(\[[^]]*\]|[^:/]*)'))
$$;
create index host_reversed_name on host ((reversed_host_name(origin)) collate "C");

-- The host's robots.txt as last seen; body null: allow all (4xx).
create table robots (
  host_id     bigint primary key references host (id),
  status      smallint not null,
  body        text,
  -- what limits left out of it (domain/limits.ts); crawls share it
  cut         jsonb,
  fetched_at  timestamptz not null
);
create index robots_cut on robots (host_id) where cut is not null;
