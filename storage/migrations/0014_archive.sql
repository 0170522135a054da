-- Where bodies lie: archive segments, and the records in them.

create type segment_state as enum ('open', 'closing', 'sealed');

-- A segment is a file of WARC records, each compressed by itself. One process writes to it, its owner, and no process
-- ever again once it is not open.
create table segment (
  id           integer generated always as identity primary key,
  -- Of the file. No other segment of any database has it.
  name         text not null unique,
  -- The folder that holds it; null: it has left that folder for the place that every process reads (storage/archive/
  -- segment-store.ts, settle).
  folder       uuid,
  -- The process that writes to it (worker_process), whether or not it lives.
  owner        uuid not null,
  state        segment_state not null default 'open',
  -- Bytes up to the end of the last record that was committed; null: not known while the segment is open.
  length       bigint,
  opened_at    timestamptz not null default now(),
  -- When the owner wrote to it for the last time; null: it may go on.
  released_at  timestamptz,
  -- When its free bytes are counted next; null: nobody has to.
  look_at      timestamptz,
  -- When a process may begin to bring it to where it stays; the one that does so pushes this ahead of itself.
  settle_at    timestamptz
);
create index segment_open on segment (id) where state <> 'sealed';
create index segment_look on segment (look_at) where look_at is not null;
create index segment_settle on segment (settle_at) where settle_at is not null;

-- The record that holds a body.
create table body (
  hash     bytea primary key,
  segment  integer not null,
  at       bigint not null,
  length   integer not null,
  -- The tenant whose crawl brought the record. Tenants share the bytes, if each of them has fetched them; the head of the
  -- answer, its URL and its request are for this tenant alone. Null: not known.
  tenant_id bigint
);
create index body_segment on body (segment);

-- The record of an answer whose body was known: it holds the head of the answer alone (WARC: revisit).
create table revisit (
  host_id   bigint not null,
  crawl_id  bigint not null,
  key       bytea not null,
  segment   integer not null,
  at        bigint not null,
  length    integer not null,
  primary key (host_id, crawl_id, key)
);
create index revisit_segment on revisit (segment);
