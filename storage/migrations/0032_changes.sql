-- Changes of pages (engine/changes/), for crawls that set `changes`. Other crawls have no row here.

-- How far the answers of a crawl were compared with those before them.
create table crawl_changes (
  crawl_id       bigint primary key,
  -- All answers up to this place of the pages feed were compared. Microseconds since 1970.
  at_micros      bigint not null default 0,
  at_host        bigint not null default 0,
  at_key         bytea not null default '',
  -- The crawl was over, and everything was compared.
  is_over        boolean not null default false,
  -- A process compares until then. It may die or be late: whoever is at another place by then changes nothing.
  claimed_until  timestamptz not null default '-infinity',
  -- Answers compared; changes told; versions dropped because newer ones came; bodies that were gone and could not be
  -- compared; events of changes removed because there are too many.
  compared       bigint not null default 0,
  changed        bigint not null default 0,
  dropped        bigint not null default 0,
  lost           bigint not null default 0,
  forgotten      bigint not null default 0
);

-- Versions of a page within a crawl, the latest few. The bodies that they name are kept.
create table page_version (
  host_id       bigint not null,
  crawl_id      bigint not null,
  key           bytea not null,
  -- Within page and crawl, from 1.
  number        integer not null,
  fetched_at    timestamptz not null,
  gone          boolean not null,
  status        smallint,
  redirect_to   text,
  content_hash  bytea,
  content_type  text,
  robots_tag    text,
  text_hash     bytea,
  -- What changed since the version before (contracts/http/changes.ts); null: there was none.
  change        jsonb,
  primary key (host_id, crawl_id, key, number)
) with (fillfactor = 90);
create index page_version_body on page_version (content_hash) where content_hash is not null;
create index crawl_follows_changes on crawl (id) where config -> 'changes' = 'true';
-- Events of one kind: changes of pages may be many, and hide no others.
create index event_kind on event (crawl_id, kind, number);
