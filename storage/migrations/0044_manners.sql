-- How long the answer said that this copy of robots.txt may be kept, in milliseconds, from ten minutes to a day
-- (domain/robots-freshness.ts); null: it said nothing, and the copy is kept for a day.
alter table robots add column kept_ms integer;

-- Turns of our workers and of foreign fetchers at a host that both want are as many requests (domain/lending.ts).
-- lend_turns: requests that foreign fetchers may still send in their turn; `lent` says that the workers are next.
-- lend_wanted_until: until then a foreign fetcher counts as wanting the host, so that visits of ours end after a turn.
alter table host add column lend_turns smallint not null default 0, add column lend_wanted_until timestamptz;
