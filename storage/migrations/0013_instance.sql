-- The identity of this database: shared caches keep its keys apart from those of any other database, earlier ones
-- included.
create table instance (
  id                  uuid primary key default gen_random_uuid(),
  -- Seals the cursors that leave the API: 244 random bits.
  cursor_secret       bytea not null default uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()),
  -- The Temporal namespace that was told of the open crawls, hosts and edits. If it has another id now, it knows
  -- nothing of them.
  temporal_namespace  text
);
insert into instance default values;

-- Worker processes that report that they are at work. A process that drains removes its row; a process that was killed
-- or has crashed leaves its row behind, so that workers which end again and again can be seen.
create table worker_process (
  id          uuid primary key,
  roles       text[] not null,
  started_at  timestamptz not null default now(),
  seen_at     timestamptz not null default now(),
  -- The folder of segments that only the processes of its machine have; null: every process has all segments.
  folder      uuid,
  -- How full the stages behind its requests are (domain/pressure.ts: a StageLoad each); null: it sends none.
  loads       jsonb
);

-- Outages that worker processes see (domain/outage.ts): a dependency that a process's breaker stands in front of.
create table outage (
  worker      uuid not null,
  dependency  text not null,
  since       timestamptz not null,
  -- When the process last said so. A process that has said nothing for fifteen seconds, and is not over it, has died: what
  -- it saw is not known to go on.
  seen_at     timestamptz not null default now(),
  over        boolean not null default false,
  why         text,
  primary key (worker, dependency, since)
);
create index outage_seen on outage (seen_at);

-- The latest outage that any process saw, from its beginning to its end or to now: so long nothing else explains a wait.
-- Every visit asks, so only the hundred rows that were seen last are looked at: those of one outage, in all processes.
create view last_outage as
  with each as (
    select since, case when not over and seen_at > now() - interval '15 seconds' then now() else seen_at end as until
      from (select since, seen_at, over from outage order by seen_at desc limit 100) seen
  )
  select min(since) as since, max(until) as until from each
   where until >= (select max(until) from each) - interval '15 seconds';
