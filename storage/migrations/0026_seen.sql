-- What caches of seen URLs may still believe of a crawl.

-- Crawls of which URLs were forgotten, with how often. A cache that learned of a URL before the last time may be wrong.
create table forgetting (
  crawl_id  bigint primary key,
  times     integer not null,
  begun_at  timestamptz not null
);
