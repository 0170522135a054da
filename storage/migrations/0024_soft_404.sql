-- The path that a host was last asked for and that was made up (domain/soft-404/), for crawls that look for pages that
-- are not there. Other crawls have no row here. One row for each host, so that it is asked once a day at most, whichever
-- crawls want to know.
create table made_up_path (
  host_id   bigint primary key,
  asked_at  timestamptz not null default now(),
  -- Null: the crawl was removed.
  crawl_id  bigint,
  key       bytea not null,
  -- Folders of pages for which the crawl has asked, the last one for this path.
  shapes    text[] not null,
  -- Print of the page beside which the path was made up.
  sibling   jsonb not null,
  -- Whether the answer was judged.
  judged    boolean not null default false
);
create index made_up_path_open on made_up_path (host_id) where not judged;
