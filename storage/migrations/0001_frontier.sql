-- The truth: crawls, hosts, URLs, contents, dead letters, counters, events. Immutable once released; see docs/design.md, "Data".

create type crawl_state as enum ('seeding', 'running', 'paused', 'draining', 'finished', 'cancelled', 'failed');

create table crawl (
  id          bigint generated always as identity primary key,
  state       crawl_state not null default 'seeding',
  -- why it stands where it stands: 'complete', 'max-pages', 'max-seconds', an operator's words …
  reason      text,
  config      jsonb not null,
  created_at  timestamptz not null default now(),
  started_at  timestamptz,
  ended_at    timestamptz
);

-- What was asked for, line by line; a rejected seed is kept with its reason (F01).
create table seed (
  crawl_id  bigint not null references crawl (id),
  line      integer not null,
  url       text not null,
  rejected  text,
  primary key (crawl_id, line)
);

create table host (
  id             bigint generated always as identity primary key,
  -- scheme + authority: the unit of politeness
  origin         text not null unique,
  shard          smallint not null,
  -- a host workflow was asked to work this host; fed_at lets the scheduler notice one that got lost
  fed            boolean not null default false,
  fed_at         timestamptz,
  -- its workflow waits to be told of new URLs
  idle           boolean not null default false,
  -- set: waits for a person or a probe; its URLs stay queued
  parked_at      timestamptz,
  -- what an operator set for a host one owns; null: the crawls' and the robots.txt's say
  delay_ms       integer,
  -- learned manners: the delay is multiplied by 2^slowdown; clean answers in a row let it decay
  slowdown       smallint not null default 0,
  clean          integer not null default 0,
  -- host-level failures in a row, with the last one
  failures       integer not null default 0,
  failing_since  timestamptz,
  last_error     text,
  -- no request before this (crawl-delay, Retry-After, backoff)
  not_before     timestamptz not null default '-infinity',
  -- the part of it that is plain pace: kept when an operator has the rest forgotten
  paced_until    timestamptz not null default '-infinity',
  -- the exclusive right to send requests; a token that is set while lease_until has passed was not cleanly returned
  lease_token    bigint,
  lease_until    timestamptz,
  -- another host's slice waits for one request here (a robots.txt that redirects)
  guest_until    timestamptz
);
create index host_fed on host (shard) where fed;
create index host_parked on host (id) where parked_at is not null;
create sequence lease_token as bigint;

-- The host's robots.txt as last seen; body null: allow all (4xx).
create table robots (
  host_id     bigint primary key references host (id),
  status      smallint not null,
  body        text,
  fetched_at  timestamptz not null
);

-- Who this database is: shared caches keep its keys apart from those of any other, earlier ones included.
create table instance (id uuid primary key default gen_random_uuid());
insert into instance default values;

create type url_state as enum ('queued', 'leased', 'done', 'excluded', 'dead', 'failed');

create table url (
  host_id       bigint not null,
  crawl_id      bigint not null,
  -- first 16 bytes of SHA-256 of the canonical URL
  key           bytea not null,
  -- as found; what is fetched
  url           text not null,
  state         url_state not null,
  -- 0: page, 1: sitemap
  kind          smallint not null default 0,
  -- work still owed to a fetched body. 0: none, 1: dedup, 2: extract
  stage         smallint not null default 0,
  seed          boolean not null default false,
  depth         smallint not null,
  -- redirects that led here, one after another
  hops          smallint not null default 0,
  priority      real not null,
  due_at        timestamptz not null default now(),
  discovered_at timestamptz not null default now(),
  parent_host   bigint,
  parent_key    bytea,
  lease_token   bigint,
  -- requests that ended without a final outcome; those of them that were the URL's own trouble; leases lost to a crash
  attempts      smallint not null default 0,
  tries         smallint not null default 0,
  reclaims      smallint not null default 0,
  -- requests answered, and body bytes that came over the wire for the last one
  fetches       smallint not null default 0,
  bytes         bigint not null default 0,
  fetched_at    timestamptz,
  status        smallint,
  -- class of an excluded, dead or failed URL, and one sentence on it
  reason        text,
  detail        text,
  content_hash  bytea,
  content_type  text,
  robots_tag    text,
  etag          text,
  last_modified text,
  redirect_to   text,
  truncated     text,
  -- the page this one is a duplicate of
  alias_host    bigint,
  alias_key     bytea,
  primary key (host_id, crawl_id, key)
) with (fillfactor = 80);
create index url_queue on url (host_id, crawl_id, priority desc, key) where state = 'queued';
create index url_leased on url (host_id) where state = 'leased';
create index url_stage on url (host_id, stage) where stage > 0;
create index url_pages on url (crawl_id, fetched_at, host_id, key) where fetched_at is not null;

