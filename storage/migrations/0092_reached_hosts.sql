-- A request of the crawl was let go to the host: it was answered, or failed otherwise than by the guard of addresses.
-- What others have learned there (robots.txt, pace, failures) is told to a tenant only if that holds for a crawl of its
-- own: a crawl of the first tenant may reach addresses that are refused to it.
alter table host_queue add column reached boolean not null default false;
