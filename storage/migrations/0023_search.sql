-- Full text of the pages of crawls that are to be searched. Other crawls have no row in any of these tables.

-- One row for each crawl with an index. The index follows its crawl.
create table search_index (
  crawl_id     bigint primary key,
  -- 'building': pages wait to be indexed; 'checking': the crawl is over, and what is indexed is compared with it once
  -- more; 'ready': all its pages are in the index; 'dropped': the crawl is removed.
  state        text not null default 'building',
  -- The index that has its pages, by its name: 'postgres' or 'opensearch:' and the name there; null: none was begun.
  store        text,
  -- The place in the pages feed up to which pages are indexed or, then, compared; null: none is.
  place        text,
  -- How often a batch of pages was noted as indexed. A batch of an earlier round puts nothing into the index any more.
  round        bigint not null default 0,
  -- Pages that were looked at, and those of them whose body was gone.
  looked       bigint not null default 0,
  lost         bigint not null default 0,
  -- Text search configurations of its pages.
  configs      text[] not null default '{}',
  asked_at     timestamptz not null default now(),
  indexed_at   timestamptz
);

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