-- Which crawls have work at which host. Kept by the triggers below, in the same statement as the URLs.
create table host_queue (
  host_id    bigint not null,
  crawl_id   bigint not null,
  queued     bigint not null default 0,
  leased     bigint not null default 0,
  total      bigint not null default 0,
  -- when this crawl last got a lease here: the one that waited longest goes first
  served_at  timestamptz not null default '-infinity',
  primary key (host_id, crawl_id)
) with (fillfactor = 50);
create index host_queue_waiting on host_queue (host_id) where queued > 0;
create index host_queue_crawl on host_queue (crawl_id);

-- discovered = queued + leased + done + excluded + dead + failed, at every instant, summed over the shards.
-- A shard belongs to a database session, so that writers do not wait for one another; single shards may be negative.
create table ledger (
  crawl_id    bigint not null,
  shard       smallint not null,
  discovered  bigint not null default 0,
  queued      bigint not null default 0,
  leased      bigint not null default 0,
  done        bigint not null default 0,
  excluded    bigint not null default 0,
  dead        bigint not null default 0,
  failed      bigint not null default 0,
  -- of done: answered with 2xx and not a sitemap
  pages       bigint not null default 0,
  -- of done: dedup or extraction still owed
  pending     bigint not null default 0,
  fetches     bigint not null default 0,
  bytes       bigint not null default 0,
  primary key (crawl_id, shard)
) with (fillfactor = 50);

create function url_counts_after_insert() returns trigger language plpgsql as $$
begin
  insert into host_queue as q (host_id, crawl_id, queued, total)
  select host_id, crawl_id, count(*) filter (where state = 'queued'), count(*)
    from new_rows group by host_id, crawl_id order by host_id, crawl_id
  on conflict (host_id, crawl_id) do update
    set queued = q.queued + excluded.queued, total = q.total + excluded.total;
  insert into ledger as l (crawl_id, shard, discovered, queued, done, excluded, dead, failed)
  select crawl_id, pg_backend_pid() % 32, count(*),
         count(*) filter (where state = 'queued'), count(*) filter (where state = 'done'),
         count(*) filter (where state = 'excluded'), count(*) filter (where state = 'dead'),
         count(*) filter (where state = 'failed')
    from new_rows group by crawl_id order by crawl_id
  on conflict (crawl_id, shard) do update
    set discovered = l.discovered + excluded.discovered, queued = l.queued + excluded.queued,
        done = l.done + excluded.done, excluded = l.excluded + excluded.excluded,
        dead = l.dead + excluded.dead, failed = l.failed + excluded.failed;
  return null;
end $$;

