-- Hosts: what operators set, what a host's answers have taught, who may send requests to a host, and when.

create table host (
  id                 bigint generated always as identity primary key,
  -- Scheme and authority: the unit of politeness.
  origin             text not null unique,
  shard              smallint not null,

  -- The settings that an operator gave, as one value (contracts/hosts.ts: HostSettings); a setting that is not in the
  -- value is not set. Each change raises the revision, so that slices under way notice it.
  settings           jsonb not null default '{}',
  settings_revision  integer not null default 0,
  -- When an operator paused the host: no request is sent until the pause ends.
  paused_at          timestamptz,
  paused_reason      text,

  -- fed: a host workflow was asked to work this host. By fed_at the scheduler notices a workflow that got lost.
  -- fed_for: the crawl among whose places the host counts.
  fed                boolean not null default false,
  fed_at             timestamptz,
  fed_for            bigint,
  -- The tier of the host's URLs for that crawl when the host was fed, or last gave its lease back (front_tier).
  fed_tier           smallint not null default 1,
  -- The host's workflow waits to be told of new URLs.
  idle               boolean not null default false,
  -- Since when a crawl or tenant with fewer places wants the place of this host: the host's workflow gives the place
  -- back at the end of a slice. Kept until the host is fed again, so that a workflow that went on all the same gives
  -- the place back after its next slice.
  yield_at           timestamptz,
  -- When the host was last found to answer; null: the door asks the host before a workflow is started for it.
  known_at           timestamptz,
  -- Not null: the host waits for a person or a probe; its URLs stay queued.
  parked_at          timestamptz,

  -- No request is sent before this time (delay, Retry-After, backoff).
  not_before         timestamptz not null default '-infinity',
  -- The part of not_before that comes from the pace alone: it stays when an operator has the rest forgotten.
  paced_until        timestamptz not null default '-infinity',
  -- The rest of not_before is because this installation had no room for answers (domain/pressure.ts).
  eased              boolean not null default false,
  -- Until then the windows or the quota close the host, as far as known; a slice judges this anew. Until then nobody
  -- need look at the host.
  closed_until       timestamptz not null default '-infinity',
  -- Time of the head of the last answer, and the milliseconds that this answer took: the next delay counts from them.
  asked_at           timestamptz,
  took_ms            real,
  -- The delay of the last slice, before any slowdown; null: there was no slice yet.
  base_delay_ms      real,
  -- Requests of a day in the host's time zone, and requests reserved under the lease that is held.
  requests_day       text,
  requests_used      integer not null default 0,
  requests_reserved  integer not null default 0,

  -- The exclusive right to send requests. If lease_until has passed and the token is still set, the holder has not
  -- returned the lease.
  lease_token        bigint,
  lease_until        timestamptz,
  -- When a look found that lease_until had passed and the token was still set; a later look decides.
  suspect_at         timestamptz,
  -- The lease whose visit is to end soon: somebody has paused the host, has it tried again, or has changed its settings.
  -- Each process that fetches looks once a second for the leases that are cut. They are few, and the look must not cost
  -- more with each host that is visited.
  cut_token          bigint,
  -- Until then a slice of another host waits for one request here (a robots.txt that redirects).
  guest_until        timestamptz,
  -- lent: a foreign fetcher had the last turn, and the next is the workers' own.
  -- lend_until: a foreign fetcher waits for the host; slices of ours end soon, and none begins before this time.
  lent               boolean not null default false,
  lend_until         timestamptz,

  -- What the host's answers say about it (domain/blame.ts, domain/pace.ts). Failures of the host in a row, and the last
  -- of them.
  failures           integer not null default 0,
  failing_since      timestamptz,
  last_error         text,
  -- Different URLs that failed since the last good answer, and those that were answered with a complaint (429, 503):
  -- the first bytes of their keys, in hex.
  failing            text[] not null default '{}',
  complained         text[] not null default '{}',
  -- When the last good answer came, as of the end of the last visit and to within a few minutes.
  well_at            timestamptz,
  -- slowdown: the delay is multiplied by 2^slowdown. It falls with clean answers since the last complaint, and with the
  -- time since then.
  slowdown           smallint not null default 0,
  since_complaint    integer not null default 0,
  complained_at      timestamptz,
  clean              integer not null default 0,
  -- Outages with server errors, one after another (domain/host-memory.ts).
  outages            integer not null default 0,
  outage_at          timestamptz,
  -- Requests of visits, and how many of them failed, as sums of which half is forgotten with each 64 requests
  -- (domain/host-quality.ts).
  recent_asked       real not null default 0,
  recent_failed      real not null default 0,
  -- What follows from the host's quality, as the last look at it left it (0019_quality.sql). budget: requests a day,
  -- unless an operator has set a quota; null: as any host. esteem: 1: an authority in every crawl, -1: in none, 0: only
  -- where a seed names the host.
  budget             integer,
  esteem             smallint not null default 0,
  -- When somebody asked for robots.txt to be read again: copies from before this time are no longer fresh.
  robots_asked_at    timestamptz,

  -- Turns of our workers and of foreign fetchers at a host that both want are as many requests, or, where the fetchers
  -- are slow, as much time (domain/lending.ts).
  -- lend_turns: requests that foreign fetchers may still send in their turn; `lent` says that the workers are next.
  -- lend_wanted_until: until then a foreign fetcher counts as wanting the host, so that visits of ours end after a turn.
  lend_turns         smallint not null default 0,
  lend_wanted_until  timestamptz,
  -- lend_began: when the fetchers' turn began. ours_until: until then the workers' turn lasts, because that of the
  -- fetchers was slow and took as long.
  lend_began         timestamptz,
  ours_until         timestamptz,
  -- Trouble of a host that only URLs of one tenant have shown is for this tenant alone (domain/blame.ts).
  -- blamed_tenant: that tenant, while the host is in trouble; null: the trouble is for all, or there is none.
  -- others_from: before this time nobody else may ask the host either.
  -- The entries of `failing` and `complained` name the tenant behind an `@`; those without one are nobody's.
  blamed_tenant      bigint,
  others_from        timestamptz
);
create sequence lease_token as bigint;

