-- Who this database is: shared caches keep its keys apart from those of any other, earlier ones included.
create table instance (
  id                  uuid primary key default gen_random_uuid(),
  -- seals the cursors that leave the API: 244 random bits
  cursor_secret       bytea not null default uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()),
  -- the Temporal namespace that was told of the open crawls, hosts and edits; another id: it has forgotten everything
  temporal_namespace  text
);
insert into instance default values;

-- Worker processes that are at work, by their own word. One that drains takes its row away; one that was killed or has
-- crashed leaves it behind, so that whoever watches the instance sees workers that end again and again.
create table worker_process (
  id          uuid primary key,
  roles       text[] not null,
  started_at  timestamptz not null default now(),
  seen_at     timestamptz not null default now()
);
