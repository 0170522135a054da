-- Settings of a crawl change while it runs. Each version is kept with its author, and with how far the frontier has
-- been judged by it. `crawl.config` holds the current version. A crawl that was never edited has no rows here.
create table crawl_config (
  crawl_id    bigint not null references crawl (id),
  version     integer not null,
  config      jsonb not null,
  created_at  timestamptz not null default now(),
  -- Key, or subject of a token, that made the version; null: the version was made with the crawl.
  author      text,
  note        text,
  -- The earlier version whose settings this version has again.
  restores    integer,
  -- pending: the frontier is still being judged by this version. applied: the whole frontier has been judged.
  -- superseded: a later version came first. stopped: the crawl ended first.
  state       text not null check (state in ('pending', 'applied', 'superseded', 'stopped')),
  -- True: the stored pages are read again for links that were outside the crawl before.
  rereads     boolean not null,
  -- URLs looked at, and how many of them were excluded and queued again; pages read again, and the URLs that these
  -- pages brought.
  judged      bigint not null default 0,
  excluded    bigint not null default 0,
  readmitted  bigint not null default 0,
  reread      bigint not null default 0,
  admitted    bigint not null default 0,
  ended_at    timestamptz,
  -- How far the job has come, first in the URLs, then in the pages; null: the job has not begun.
  place       text,
  primary key (crawl_id, version)
);
create index crawl_config_pending on crawl_config (crawl_id) where state = 'pending';

-- URLs are admitted only while the version of the settings by which they were judged is current: whoever edits a crawl
-- locks its row for update, and so waits for all transactions that admit URLs under the present version.
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
