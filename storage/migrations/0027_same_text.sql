-- Pages with the same text, and when the copies of a standing crawl were last ranked.

-- Pages that got, lost or may have lost a text that another page has, since it was last judged which page stands for it
-- (storage/pages/judge-texts.ts). Rows are only added and removed, so that writers never wait for one another here.
create table text_due (
  id         bigint generated always as identity primary key,
  crawl_id   bigint not null,
  text_hash  bytea not null,
  -- The page.
  host_id    bigint not null,
  key        bytea not null
);

-- When the copies of the crawl were last ranked by all that is known, as at the end of a crawl, and how many pages it had
-- then. Null: they never were.
alter table standing_crawl add column ranked_at timestamptz, add column ranked_pages bigint not null default 0;
