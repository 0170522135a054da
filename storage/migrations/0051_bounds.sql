-- Bounds of what grows without anybody's doing: the audit log by kind, and what is known of outages.

-- Each kind of entry has a number of its own: about who may do what; bodies and exports that were taken; other work.
drop index audit_log_work;
create index audit_log_security on audit_log (tenant_id, number) where security;
create index audit_log_downloads on audit_log (tenant_id, number) where not security and method = 'GET';
create index audit_log_work on audit_log (tenant_id, number) where not security and method <> 'GET';

create index outage_seen on outage (seen_at);

-- The latest outage that any process saw, from its beginning to its end or to now: so long nothing else explains a wait.
-- Every visit asks, so only the hundred rows that were seen last are looked at: those of one outage, in all processes.
create or replace view last_outage as
  with each as (
    select since, case when not over and seen_at > now() - interval '15 seconds' then now() else seen_at end as until
      from (select since, seen_at, over from outage order by seen_at desc limit 100) seen
  )
  select min(since) as since, max(until) as until from each
   where until >= (select max(until) from each) - interval '15 seconds';
