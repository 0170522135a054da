-- Turns at a host are shared between tenants first (G3): what a URL was worth when it was last charged to this crawl.
alter table host_queue add column worth double precision not null default 1;
