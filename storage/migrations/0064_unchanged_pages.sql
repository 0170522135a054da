-- What has not changed since it was last fetched (0052) is told of pages: no longer of sitemaps, nor of what pages need.
create or replace function left_out_after_update() returns trigger language plpgsql as $$
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

insert into left_out as l (crawl_id, what, name, shard, urls, amount)
select crawl_id, 'unchanged', 'not-modified', 0, -count(*), 0
  from url where kind <> 0 and state = 'done' and reason = 'not-modified' group by crawl_id
on conflict (crawl_id, what, name, shard) do update set urls = l.urls + excluded.urls;
