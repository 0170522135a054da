-- How many seeds a crawl has, kept with it: whoever looks at a crawl need not count millions of them.
alter table crawl
  add column seeds_accepted bigint not null default 0,
  add column seeds_rejected bigint not null default 0;
update crawl c set seeds_accepted = s.accepted, seeds_rejected = s.rejected
  from (select crawl_id, count(*) filter (where rejected is null) as accepted, count(rejected) as rejected
          from seed group by crawl_id) s
 where s.crawl_id = c.id;

create function seed_counts_after_insert() returns trigger language plpgsql as $$
begin
  update crawl c set seeds_accepted = c.seeds_accepted + s.accepted, seeds_rejected = c.seeds_rejected + s.rejected
    from (select crawl_id, count(*) filter (where rejected is null) as accepted, count(rejected) as rejected
            from new_rows group by crawl_id) s
   where s.crawl_id = c.id;
  return null;
end $$;
create trigger seed_inserted after insert on seed
  referencing new table as new_rows for each statement execute function seed_counts_after_insert();
