-- The frontier: URL rows, the queues they stand in, and the counts that change in the same statement.

create type url_state as enum ('queued', 'leased', 'done', 'excluded', 'dead', 'failed');

create table url (
  host_id       bigint not null,
  crawl_id      bigint not null,
  -- The first 16 bytes of the SHA-256 of the canonical URL.
  key           bytea not null,
  -- The URL as it was found, which is sent to the server.
  url           text not null,
  state         url_state not null,
  -- 0: page, 1: sitemap, 2: a made-up path, 3: what pages need to be shown (domain/url-kind.ts)
  kind          smallint not null default 0,
  -- The next stage of a fetched body. 0: none, 1: dedup, 2: extract (domain/stage.ts)
  stage         smallint not null default 0,
  seed          boolean not null default false,
  depth         smallint not null,
  -- Number of redirects, one after another, that led here.
  hops          smallint not null default 0,
  priority      real not null,
  due_at        timestamptz not null default now(),
  discovered_at timestamptz not null default now(),
  parent_host   bigint,
  parent_key    bytea,
  lease_token   bigint,
  -- Requests that ended without a final outcome; how many of these were the URL's own trouble; leases that a crash
  -- ended.
  attempts      smallint not null default 0,
  tries         smallint not null default 0,
  reclaims      smallint not null default 0,
  -- Requests that were answered, and body bytes of the last answer, as they came over the wire.
  fetches       smallint not null default 0,
  bytes         bigint not null default 0,
  fetched_at    timestamptz,
  -- Milliseconds of the last answer, from sending the request to its end: shows which URLs and hosts are slow (F38).
  took_ms       integer,
  status        smallint,
  -- Why the URL is in this state (domain/url-reason.ts), and one sentence about it.
  reason        text,
  detail        text,
  -- Of a body that this crawl fetched itself, and so opens the body.
  content_hash  bytea,
  content_type  text,
  robots_tag    text,
  etag          text,
  last_modified text,
  redirect_to   text,
  truncated     text,
  -- What limits left out at this URL (domain/limits.ts): each kind with its amount.
  cut           jsonb,
  -- The page of which this one is a duplicate.
  alias_host    bigint,
  alias_key     bytea,
  -- What a foreign fetcher says of a body that it keeps. A hash is no proof of possession: this one opens nothing, and
  -- tells duplicates among the reports of a crawl.
  reported_hash bytea,
  -- The fields Link and Refresh of the answer that a page was read from, each on its line, 8,192 characters at most;
  -- null: the answer had neither.
  link_fields   text,
  primary key (host_id, crawl_id, key)
) with (fillfactor = 80);
alter table url add constraint url_hash_of_one check (content_hash is null or reported_hash is null) not valid;
create index url_queue on url (host_id, crawl_id, priority desc, key) where state = 'queued';
create index url_leased on url (host_id) where state = 'leased';
create index url_stage on url (host_id, stage) where stage > 0;
-- Bodies are read in turns of their crawls, and of the hosts of each crawl. The next crawl and the next host with unread
-- bodies are found by one step in this index, however many bodies wait.
create index url_unread on url (stage, crawl_id, host_id) where stage > 0;
-- Where a crawl has all its pages, what they need is still leased, and the crawl ends once none of it is left: found
-- here, however many pages wait. Rows of any other kind are not in the index.
create index url_needed on url (crawl_id, host_id, priority desc, key) where kind = 3 and state in ('queued', 'leased');
create index url_pages on url (crawl_id, fetched_at, host_id, key) where fetched_at is not null;
create index url_seeds on url (host_id, crawl_id) where seed;
-- Sitemaps of a host within a crawl are counted when more are named, because their number is limited
-- (domain/sitemap-limits.ts); those of a crawl are listed.
create index url_sitemap on url (crawl_id, host_id, key) where kind = 1;
-- URLs that are gone, by when they were last found so: they leave the frontier after a while.
create index url_dead on url (crawl_id, fetched_at) where state = 'dead';
-- URLs that an opt-out excluded, to be queued again if the opt-out is taken back.
create index url_opted_out on url (host_id, crawl_id) where state = 'excluded' and reason = 'opt-out';
-- URLs that a quarantine keeps back, by the detail that names the quarantine, to be queued again if it is released.
create index url_quarantined on url (host_id, crawl_id, detail, key) 
 where state = 'excluded' and reason in ('trap', 'soft-404');