create function url_counts_after_update() returns trigger language plpgsql as $$
begin
  with change as (
    select host_id, crawl_id, 1 as n, state from new_rows
    union all
    select host_id, crawl_id, -1, state from old_rows
  ), delta as (
    select host_id, crawl_id,
           coalesce(sum(n) filter (where state = 'queued'), 0) as queued,
           coalesce(sum(n) filter (where state = 'leased'), 0) as leased
      from change group by host_id, crawl_id order by host_id, crawl_id
  ), locked as materialized (
    select q.host_id, q.crawl_id, d.queued, d.leased
      from delta d join host_queue q using (host_id, crawl_id)
     where d.queued <> 0 or d.leased <> 0
     order by q.host_id, q.crawl_id for update of q
  )
  update host_queue q
     set queued = q.queued + d.queued, leased = q.leased + d.leased,
         served_at = case when d.leased > 0 then now() else q.served_at end
    from locked d where q.host_id = d.host_id and q.crawl_id = d.crawl_id;

  insert into ledger as l (crawl_id, shard, queued, leased, done, excluded, dead, failed, pages, pending, fetches, bytes)
  select crawl_id, pg_backend_pid() % 32,
         coalesce(sum(n) filter (where state = 'queued'), 0), coalesce(sum(n) filter (where state = 'leased'), 0),
         coalesce(sum(n) filter (where state = 'done'), 0), coalesce(sum(n) filter (where state = 'excluded'), 0),
         coalesce(sum(n) filter (where state = 'dead'), 0), coalesce(sum(n) filter (where state = 'failed'), 0),
         coalesce(sum(n) filter (where state = 'done' and status between 200 and 299 and kind = 0), 0),
         coalesce(sum(n) filter (where stage > 0), 0),
         sum(n * fetches), sum(n * bytes)
    from (select crawl_id, 1 as n, state, status, kind, stage, fetches, bytes from new_rows
          union all
          select crawl_id, -1, state, status, kind, stage, fetches, bytes from old_rows) change
   group by crawl_id order by crawl_id
  on conflict (crawl_id, shard) do update
    set queued = l.queued + excluded.queued, leased = l.leased + excluded.leased, done = l.done + excluded.done,
        excluded = l.excluded + excluded.excluded, dead = l.dead + excluded.dead, failed = l.failed + excluded.failed,
        pages = l.pages + excluded.pages, pending = l.pending + excluded.pending,
        fetches = l.fetches + excluded.fetches, bytes = l.bytes + excluded.bytes;
  return null;
end $$;

create trigger url_inserted after insert on url
  referencing new table as new_rows
  for each statement execute function url_counts_after_insert();
create trigger url_updated after update on url
  referencing old table as old_rows new table as new_rows
  for each statement execute function url_counts_after_update();

-- The page that stands for a body within a crawl; the others with that body are its aliases (F20).
create table content (
  crawl_id  bigint not null,
  hash      bytea not null,
  host_id   bigint not null,
  key       bytea not null,
  primary key (crawl_id, hash)
);

-- What extraction found. The text is not kept: it is read from the body again where somebody asks for it.
create table page (
  host_id      bigint not null,
  crawl_id     bigint not null,
  key          bytea not null,
  title        text,
  description  text,
  language     text,
  charset      text,
  words        integer not null,
  links        integer not null,
  canonical    text,
  noindex      boolean not null,
  nofollow     boolean not null,
  cut          text[] not null,
  text_hash    bytea,
  -- a line each; those within the page's own origin from its path on
  outlinks     text not null,
  extracted_at timestamptz not null default now(),
  primary key (host_id, crawl_id, key)
);
create index page_text on page (crawl_id, text_hash) where text_hash is not null;

-- One row for each request that ended without a final outcome: the retry history of explain (G5).
create table attempt (
  host_id   bigint not null,
  crawl_id  bigint not null,
  key       bytea not null,
  at        timestamptz not null default now(),
  class     text not null,
  status    smallint,
  message   text not null
);
create index attempt_url on attempt (host_id, crawl_id, key, at);

-- URLs whose retries are spent, with class and evidence; the url row stands in state failed.
create table dead_letter (
  host_id     bigint not null,
  crawl_id    bigint not null,
  key         bytea not null,
  class       text not null,
  status      smallint,
  message     text not null,
  attempts    smallint not null,
  created_at  timestamptz not null default now(),
  primary key (host_id, crawl_id, key)
);
create index dead_letter_crawl on dead_letter (crawl_id, class);

-- Outbox: what happened to a crawl, in order.
create table event (
  id        bigint generated always as identity primary key,
  crawl_id  bigint not null,
  at        timestamptz not null default now(),
  kind      text not null,
  data      jsonb not null default '{}'
);
create index event_crawl on event (crawl_id, id);
