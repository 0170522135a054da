-- Bodies are read in turns of their crawls, and of the hosts of each crawl. The next crawl and the next host with unread
-- bodies are found by one step in this index, however many bodies wait.

create index url_unread on url (stage, crawl_id, host_id) where stage > 0;
