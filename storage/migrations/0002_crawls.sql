-- Crawls, their life (domain/crawl-life.ts) and their removal.

create type crawl_state as enum ('seeding', 'running', 'paused', 'draining', 'finished', 'cancelled', 'failed');

create table crawl (
  id              bigint generated always as identity primary key,
  tenant_id       bigint not null default 1 references tenant (id),
  -- Id of the crawl as a job: the interface that calls crawls jobs knows them by UUIDs.
  job_id          uuid not null default gen_random_uuid(),
  -- User for whom a job is, by the number that the other interface gives its users; null: the crawl is not a job. Open
  -- jobs of one user share a quota.
  user_id         bigint,
  -- A name for the crawl, or for whom it is; no decision depends on the label.
  label           text,
  state           crawl_state not null default 'seeding',
  -- Why the crawl is paused, ends or has ended, as a code that programs decide by; null: the crawl is seeding or
  -- running. The final state of a crawl that drains follows from its cause.
  cause           text,
  -- The cause in words. Nothing decides by it.
  reason          text,
  -- The current settings, and their version (crawl_config).
  config          jsonb not null,
  config_version  integer not null default 1,
  created_at      timestamptz not null default now(),
  started_at      timestamptz,
  ended_at        timestamptz,
  -- The time of a crawl is the time in which it may send requests. rests_since: since when the crawl rests, because it
  -- is paused or over; null: it does not rest. rested: how long it has rested before.
  rests_since     timestamptz,
  rested          interval not null default '0',
  -- When the crawl last began to run again after a rest; null: it has not rested.
  resumed_at      timestamptz,
  -- Raised with each verdict on a shape of its URLs (quarantine), so that processes read only what has changed.
  quarantine_revision integer not null default 0,
  -- All seeds up to this line were admitted. Each addition raises the revision, so that workers read anew the seeds
  -- that the scope depends on.
  seeded_line     integer not null default 0,
  seeds_revision  integer not null default 0,
  seeds_added_at  timestamptz not null default '-infinity',
  -- How many seeds were accepted and rejected, and how many of the accepted are admitted (up to seeded_line): to count
  -- millions of seeds again would take too long.
  seeds_accepted  bigint not null default 0,
  seeds_rejected  bigint not null default 0,
  seeds_taken     bigint not null default 0,
  -- Not null: the crawl is being deleted. From then on nobody can see it, and its rows are removed a batch at a time.
  removed_at      timestamptz,
  -- How often the state has changed. Whoever changes it next names the number that it knows: a process that was frozen
  -- meanwhile knows an older one, and changes nothing.
  state_revision  integer not null default 0
);
create index crawl_tenant on crawl (tenant_id, id);
create unique index crawl_job on crawl (job_id);
create index crawl_open on crawl (id) where state in ('seeding', 'running', 'paused', 'draining');
create index crawl_open_of_user on crawl (tenant_id, user_id)
  where user_id is not null and state not in ('finished', 'cancelled', 'failed');
create index crawl_removed on crawl (id) where removed_at is not null;

-- The standing crawl of a tenant, on which the compatible routes act; null: the tenant has not used these routes yet.
alter table tenant add column default_crawl_id bigint references crawl (id);

-- The time of a crawl contains neither its pauses nor the time between an end and a new beginning. The trigger sees
-- every change of the state, whoever makes it.
create function crawl_rested() returns trigger language plpgsql as $$
begin
  if new.state in ('paused', 'finished', 'cancelled', 'failed') then
    new.rests_since := coalesce(old.rests_since, now());
  elsif old.rests_since is not null then
    -- What it waited before it first began is no part of its time anyway.
    if old.started_at is not null then new.rested := old.rested + (now() - old.rests_since); end if;
    new.rests_since := null;
    new.resumed_at := now();
  end if;
  return new;
end $$;
create trigger crawl_rested before update of state on crawl for each row
  when (old.state is distinct from new.state) execute function crawl_rested();

create function crawl_state_changed() returns trigger language plpgsql as $$
begin
  new.state_revision := old.state_revision + 1;
  return new;
end $$;

create trigger crawl_state_changed before update of state on crawl for each row
  when (old.state is distinct from new.state) execute function crawl_state_changed();

-- Bodies of URLs that were removed. A body is freed when nothing has referred to it for a while.
create table freed_body (
  hash   bytea primary key,
  since  timestamptz not null default now()
);
