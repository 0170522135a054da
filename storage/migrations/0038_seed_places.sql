-- Where the seeds of a crawl lie, each place once: what a scope asks of them, however many they are. A place is three
-- hashes of eight bytes each, of the seed's registrable domain, its site and its folder (storage/seed-places.ts), so that
-- one index tells whether a crawl has a seed in a domain, on a site or in a folder.
create table seed_place (
  crawl_id  bigint not null,
  place     bytea not null,
  primary key (crawl_id, place)
);

-- Good seeds up to seeded_line: how many are still to be admitted is told without counting them.
alter table crawl add column seeds_taken bigint not null default 0;
update crawl c set seeds_taken = s.taken
  from (select s.crawl_id, count(*) as taken from seed s join crawl k on k.id = s.crawl_id and s.line <= k.seeded_line
         where s.rejected is null group by s.crawl_id) s
 where s.crawl_id = c.id;
