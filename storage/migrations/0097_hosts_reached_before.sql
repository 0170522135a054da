-- expand: which hosts crawls have reached before that was noted.
-- The hosts that answered a crawl were reached by it. Those of the first tenant (1) are told
-- everything anyway, so only the queues of other tenants are looked at. Where nothing was answered nobody knows whether the
-- guard of addresses let a request go: the next one tells.
update host_queue q set reached = true
  from crawl c
 where c.id = q.crawl_id and c.tenant_id <> 1 and not q.reached
   and (exists (select from url u where u.host_id = q.host_id and u.crawl_id = q.crawl_id and u.fetches > 0)
        or exists (select from forgotten f where f.host_id = q.host_id and f.crawl_id = q.crawl_id and f.fetches > 0));
