-- Full text of the pages of crawls that are to be searched. How far a crawl is indexed says its job (0074_jobs.sql).

create table search_page (
  crawl_id      bigint not null,
  key           bytea not null,
  url           text not null,
  -- The text search configuration, by the language.
  config        text not null,
  language      text,
  status        smallint,
  content_type  text,
  fetched_at    timestamptz not null,
  title         text,
  -- The beginning of the text, for snippets (domain/search/page.ts).
  shown         text not null,
  -- Searches go through a crawl tier by tier until enough pages are found (domain/search/tiers.ts). A page keeps its tier.
  tier          smallint not null,
  -- Words of title, description and text, by these weights: A, B, D; and marks to filter by, such as `=c7.0` for the
  -- first tier of crawl 7 (storage/search/marks.ts), so that words and filters are one look into one index.
  words         tsvector not null,
  primary key (crawl_id, key)
);
-- What is written since the last clean-up is searched one by one, so there must not be much of it.
create index search_page_words on search_page using gin (words) with (gin_pending_list_limit = 512);
