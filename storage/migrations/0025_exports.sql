-- Exports: files that are made of the pages of a crawl, by jobs that outlive the processes that work at them.

create type export_state as enum ('waiting', 'running', 'finished', 'failed', 'cancelled');

create table export_job (
  id          bigint generated always as identity primary key,
  -- The crawl may be gone: then the job goes as well, with its files.
  crawl_id    bigint not null,
  format      text not null,
  -- Fields and filters, as the request had them (contracts/http/exports.ts).
  choice      jsonb not null,
  -- bucket: the whole file goes to the bucket, and leaves the folder of exports.
  target      text not null check (target in ('folder', 'bucket')),
  state       export_state not null default 'waiting',
  -- Why the job failed, for people.
  reason      text,
  created_at  timestamptz not null default now(),
  ended_at    timestamptz,
  -- Pages that were answered at this time or later are left out; microseconds since 1970.
  until       bigint not null,
  -- pages: the feed is being read. whole: its end was reached, and the file is being made whole. bucket: the whole file
  -- is being uploaded.
  phase       text not null default 'pages' check (phase in ('pages', 'whole', 'bucket')),
  -- The activity that writes; null: none does.
  owner       uuid,
  -- Names a folder in the folder of exports, and in it the folder that has the parts and, later, the whole file.
  folder      uuid not null default gen_random_uuid(),
  draft       uuid,
  -- Place in the feed of pages; null: the start.
  place       text,
  -- Bytes of each part of the draft that count: what lies behind them is free.
  parts       jsonb not null default '{}',
  -- What the format remembers up to that place.
  memory      jsonb,
  pages       bigint not null default 0,
  bytes       bigint not null default 0,
  -- False: the job has no files any more.
  has_files   boolean not null default true
);
create index export_of_crawl on export_job (crawl_id, id);
create index export_open on export_job (id) where state in ('waiting', 'running');
