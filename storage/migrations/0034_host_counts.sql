-- How many hosts a crawl has, and at how many of them URLs are queued or leased, summed as URLs are: whoever reads the
-- status of a crawl needs no look at each of its hosts.

lock table host_queue in exclusive mode;
alter table ledger
  add column hosts bigint not null default 0,
  add column waiting_hosts bigint not null default 0,
  add column working_hosts bigint not null default 0;
insert into ledger as l (crawl_id, shard, hosts, waiting_hosts, working_hosts)
select crawl_id, 0, count(*), count(*) filter (where has_queued), count(*) filter (where leased > 0)
  from host_queue group by crawl_id order by crawl_id
on conflict (crawl_id, shard) do update
  set hosts = excluded.hosts, waiting_hosts = excluded.waiting_hosts, working_hosts = excluded.working_hosts;

create or replace function url_counts_after_insert() returns trigger language plpgsql as $$
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

create or replace function url_counts_after_update() returns trigger language plpgsql as $$
begin
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
