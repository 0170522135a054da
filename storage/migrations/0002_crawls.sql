-- Crawls, their life (domain/crawl-life.ts) and their removal.

create type crawl_state as enum ('seeding', 'running', 'paused', 'draining', 'finished', 'cancelled', 'failed');

create table crawl (
  id              bigint generated always as identity primary key,
  tenant_id       bigint not null default 1 references tenant (id),
  -- what it is called where it is a job: that interface knows jobs by UUIDs
  job_id          uuid not null default gen_random_uuid(),
  -- whom a job is for, as that interface numbers its users; null: no job. Open jobs of one user share a quota.
  user_id         bigint,
  -- what it is called, or whom it is for; nothing is judged by it
  label           text,
  state           crawl_state not null default 'seeding',
  -- Why it is paused, ends or has ended, as a code that programs decide by; null: it is seeding, or runs. What a crawl
  -- that drains will be follows from it.
  cause           text,
  -- the same in words; decides nothing
  reason          text,
  -- the current settings, and their version (crawl_config)
  config          jsonb not null,
  config_version  integer not null default 1,
  created_at      timestamptz not null default now(),
  started_at      timestamptz,
  ended_at        timestamptz,
  -- A crawl's time is that in which it may send requests. Since when it rests (paused, or over; null: it does not), and
  -- how long it has rested before.
  rests_since     timestamptz,
  rested          interval not null default '0',
  -- Seeds up to this line were admitted. The revision is raised with each addition, so that workers read the seeds anew
  -- that the scope is judged by.
  seeded_line     integer not null default 0,
  seeds_revision  integer not null default 0,
  seeds_added_at  timestamptz not null default '-infinity',
  -- How many there are, and how many of the good ones lie up to seeded_line: nobody counts millions of them.
  seeds_accepted  bigint not null default 0,
  seeds_rejected  bigint not null default 0,
  seeds_taken     bigint not null default 0,
  -- set: it is being deleted, unknown to everybody from then on, and removed a batch at a time
  removed_at      timestamptz
);
create index crawl_tenant on crawl (tenant_id, id);
create unique index crawl_job on crawl (job_id);
create index crawl_open on crawl (id) where state in ('seeding', 'running', 'paused', 'draining');
create index crawl_open_of_user on crawl (tenant_id, user_id)
  where user_id is not null and state not in ('finished', 'cancelled', 'failed');
create index crawl_removed on crawl (id) where removed_at is not null;

-- The standing crawl of a tenant, which the compatible routes act on; null: they were not used yet.
alter table tenant add column default_crawl_id bigint references crawl (id);

-- Pauses, and what passed between an end and a new beginning, are no part of a crawl's time. However its state is
-- changed, the trigger sees it.
create function crawl_rested() returns trigger language plpgsql as $$
begin
  if new.state in ('paused', 'finished', 'cancelled', 'failed') then
    new.rests_since := coalesce(old.rests_since, now());
  elsif old.rests_since is not null then
    -- What it waited before it first began is no part of its time anyway.
    if old.started_at is not null then new.rested := old.rested + (now() - old.rests_since); end if;
    new.rests_since := null;
  end if;
  return new;
end $$;
create trigger crawl_rested before update of state on crawl for each row
  when (old.state is distinct from new.state) execute function crawl_rested();

-- Bodies that a removed URL had: freed once nothing has referred to them for a while.
create table freed_body (
  hash   bytea primary key,
  since  timestamptz not null default now()
);
