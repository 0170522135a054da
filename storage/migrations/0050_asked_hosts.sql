-- A crawl with seeds at a parked host waits for one answer of it: when the host's workflow was last told, -infinity
-- before the first time. Null: it waits for none.
alter table host_queue add column asking timestamptz;
create index host_queue_asking on host_queue (crawl_id) where asking is not null;
