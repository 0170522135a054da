-- Near-duplicates (domain/alike/), for crawls that look for them. Other crawls have no row here.

-- Fingerprints of the texts of pages. A page is original, or like an original; an original is never like another one.
create table text_print (
  id        bigint generated always as identity primary key,
  crawl_id  bigint not null,
  host_id   bigint not null,
  key       bytea not null,
  words     integer not null,
  simhash   bigint not null,
  sketch    bytea not null,
  -- Hashes of numbers in the text, four bytes each.
  numbers   bytea not null,
  -- Hashes by which an original is found. When it is judged it loses those that enough other originals have.
  bands     bigint[] not null,
  -- The print of the page that it is like, or its own; null: it was not judged yet.
  original  bigint,
  -- Estimated share of shingles that it has in common with the original, and bits of SimHash that differ.
  likeness  real,
  distance  smallint,
  -- An original, when it was judged: bands that it lost.
  crowded   smallint not null default 0,
  unique (host_id, crawl_id, key)
);
-- Without a list of pending entries, which each search would have to read through.
create index text_print_bands on text_print using gin (bands) with (fastupdate = off) where original = id;
create index text_print_unjudged on text_print (crawl_id, id) where original is null;
create index text_print_alike on text_print (crawl_id, original, id) where original <> id;