-- The shards that hosts were ever spread over, and those that splits have made.
create table shard (
  id           smallint primary key check (id between 0 and 63),
  -- The scheduler found nothing to do and does not look again before this time, unless it is woken
  -- (activities/scheduler-waker.ts). Null: it has not rested yet, or was woken.
  rests_until  timestamptz
);

-- How shards were split, in order. A host of `from_shard` belongs to `to_shard` if `goes_along` says so; a host that is
-- met later finds its shard through all splits, one after another (`placed_shard`).
create table shard_split (
  seq          smallint generated always as identity primary key,
  from_shard   smallint not null,
  to_shard     smallint not null unique check (to_shard between 1 and 63),
  asked_at     timestamptz not null default now(),
  -- Hosts up to this id were looked at, and so many of them were given to the new shard. done_at: all were.
  moved_after  bigint not null default 0,
  moved        bigint not null default 0,
  done_at      timestamptz
);
-- A shard is split into two at a time.
create unique index shard_splitting on shard_split (from_shard) where done_at is null;

create function goes_along(split smallint, origin text) returns boolean language sql immutable parallel safe as $$
  select get_byte(decode(md5(split || ' ' || origin), 'hex'), 0) < 128
$$;
create function placed_shard(origin text, base smallint) returns smallint language plpgsql stable as $$
declare
  at smallint := base;
  split record;
begin
  for split in select seq, from_shard, to_shard from shard_split order by seq loop
    if split.from_shard = at and goes_along(split.seq, origin) then at := split.to_shard; end if;
  end loop;
  return at;
end $$;

-- For finding hosts among millions (GET /v1/hosts?state=). Only columns that few hosts have set are in an index, so
-- that leases of all other hosts stay updates within their page (HOT). not_before is in no index: every slice moves it.
create index host_fed on host (shard) where fed;
create index host_parked on host (id) where parked_at is not null;
create index host_paused on host (id) where paused_at is not null;
create index host_failing on host (id) where failures > 0 and parked_at is null;
create index host_closed on host (id) where closed_until > '-infinity';
create index host_cut on host (id) where cut_token is not null;
create index host_blamed on host (shard) where blamed_tenant is not null;

create function host_settings_changed() returns trigger language plpgsql as $$
begin
  new.cut_token := new.lease_token;
  return new;
end $$;
create trigger host_settings_changed before update of settings_revision on host
  for each row when (old.settings_revision <> new.settings_revision) execute function host_settings_changed();

-- The name of a host, from its origin, spelt backwards: a domain and all names below it are then one range of an index.
create function reversed_host_name(origin text) returns text language sql immutable parallel safe as $$
  select reverse(substring(origin from '^[a-z]+://(\[[^]]*\]|[^:/]*)'))
$$;
create index host_reversed_name on host ((reversed_host_name(origin)) collate "C");

-- The host's robots.txt as last read; body null: everything is allowed (4xx).
create table robots (
  host_id     bigint primary key references host (id),
  status      smallint not null,
  body        text,
  -- What limits left out of the file (domain/limits.ts). All crawls share it.
  cut         jsonb,
  -- The address that answered; null: not known. Foreign fetchers borrow the host under the cap of this address.
  address     text,
  fetched_at  timestamptz not null,
  -- How long the answer said that this copy may be kept, in milliseconds, from ten minutes to a day
  -- (domain/robots-freshness.ts); null: it said nothing, and the copy is kept for a day.
  kept_ms     integer
);
create index robots_cut on robots (host_id) where cut is not null;