-- Pages and sitemaps that may have named a URL which the crawl never met: the kinds of `linkCuts` (domain/limits.ts).
create index url_lost_links on url (crawl_id, host_id, key)
 where cut ?| array['links', 'sitemapEntries', 'sitemapBytes', 'brokenSitemaps', 'sitemaps'];

-- Who links to a URL that has got a new score for its links: sketches of the distinct other hosts and of the distinct
-- pages of its own host that do (domain/priority/link-sketch.ts). Others have no row, so there are fewer rows than pages
-- read; in crawls with a focus every page that is queued has one, and in crawls whose scores depend on dates every page
-- for which a sitemap has one.
create table link_count (
  host_id   bigint not null,
  crawl_id  bigint not null,
  key       bytea not null,
  hosts     bigint not null,
  pages     bigint not null,
  -- The most that any link promises of the crawl's focus (domain/relevance/focus.ts); null: the crawl has none.
  relevance real,
  -- The latest change that a sitemap names; null: none does, or the crawl's scores do not depend on dates.
  lastmod   timestamptz,
  primary key (host_id, crawl_id, key)
) with (fillfactor = 80);

-- Which crawls have work at which host, and whose turn it is. The triggers below keep it, in the same statement as the
-- URLs.
create table host_queue (
  host_id          bigint not null,
  crawl_id         bigint not null,
  queued           bigint not null default 0,
  leased           bigint not null default 0,
  total            bigint not null default 0,
  -- When URLs were last queued here while none was queued or leased: since then the crawl has work here.
  work_at          timestamptz not null default now(),

  -- Facts about the host: its shard, and whether it was found to answer.
  shard            smallint not null default 0,
  known            boolean not null default false,
  -- The host has its turn no earlier than this; hosts that have waited longest go first. The time may be too early,
  -- never too late: whoever finds it too early puts it right under the host's lock. Null: a workflow has the host, or
  -- the host is parked.
  turn_at          timestamptz default now(),
  -- The front queue in which the host waits for the crawl (domain/front-queue/). The tier of the best URL that was
  -- queued here when the tier was last noted: a URL that comes raises it at once; it falls when the host is given back
  -- or its turn is put right. 0: high, 1: medium, 2: low.
  tier             smallint not null default 2,
  -- The host is one that the crawl has reason to trust: it was named by a seed, or is esteemed (host.esteem).
  authority        boolean not null default false,

  -- Turns of crawls at the host (lease-urls). When this crawl last got a lease here: the crawl that has waited longest
  -- goes first.
  served_at        timestamptz not null default '-infinity',
  -- The crawl's place in the turns: the higher it is, the more the crawl has had for its weight.
  served           double precision not null default '-infinity',
  -- What a URL was worth when one was last charged to this crawl: turns are shared between tenants first (G3).
  worth            double precision not null default 1,

  -- Turns by the crawl's own delay (domain/pace.ts). The head of the last answer to a request of this crawl here.
  asked_at         timestamptz,
  -- The crawl has no turn before this time because of its own delay, if that is longer than the host's, in this version
  -- of its settings.
  own_turn_at      timestamptz not null default '-infinity',
  turn_version     integer not null default 0,
  -- The crawl has no turn before this time because of a report on the host by a foreign fetcher of its tenant.
  held_until       timestamptz not null default '-infinity',

  -- When the host's workflow was last told that the crawl waits for an answer of the parked host, because it has seeds
  -- there; -infinity: the workflow was not told yet. Null: the crawl does not wait for an answer.
  asking           timestamptz,
  -- When such a wait last ended with an answer: a crawl whose seeds come by the thousand asks once, not once a batch.
  ask_answered_at  timestamptz,

  -- A column of its own: an update that changes a column named in an index, or in its condition, writes the row anew in
  -- every index of the table; `queued` changes with each URL, `has_queued` seldom.
  has_queued       boolean not null generated always as (queued > 0) stored,
  -- How often in a row crawls of the tenant have lost their turns at the host because of trouble (held_until), with no
  -- good answer to the tenant in between. Each time holds for twice as long as the one before, up to a day
  -- (domain/trouble.ts).
  held_times       smallint not null default 0,
  primary key (host_id, crawl_id)
) with (fillfactor = 50);
create index host_queue_waiting on host_queue (host_id) where has_queued;
-- The hosts of a crawl in their order: its URLs are walked host by host, however many there are.
create index host_queue_crawl_host on host_queue (crawl_id, host_id);
create index host_queue_turn on host_queue (crawl_id, shard, tier, authority, turn_at)
 where known and has_queued and turn_at is not null;
