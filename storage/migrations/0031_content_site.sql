-- A site that a crawl was given as a seed is read in its own right, also where another one has the same bodies: its
-- relative links lead elsewhere. `site` is such a site's host, or 0 for all pages of other sites together.
alter table content add column site bigint not null default 0;
alter table content drop constraint content_pkey, add primary key (crawl_id, hash, site);
create index url_seeds on url (host_id, crawl_id) where seed;
