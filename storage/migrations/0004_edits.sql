-- Settings of a crawl change while it runs. Each version is kept with who made it, and how far the frontier has been
-- judged by it; `crawl.config` is the current one. A crawl that was never edited has no rows here.
create table crawl_config (
  crawl_id    bigint not null references crawl (id),
  version     integer not null,
  config      jsonb not null,
  created_at  timestamptz not null default now(),
  -- key or subject of a token; null: made with the crawl
  author      text,
  note        text,
  -- the version whose settings these are again
  restores    integer,
  -- pending: the frontier is judged by it; superseded: a later version came before that had ended;
  -- stopped: the crawl came to its end before
  state       text not null check (state in ('pending', 'applied', 'superseded', 'stopped')),
  -- links that were outside the crawl are looked for in the pages it has stored
  rereads     boolean not null,
  -- URLs looked at; of them excluded and queued again; pages read again, and URLs that they brought
  judged      bigint not null default 0,
  excluded    bigint not null default 0,
  readmitted  bigint not null default 0,
  reread      bigint not null default 0,
  admitted    bigint not null default 0,
  ended_at    timestamptz,
  -- how far the job has come: of the URLs, then of the pages; null: not begun
  place       text,
  primary key (crawl_id, version)
);
create index crawl_config_pending on crawl_config (crawl_id) where state = 'pending';

-- URLs are admitted under the version of the settings they were judged by, or not at all: whoever edits a crawl locks
-- its row for update, and waits for whoever admits under it now.
create function hold_config(held_crawl bigint, judged_by integer) returns integer language plpgsql as $$
declare
  current_version integer;
begin
  select config_version into current_version from crawl where id = held_crawl for key share;
  if current_version <> judged_by then
    raise exception 'crawl % is at version % of its settings, not %', held_crawl, current_version, judged_by
      using errcode = 'OW001';
  end if;
  return current_version;
end $$;
