-- A visit that has just read a page leases the links to its own host as they are inserted, where nothing else is queued there.

create or replace function url_counts_after_insert() returns trigger language plpgsql as $$
begin
  with queue as (
    insert into host_queue as q (host_id, crawl_id, queued, leased, total, tier, authority)
    select host_id, crawl_id, count(*) filter (where state = 'queued'), count(*) filter (where state = 'leased'), count(*),
           front_tier(max(priority) filter (where state = 'queued')), bool_or(seed)
      from new_rows group by host_id, crawl_id order by host_id, crawl_id
    on conflict (host_id, crawl_id) do update
      set queued = q.queued + excluded.queued, leased = q.leased + excluded.leased, total = q.total + excluded.total,
          tier = case when q.queued > 0 or excluded.queued = 0 then least(q.tier, excluded.tier) else excluded.tier end,
          authority = q.authority or excluded.authority,
          work_at = case when q.queued = 0 and q.leased = 0 then now() else q.work_at end,
          served_at = case when excluded.leased > 0 then now() else q.served_at end
    returning with (old as before, new as after) q.crawl_id, (before.host_id is null)::int as is_new,
              after.has_queued::int - coalesce(before.has_queued, false)::int as waiting,
              (after.leased > 0)::int - (coalesce(before.leased, 0) > 0)::int as working
  )
  insert into ledger as l (crawl_id, shard, discovered, queued, leased, done, excluded, dead, failed, hosts, waiting_hosts,
                           working_hosts)
  select crawl_id, pg_backend_pid() % 32, count(*),
         count(*) filter (where state = 'queued'), count(*) filter (where state = 'leased'),
         count(*) filter (where state = 'done'), count(*) filter (where state = 'excluded'),
         count(*) filter (where state = 'dead'), count(*) filter (where state = 'failed'),
         (select sum(is_new) from queue where queue.crawl_id = new_rows.crawl_id),
         (select sum(waiting) from queue where queue.crawl_id = new_rows.crawl_id),
         (select sum(working) from queue where queue.crawl_id = new_rows.crawl_id)
    from new_rows group by crawl_id order by crawl_id
  on conflict (crawl_id, shard) do update
    set discovered = l.discovered + excluded.discovered, queued = l.queued + excluded.queued,
        leased = l.leased + excluded.leased,
        done = l.done + excluded.done, excluded = l.excluded + excluded.excluded, dead = l.dead + excluded.dead,
        failed = l.failed + excluded.failed, hosts = l.hosts + excluded.hosts,
        waiting_hosts = l.waiting_hosts + excluded.waiting_hosts,
        working_hosts = l.working_hosts + excluded.working_hosts;
  return null;
end $$;
