-- Turns at a host that our workers and foreign fetchers both want are as many requests, or, where the fetchers are slow,
-- as much time (domain/lending.ts).
-- lend_began: when the fetchers' turn began. ours_until: until then the workers' turn lasts, because that of the fetchers
-- was slow and took as long.
alter table host add column lend_began timestamptz, add column ours_until timestamptz;

-- wasted: the URL was given back untried, after its host had stood still for it as long as for a slow request.
alter table lent_url add column wasted boolean not null default false;
