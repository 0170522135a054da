-- Copies of a content by the page that they name: those that name another one than they should are found however many
-- there are.
drop index url_copies;
create index url_copies on url (crawl_id, content_id, alias_host, alias_key)
  where alias_host is not null and content_id is not null;
