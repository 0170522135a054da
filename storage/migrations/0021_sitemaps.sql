-- What was found in each sitemap that was read. Its URL is a row of `url` with kind 1.
create table sitemap_report (
  crawl_id     bigint not null,
  host_id      bigint not null,
  key          bytea not null,
  -- domain/sitemap-choice.ts
  format       text not null,
  -- Entries with a URL that can be crawled, and how many URLs were new to the crawl.
  pages        integer not null,
  sitemaps     integer not null,
  admitted     integer not null,
  -- Some of the faults, [{line, kind, found}] (domain/sitemap-faults.ts), and how many there are.
  faults       jsonb not null,
  fault_count  integer not null,
  read_at      timestamptz not null default now(),
  primary key (crawl_id, host_id, key)
);
