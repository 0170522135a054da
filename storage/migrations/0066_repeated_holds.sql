-- How often in a row crawls of the tenant have lost their turns at the host because of trouble (held_until), with no good
-- answer to the tenant in between. Each time holds for twice as long as the one before, up to a day (domain/trouble.ts).
alter table host_queue add column held_times smallint not null default 0;
