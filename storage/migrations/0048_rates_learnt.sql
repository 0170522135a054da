-- A plan made before the rates of pages are known rests on a guess: it is made anew as rates become known.
alter table standing_crawl
  -- Pages whose rates were known when the plan was made, and how many have been visited often enough since.
  add column planned_rates bigint not null default 0,
  add column rates_learnt  bigint not null default 0;
