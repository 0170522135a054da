-- The quality of hosts (domain/host-quality.ts), from a daily look at a sample of their URLs.
create table host_quality (
  host_id    bigint primary key references host (id),
  -- From 0 to 1.
  quality    real not null,
  -- An operator's word, which no look changes; null: the looks decide.
  pinned     real,
  -- What the last look found (QualityParts), and how many URLs it saw.
  parts      jsonb not null,
  urls       integer not null,
  -- So many of its requests fail that it is left for later.
  later      boolean not null default false,
  looked_at  timestamptz not null default now()
);
-- Hosts that something follows for, the worst first.
create index host_quality_poor on host_quality ((coalesce(pinned, quality)), host_id)
 where coalesce(pinned, quality) < 0.9 or later;
