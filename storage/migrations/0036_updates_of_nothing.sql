-- An update that finds no row counts nothing. Each visit has two such, which put back URLs that somebody may have left,
-- and the counting of nothing was most of their cost.

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

create or replace function left_out_after_update() returns trigger language plpgsql as $$
begin
  if not exists (select from new_rows) then
    return null;
  end if;
  with change as materialized (
    select 1 as n, crawl_id, state, reason, cut from new_rows where state = 'excluded' or cut is not null
    union all
    select -1, crawl_id, state, reason, cut from old_rows where state = 'excluded' or cut is not null
  ), delta as (
    select crawl_id, 'excluded' as what, coalesce(reason, 'unknown') as name, sum(n) as urls, 0 as amount
      from change where state = 'excluded' group by crawl_id, coalesce(reason, 'unknown')
    union all
    select crawl_id, 'cut', each.key, sum(n), sum(n * each.value::bigint)
      from change cross join jsonb_each_text(cut) each where cut is not null group by crawl_id, each.key
  )
  insert into left_out as l (crawl_id, what, name, shard, urls, amount)
  select crawl_id, what, name, pg_backend_pid() % 32, urls, amount
    from delta where urls <> 0 or amount <> 0 order by crawl_id, what, name
  on conflict (crawl_id, what, name, shard) do update
    set urls = l.urls + excluded.urls, amount = l.amount + excluded.amount;
  return null;
end $$;
