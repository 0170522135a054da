-- Worker processes that are at work, by their own word. One that drains takes its row away; one that was killed or has
-- crashed leaves it behind, so that whoever watches the instance sees workers that end again and again.
create table worker_process (
  id          uuid primary key,
  roles       text[] not null,
  started_at  timestamptz not null default now(),
  seen_at     timestamptz not null default now()
);