create index host_queue_door on host_queue (crawl_id, tier, authority, turn_at)
 where not known and has_queued and turn_at is not null;
create index host_queue_asking on host_queue (crawl_id) where asking is not null;

-- discovered = queued + leased + done + excluded + dead + failed, at every instant, summed over the shards. A shard
-- belongs to a database session, so that writers do not wait for one another; a single shard may be negative.
create table ledger (
  crawl_id    bigint not null,
  shard       smallint not null,
  discovered  bigint not null default 0,
  queued      bigint not null default 0,
  leased      bigint not null default 0,
  done        bigint not null default 0,
  excluded    bigint not null default 0,
  dead        bigint not null default 0,
  failed      bigint not null default 0,
  -- How many of `done` were answered with 2xx and are not sitemaps.
  pages       bigint not null default 0,
  -- How many of `done` wait for dedup or extraction.
  pending     bigint not null default 0,
  -- Body bytes of these, as they came over the wire.
  unread_bytes bigint not null default 0,
  fetches     bigint not null default 0,
  bytes       bigint not null default 0,
  -- How many hosts the crawl has, and at how many of them URLs are queued or leased: whoever reads the status of a crawl
  -- needs no look at each of its hosts.
  hosts         bigint not null default 0,
  waiting_hosts bigint not null default 0,
  working_hosts bigint not null default 0,
  primary key (crawl_id, shard)
) with (fillfactor = 50);

create function url_counts_after_insert() returns trigger language plpgsql as $$
begin
  with queue as (
    insert into host_queue as q (host_id, crawl_id, queued, total, tier, authority)
    select host_id, crawl_id, count(*) filter (where state = 'queued'), count(*),
           front_tier(max(priority) filter (where state = 'queued')), bool_or(seed)
      from new_rows group by host_id, crawl_id order by host_id, crawl_id
    on conflict (host_id, crawl_id) do update
      set queued = q.queued + excluded.queued, total = q.total + excluded.total,
          tier = case when q.queued > 0 or excluded.queued = 0 then least(q.tier, excluded.tier) else excluded.tier end,
          authority = q.authority or excluded.authority,
          work_at = case when q.queued = 0 and q.leased = 0 then now() else q.work_at end
    returning with (old as before, new as after) q.crawl_id, (before.host_id is null)::int as is_new,
              after.has_queued::int - coalesce(before.has_queued, false)::int as waiting
  )
  insert into ledger as l (crawl_id, shard, discovered, queued, done, excluded, dead, failed, hosts, waiting_hosts)
  select crawl_id, pg_backend_pid() % 32, count(*),
         count(*) filter (where state = 'queued'), count(*) filter (where state = 'done'),
         count(*) filter (where state = 'excluded'), count(*) filter (where state = 'dead'),
         count(*) filter (where state = 'failed'),
         (select sum(is_new) from queue where queue.crawl_id = new_rows.crawl_id),
         (select sum(waiting) from queue where queue.crawl_id = new_rows.crawl_id)
    from new_rows group by crawl_id order by crawl_id
  on conflict (crawl_id, shard) do update
    set discovered = l.discovered + excluded.discovered, queued = l.queued + excluded.queued,
        done = l.done + excluded.done, excluded = l.excluded + excluded.excluded, dead = l.dead + excluded.dead,
        failed = l.failed + excluded.failed, hosts = l.hosts + excluded.hosts,
        waiting_hosts = l.waiting_hosts + excluded.waiting_hosts;
  return null;
end $$;

