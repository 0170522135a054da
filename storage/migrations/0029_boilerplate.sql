-- Text that repeats over the pages of a host (domain/boilerplate/), for crawls that leave it out. Others have no row.
create table host_blocks (
  crawl_id  bigint not null,
  host_id   bigint not null,
  -- How many pages were counted: the first hundred that were read.
  pages     integer not null,
  -- Marks of blocks with how many pages have them, in bounded room (block-counts.ts).
  counts    jsonb not null,
  -- The blocks that are repeated: [{mark, text, pages}].
  repeated  jsonb not null,
  primary key (crawl_id, host_id)
);
