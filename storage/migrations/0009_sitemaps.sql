-- Sitemaps of a host within a crawl are counted when more are named: there is a limit (domain/sitemap-limits.ts).
create index url_sitemap on url (host_id, crawl_id) where kind = 1;
