-- Pages that say nothing without their scripts are rendered by a browser: what it made of a page is the page's second body.
-- The stages of a URL go on behind extraction: 3, the page waits for a round of the browser; 4, it waits until what it asked
-- for in the last round was fetched.

-- The body that the answer brought, where `content_hash` is that of the page as a browser rendered it; null: it is the
-- answer's own.
alter table url add column answer_hash bytea;
create index url_answer on url (answer_hash) where answer_hash is not null;

-- Why the body says nothing without a browser, by its reading; null: it says something, or its crawl renders nothing. Pages
-- with such a body are no copies of one another: each is rendered, and points at the content meanwhile.
alter table content add column shell text;
-- Pages that point at a content and do not stand for it: its copies, and those that are rendered.
drop index url_copies;
create index url_copies on url (crawl_id, content_id, alias_host, alias_key)
  where (alias_host is not null or stage > 2) and content_id is not null;

-- Since when pages of the crawl are rendered; null: none was yet. Then there are URLs that only scripts ask for.
alter table crawl add column renders_since timestamptz;

-- Pages that are rendered, of those that are pending. They count as unread no more.
alter table ledger add column rendering bigint not null default 0;

-- What a browser made of a page, or makes of it.
create table rendering (
  host_id      bigint not null,
  crawl_id     bigint not null,
  key          bytea not null,
  -- The answer's body that is rendered: a row of another one says nothing of the page as it is now.
  answer_hash  bytea not null,
  -- Why the page needs a browser.
  reason       text not null,
  -- Rounds that were run, and how often the browser was lost in one.
  rounds       smallint not null,
  crashes      smallint not null,
  -- How it ended; null: it goes on.
  outcome      text,
  -- While the page waits for what it asked for (stage 4): when that is looked at next, how often it was, when the wait ends
  -- whatever is missing, and the URLs, [{origin, key}].
  due_at       timestamptz,
  looks        smallint not null default 0,
  until        timestamptz,
  waits        jsonb not null default '[]',
  -- Files that limits have kept from the page.
  lacks        integer not null default 0,
  -- Of the page as the server sent it.
  words_before integer,
  links_before integer,
  -- What the page asked for in the last round, [{url, type, outcome}]: 100 at most.
  resources    jsonb not null default '[]',
  -- Requests that the browser refused, by what they were.
  refused      jsonb not null default '{}',
  console      jsonb not null default '[]',
  -- Where scripts wanted the window to go; null: nowhere.
  navigation   text,
  -- Milliseconds of all rounds: of the page's own time, and by the clock.
  page_ms      integer not null default 0,
  wall_ms      integer not null default 0,
  begun_at     timestamptz not null default now(),
  ended_at     timestamptz,
  primary key (host_id, crawl_id, key)
);
create index rendering_due on rendering (due_at) where due_at is not null;

