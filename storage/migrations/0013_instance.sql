-- The identity of this database: shared caches keep its keys apart from those of any other database, earlier ones
-- included.
create table instance (
  id                  uuid primary key default gen_random_uuid(),
  -- Seals the cursors that leave the API: 244 random bits.
  cursor_secret       bytea not null default uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()),
  -- The Temporal namespace that was told of the open crawls, hosts and edits. If it has another id now, it knows
  -- nothing of them.
  temporal_namespace  text
);
insert into instance default values;

-- Worker processes that report that they are at work. A process that drains removes its row; a process that was killed
-- or has crashed leaves its row behind, so that workers which end again and again can be seen.
create table worker_process (
  id          uuid primary key,
  roles       text[] not null,
  started_at  timestamptz not null default now(),
  seen_at     timestamptz not null default now(),
  -- The folder of segments that only the processes of its machine have; null: every process has all segments.
  folder      uuid,
  -- How full the stages behind its requests are (domain/pressure.ts: a StageLoad each); null: it sends none.
  loads       jsonb
);
