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

-- The latest outage that any process saw, from its beginning to its end or to now: so long nothing else explains a wait.
create view last_outage as
  with each as (
    select since, case when not over and seen_at > now() - interval '15 seconds' then now() else seen_at end as until
      from outage
  )
  select min(since) as since, max(until) as until from each
   where until >= (select max(until) from each) - interval '15 seconds';

alter table host_time
  add column outage      real not null default 0,
  add column unexplained real not null default 0;