-- An update that finds no row counts nothing. Each visit has two such, which put back URLs that somebody may have left,
-- and the counting of nothing was most of their cost.
create function url_counts_after_update() returns trigger language plpgsql as $$
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
                           unread_bytes, fetches, bytes, waiting_hosts, working_hosts)
  select crawl_id, pg_backend_pid() % 32,
         coalesce(sum(n) filter (where state = 'queued'), 0), coalesce(sum(n) filter (where state = 'leased'), 0),
         coalesce(sum(n) filter (where state = 'done'), 0), coalesce(sum(n) filter (where state = 'excluded'), 0),
         coalesce(sum(n) filter (where state = 'dead'), 0), coalesce(sum(n) filter (where state = 'failed'), 0),
         coalesce(sum(n) filter (where state = 'done' and status between 200 and 299 and kind = 0), 0),
         coalesce(sum(n) filter (where stage > 0), 0), coalesce(sum(n * bytes) filter (where stage > 0), 0),
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
        unread_bytes = l.unread_bytes + excluded.unread_bytes,
        fetches = l.fetches + excluded.fetches, bytes = l.bytes + excluded.bytes,
        waiting_hosts = l.waiting_hosts + excluded.waiting_hosts,
        working_hosts = l.working_hosts + excluded.working_hosts;
  return null;
end $$;

create trigger url_inserted after insert on url
  referencing new table as new_rows
  for each statement execute function url_counts_after_insert();
create trigger url_updated after update on url
  referencing old table as old_rows new table as new_rows
  for each statement execute function url_counts_after_update();

-- URLs of a crawl at a host that were gone for long and have no row any more. The ledger counts them for ever; whoever
-- recounts URLs adds these.
create table forgotten (
  host_id   bigint not null,
  crawl_id  bigint not null,
  urls      bigint not null,
  fetches   bigint not null,
  bytes     bigint not null,
  primary key (host_id, crawl_id)
);
create index forgotten_crawl on forgotten (crawl_id);

-- What a crawl left out, summed: URLs excluded, by reason, and what limits cut, by kind (at so many URLs, so much). And
-- how many of its pages had not changed since they were last fetched, as their hosts say (304).
-- Triggers keep it, as they keep the ledger, by the same shards. They run after those of the ledger: whoever holds a
-- row here also holds the row of the ledger.
create table left_out (
  crawl_id  bigint not null,
  what      text not null check (what in ('excluded', 'cut', 'unchanged')),
  name      text not null,
  shard     smallint not null,
  urls      bigint not null,
  amount    bigint not null,
  primary key (crawl_id, what, name, shard)
) with (fillfactor = 50);

create function left_out_after_insert() returns trigger language plpgsql as $$
begin
  insert into left_out as l (crawl_id, what, name, shard, urls, amount)
  select crawl_id, 'excluded', coalesce(reason, 'unknown'), pg_backend_pid() % 32, count(*), 0
    from new_rows where state = 'excluded'
   group by crawl_id, coalesce(reason, 'unknown') order by 1, 3
  on conflict (crawl_id, what, name, shard) do update set urls = l.urls + excluded.urls;
  return null;
end $$;

create function left_out_after_update() returns trigger language plpgsql as $$
begin
  if not exists (select from new_rows) then
    return null;
  end if;
  with change as materialized (
    select 1 as n, crawl_id, kind, state, reason, cut from new_rows
     where state = 'excluded' or cut is not null or reason = 'not-modified'
    union all
    select -1, crawl_id, kind, state, reason, cut from old_rows
     where state = 'excluded' or cut is not null or reason = 'not-modified'
  ), delta as (
    select crawl_id, 'excluded' as what, coalesce(reason, 'unknown') as name, sum(n) as urls, 0 as amount
      from change where state = 'excluded' group by crawl_id, coalesce(reason, 'unknown')
    union all
    select crawl_id, 'cut', each.key, sum(n), sum(n * each.value::bigint)
      from change cross join jsonb_each_text(cut) each where cut is not null group by crawl_id, each.key
    union all
    select crawl_id, 'unchanged', reason, sum(n), 0
      from change where kind = 0 and state = 'done' and reason = 'not-modified' group by crawl_id, reason
  )
  insert into left_out as l (crawl_id, what, name, shard, urls, amount)
  select crawl_id, what, name, pg_backend_pid() % 32, urls, amount
    from delta where urls <> 0 or amount <> 0 order by crawl_id, what, name
  on conflict (crawl_id, what, name, shard) do update
    set urls = l.urls + excluded.urls, amount = l.amount + excluded.amount;
  return null;
end $$;

-- Triggers of one event fire in the order of their names, so these run after those of the ledger.
create trigger url_inserted_left_out after insert on url
  referencing new table as new_rows
  for each statement execute function left_out_after_insert();
create trigger url_updated_left_out after update on url
  referencing old table as old_rows new table as new_rows
  for each statement execute function left_out_after_update();
