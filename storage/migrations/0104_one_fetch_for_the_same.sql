-- expand: what is noted of fetches is bounded.
-- SHA-256 of URL and `wanted`: who asks for the same again has the same fetch. Null: it is from before.
alter table page_fetch add column digest bytea;
create unique index page_fetch_digest on page_fetch (crawl_id, digest);
-- Bytes of URLs and of `wanted` in the fetches of the crawl that stands now.
alter table fetch_crawl add column asked_bytes bigint not null default 0;
