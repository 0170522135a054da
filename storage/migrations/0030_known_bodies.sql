-- Which crawl of a tenant had a body first.

-- Whose crawl it is, and when the crawl first had the body.
alter table content add column tenant_id bigint, add column first_at timestamptz not null default now();
update content c set tenant_id = k.tenant_id from crawl k where k.id = c.crawl_id;
delete from content where tenant_id is null;
alter table content alter column tenant_id set not null;
drop index content_hash;
create index content_known on content (hash, tenant_id, first_at, crawl_id);
