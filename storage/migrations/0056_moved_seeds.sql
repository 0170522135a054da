-- A seed that redirects out of the scope brings the place that it leads to into the crawl.
alter table seed_place
  -- The seed, or the last URL of its chain of redirects, that has brought the place; null: a seed stands there itself.
  add column moved_from text,
  -- Where that URL redirects to; null as above.
  add column moved_to text;
create index seed_place_moved on seed_place (crawl_id) where moved_from is not null;
