-- When was a page handed out last? Links that are offered without a crawl go to the one that their page was lent for.
create index lent_url_page on lent_url (host_id, crawl_id, key);
