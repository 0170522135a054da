-- What pages need to be shown (style sheets, scripts, pictures) is a kind of URL: url.kind 3. Where a crawl has all its
-- pages, what they need is still leased, and the crawl ends once none of it is left: found here, however many pages wait.
-- Rows of any other kind are not in the index.
create index url_needed on url (crawl_id, host_id, priority desc, key) where kind = 3 and state in ('queued', 'leased');
