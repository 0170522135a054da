-- Whose workflow is gone is worked on all the same: what a workflow alone knew stands here too.
-- An operator's pause of a host: nothing is sent until it is ended.
alter table host add column paused_at timestamptz, add column paused_reason text;
create index host_paused on host (id) where paused_at is not null;
-- of a crawl that is draining: what it will be then
alter table crawl add column ends_as crawl_state;
-- the Temporal namespace that was told of all this; another id: it has forgotten everything
alter table instance add column temporal_namespace text;
create index crawl_open on crawl (id) where state in ('seeding', 'running', 'paused', 'draining');
