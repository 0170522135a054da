-- A hash is no proof of possession: what a foreign fetcher reports is kept apart from the bodies that crawls fetched.

-- `content_hash` is of a body that this crawl fetched itself, and so opens the body; `reported_hash` is what a foreign
-- fetcher says of a body that it keeps, and opens nothing: it tells duplicates among the reports of a crawl.
alter table url add column reported_hash bytea;

-- Reports that were taken for bodies: each hash that was ever reported to a crawl is in `lent_content`, and a report
-- has no media type. Crawls without reports are not looked at.
with reported as (
  update url u set reported_hash = u.content_hash, content_hash = null
    from (select distinct crawl_id from lent_content) l
   where u.crawl_id = l.crawl_id and u.fetched_at is not null and u.content_hash is not null and u.content_type is null
     and exists (select from lent_content c where c.crawl_id = u.crawl_id and c.hash = u.content_hash)
  returning u.host_id, u.crawl_id, u.key, u.reported_hash as hash
), unclaimed as (
  delete from content c using reported r
   where c.crawl_id = r.crawl_id and c.hash = r.hash and c.host_id = r.host_id and c.key = r.key
  returning c.hash
)
insert into freed_body (hash) select distinct hash from unclaimed
on conflict (hash) do update set since = now();

alter table url add constraint url_hash_of_one check (content_hash is null or reported_hash is null) not valid;

-- The tenant whose crawl brought the record that holds the body. Tenants share the bytes, if each of them has fetched
-- them; the head of the answer, its URL and its request are for this tenant alone. Null: not known, since the record is
-- older than this column.
alter table body add column tenant_id bigint;
