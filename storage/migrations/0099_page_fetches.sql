-- expand: fetches of one page, and the crawls that make them.
-- The crawl that fetches single pages for a tenant now, one for each way of rendering. Another takes its place when it is
-- too old, or takes no more work.
create table fetch_crawl (
  tenant_id bigint not null references tenant (id),
  -- As the setting of a crawl: auto, always, never.
  render    text not null,
  crawl_id  bigint not null references crawl (id),
  primary key (tenant_id, render)
);
create index fetch_crawl_crawl on fetch_crawl (crawl_id);

-- A page that somebody has asked for and that was not at hand. Goes with its crawl.
create table page_fetch (
  id        uuid primary key default gen_random_uuid(),
  tenant_id bigint not null references tenant (id),
  crawl_id  bigint not null references crawl (id),
  -- In the spelling that is sent.
  url       text not null,
  -- What is wanted of the page: its format and the like (contracts/http/fetch.ts).
  wanted    jsonb not null,
  asked_at  timestamptz not null,
  -- A visit from this instant on will do.
  since     timestamptz not null
);
create index page_fetch_crawl on page_fetch (crawl_id);
