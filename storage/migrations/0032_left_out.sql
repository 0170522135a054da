-- What limits left out (domain/limits.ts), by kind with how much: stored with the URL at which it was cut.
alter table url add column cut jsonb;
alter table page drop column cut;
-- Of a host's robots.txt; crawls share it.
alter table robots add column cut jsonb;
create index robots_cut on robots (host_id) where cut is not null;
-- Where a URL that was never met may have been named: the kinds of `linkCuts` (domain/limits.ts).
create index url_lost_links on url (crawl_id, host_id, key)
 where cut ?| array['links', 'sitemapEntries', 'sitemapBytes', 'brokenSitemaps', 'sitemaps'];

-- What a crawl did not take, summed: URLs excluded by reason, and what was cut by kind (at so many URLs, so much).
-- Kept by triggers as the ledger is, by the same shards and behind it: who holds a row here holds that of the ledger.
create table left_out (
  crawl_id  bigint not null,
  what      text not null check (what in ('excluded', 'cut')),
  name      text not null,
  shard     smallint not null,
  urls      bigint not null,
  amount    bigint not null,
  primary key (crawl_id, what, name, shard)
) with (fillfactor = 50);

insert into left_out (crawl_id, what, name, shard, urls, amount)
select crawl_id, 'excluded', coalesce(reason, 'unknown'), 0, count(*), 0
  from url where state = 'excluded' group by crawl_id, coalesce(reason, 'unknown');

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

-- Triggers of one event fire in the order of their names: these behind those of the ledger.
create trigger url_inserted_left_out after insert on url
  referencing new table as new_rows
  for each statement execute function left_out_after_insert();
create trigger url_updated_left_out after update on url
  referencing old table as old_rows new table as new_rows
  for each statement execute function left_out_after_update();
