-- Seeds as they were given, line by line; a rejected seed is kept with its reason (F01).
create table seed (
  crawl_id  bigint not null references crawl (id),
  line      integer not null,
  url       text not null,
  rejected  text,
  primary key (crawl_id, line)
);
-- Only few of many seeds are rejected.
create index seed_rejected on seed (crawl_id, line) where rejected is not null;

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

-- The places of a crawl's seeds, each place once: all that a scope must know of the seeds, however many there are. A
-- place is three hashes of eight bytes each, of the seed's registrable domain, its site and its folder
-- (storage/seeds/seed-places.ts), so that one index tells whether a crawl has a seed in a domain, on a site or in a
-- folder.
create table seed_place (
  crawl_id    bigint not null,
  place       bytea not null,
  -- The seed, or the last URL of its chain of redirects, that has brought the place, by redirecting out of the scope to
  -- another URL, `moved_to`; null: a seed stands there itself.
  moved_from  text,
  moved_to    text,
  primary key (crawl_id, place)
);
create index seed_place_moved on seed_place (crawl_id) where moved_from is not null;
