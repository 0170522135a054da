-- The audit log cannot be washed away: entries about who may do what outlive any number of others.

-- About keys, tenants, webhooks and deletions, and not refused: kept by age alone, however many other entries come.
alter table audit_log add column security boolean not null default false;
update audit_log set security = true
 where coalesce(status, 0) < 400
   and (method = 'DELETE' or route ~ '^/v1/(keys|tenants|webhooks)(/|$)' or route = '/v1/shards/{shard}/split');
create index audit_log_work on audit_log (tenant_id, number) where not security;

-- An entry that stands for all requests of an actor to a route within an hour that did nothing, such as a lease of no
-- URL: how many they were, and when the last one came. Null: the entry is of one request.
alter table audit_log add column hour timestamptz;
alter table audit_log add column times integer not null default 1;
alter table audit_log add column last_at timestamptz;
create unique index audit_log_counted on audit_log (tenant_id, actor, route, hour) where hour is not null;
