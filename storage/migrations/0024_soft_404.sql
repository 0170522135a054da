-- The path that a host was last asked for and that was made up (domain/soft-404/), for crawls that look for pages that
-- are not there. Other crawls have no row here. Each of them asks a host for itself, once a day at most: what a host
-- answers depends on the headers that a crawl sends.
create table made_up_path (
  host_id   bigint not null,
  asked_at  timestamptz not null default now(),
  crawl_id  bigint not null,
  key       bytea not null,
  -- Folders of pages for which the crawl has asked, the last one for this path.
  shapes    text[] not null,
  -- Print of the page beside which the path was made up.
  sibling   jsonb not null,
  -- Whether the answer was judged.
  judged    boolean not null default false,
  primary key (host_id, crawl_id)
);
create index made_up_path_open on made_up_path (host_id) where not judged;
