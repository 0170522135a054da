-- Crawls that are being deleted: unknown to everybody from then on, and removed a batch at a time.
alter table crawl add column removed_at timestamptz;
create index crawl_removed on crawl (id) where removed_at is not null;

-- Bodies that a removed URL had: freed once nothing has referred to them for a while.
create table freed_body (
  hash   bytea primary key,
  since  timestamptz not null default now()
);
create index content_hash on content (hash);