create or replace function url_counts_after_update() returns trigger language plpgsql as $$
begin
  if not exists (select from new_rows) then
    return null;
  end if;
  with change as (
    select host_id, crawl_id, 1 as n, state, case when state = 'queued' then priority end as priority from new_rows
    union all
    select host_id, crawl_id, -1, state, null from old_rows
  ), delta as (
    select host_id, crawl_id,
           coalesce(sum(n) filter (where state = 'queued'), 0) as queued,
           coalesce(sum(n) filter (where state = 'leased'), 0) as leased,
           front_tier(max(priority)) as tier
      from change group by host_id, crawl_id order by host_id, crawl_id
  ), locked as materialized (
    select q.host_id, q.crawl_id, d.queued, d.leased, d.tier
      from delta d join host_queue q using (host_id, crawl_id)
     where d.queued <> 0 or d.leased <> 0
     order by q.host_id, q.crawl_id for update of q
  ), queue as (
    update host_queue q
       set queued = q.queued + d.queued, leased = q.leased + d.leased,
           tier = case when d.queued <= 0 then q.tier when q.queued > 0 then least(q.tier, d.tier) else d.tier end,
           work_at = case when q.queued = 0 and q.leased = 0 then now() else q.work_at end,
           served_at = case when d.leased > 0 then now() else q.served_at end
      from locked d where q.host_id = d.host_id and q.crawl_id = d.crawl_id
    returning with (old as before, new as after) q.crawl_id,
              after.has_queued::int - before.has_queued::int as waiting,
              (after.leased > 0)::int - (before.leased > 0)::int as working
  )
  insert into ledger as l (crawl_id, shard, queued, leased, done, excluded, dead, failed, pages, pending,
                           rendering, unread_bytes, fetches, bytes, waiting_hosts, working_hosts)
  select crawl_id, pg_backend_pid() % 32,
         coalesce(sum(n) filter (where state = 'queued'), 0), coalesce(sum(n) filter (where state = 'leased'), 0),
         coalesce(sum(n) filter (where state = 'done'), 0), coalesce(sum(n) filter (where state = 'excluded'), 0),
         coalesce(sum(n) filter (where state = 'dead'), 0), coalesce(sum(n) filter (where state = 'failed'), 0),
         coalesce(sum(n) filter (where state = 'done' and status between 200 and 299 and kind = 0), 0),
         coalesce(sum(n) filter (where stage > 0), 0), coalesce(sum(n) filter (where stage > 2), 0),
         coalesce(sum(n * bytes) filter (where stage in (1, 2)), 0),
         sum(n * fetches), sum(n * bytes),
         coalesce((select sum(waiting) from queue where queue.crawl_id = moved.crawl_id), 0),
         coalesce((select sum(working) from queue where queue.crawl_id = moved.crawl_id), 0)
    from (select crawl_id, 1 as n, state, status, kind, stage, fetches, bytes from new_rows
          union all
          select crawl_id, -1, state, status, kind, stage, fetches, bytes from old_rows) moved
   group by crawl_id order by crawl_id
  on conflict (crawl_id, shard) do update
    set queued = l.queued + excluded.queued, leased = l.leased + excluded.leased, done = l.done + excluded.done,
        excluded = l.excluded + excluded.excluded, dead = l.dead + excluded.dead, failed = l.failed + excluded.failed,
        pages = l.pages + excluded.pages, pending = l.pending + excluded.pending,
        rendering = l.rendering + excluded.rendering,
        unread_bytes = l.unread_bytes + excluded.unread_bytes,
        fetches = l.fetches + excluded.fetches, bytes = l.bytes + excluded.bytes,
        waiting_hosts = l.waiting_hosts + excluded.waiting_hosts,
        working_hosts = l.working_hosts + excluded.working_hosts;
  return null;
end $$;

create or replace function url_gone() returns trigger language plpgsql as $$
begin
  delete from attempt t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key;
  delete from dead_letter t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key;
  delete from lent_url t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key;
  delete from revisit t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key;
  delete from link_count t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key;
  delete from sitemap_hint t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key;
  delete from rendering t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key;
  delete from sitemap_report t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key;
  -- The index of a removed crawl goes as a whole, in whatever store it is (storage/search/dropping.ts).
  delete from search_page t using gone g join crawl c on c.id = g.crawl_id and c.removed_at is null
   where t.crawl_id = g.crawl_id and t.key = g.key;
  with histories as (
    delete from page_history t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key
    returning t.crawl_id
  )
  update standing_crawl s set pages = s.pages - h.pages
    from (select crawl_id, count(*) as pages from histories group by crawl_id) h where s.crawl_id = h.crawl_id;
  with versions as (
    delete from page_version t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key
    returning t.content_hash
  )
  insert into freed_body (hash)
  select content_hash from gone where content_hash is not null
  union
  select answer_hash from gone where answer_hash is not null
  union
  select content_hash from versions where content_hash is not null
   order by content_hash
  on conflict (hash) do update set since = now();
  return null;
end $$;
