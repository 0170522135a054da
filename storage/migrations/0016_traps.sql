-- Traps: what the pages of a host showed, and the shapes of URLs that are in quarantine for it.

-- What is known of the pages of a crawl at a host (domain/traps/watch.ts): bounded, some kilobytes. Written for every
-- 32 pages; hosts with fewer pages have no row.
create table trap_watch (
  host_id   bigint not null,
  crawl_id  bigint not null,
  state     json not null,
  primary key (host_id, crawl_id)
) with (fillfactor = 50);
-- A crawl that is deleted: hosts below a domain are watched under the domain, where the crawl may have no URL.
create index trap_watch_crawl on trap_watch (crawl_id);

-- Shapes of URLs (domain/traps/shape.ts) with a verdict. URLs of a held or confirmed shape are excluded with the reason
-- `trap`, and their detail names the row; nothing is deleted, and a release queues them again.
create table quarantine (
  id           bigint generated always as identity primary key,
  crawl_id     bigint not null,
  host_id      bigint not null,
  shape        text not null,
  -- The rule that has found it (domain/traps/rules.ts), and the figures by which it decided.
  rule         text not null,
  evidence     jsonb not null,
  -- By what pages are known that are not there (domain/soft-404/judge.ts); null: the shape is that of a trap.
  sign         jsonb,
  -- suspected: the URLs go behind the others of their crawl. cleared: no longer suspected. held: the URLs are kept back,
  -- and some are let through now and then. confirmed: a person says that it is a trap, and none is let through.
  -- released: the URLs are free, and no rule holds the shape again.
  verdict      text not null check (verdict in ('suspected', 'cleared', 'held', 'confirmed', 'released')),
  -- The crawl's quarantine_revision with the last change of the verdict.
  revision     integer not null,
  created_at   timestamptz not null default now(),
  -- Who gave the verdict, and when; null: the rules.
  judged_by    text,
  judged_at    timestamptz,
  -- URLs that were let through as samples; pages of the shape that were read since the first, and how many of these
  -- were new; when the next are let through.
  let_through  integer not null default 0,
  sampled      integer not null default 0,
  novel        integer not null default 0,
  sample_at    timestamptz,
  -- A released shape: when no URL was found any more that the quarantine still kept back.
  settled_at   timestamptz,
  unique (crawl_id, host_id, shape)
);
create index quarantine_changes on quarantine (crawl_id, revision);
create index quarantine_samples on quarantine (sample_at) where verdict = 'held';
create index quarantine_releases on quarantine (id) where verdict = 'released' and settled_at is null;
