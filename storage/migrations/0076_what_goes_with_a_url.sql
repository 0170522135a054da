-- What goes with a URL that leaves the frontier: every row about it, and the bodies that only it has referred to.
create function url_gone() returns trigger language plpgsql as $$
begin
  delete from attempt t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key;
  delete from dead_letter t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key;
  delete from lent_url t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key;
  delete from revisit t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key;
  delete from link_count t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key;
  delete from sitemap_hint t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key;
  delete from sitemap_report t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key;
  -- The index of a removed crawl goes as a whole, in whatever store it is (storage/search/dropping.ts).
  delete from search_page t using gone g join crawl c on c.id = g.crawl_id and c.removed_at is null
   where t.crawl_id = g.crawl_id and t.key = g.key;
  with histories as (
    delete from page_history t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key
    returning t.crawl_id
  )
  update standing_crawl s set pages = s.pages - h.pages
    from (select crawl_id, count(*) as pages from histories group by crawl_id) h where s.crawl_id = h.crawl_id;
  with versions as (
    delete from page_version t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key
    returning t.content_hash
  )
  insert into freed_body (hash)
  select content_hash from gone where content_hash is not null
  union
  select content_hash from versions where content_hash is not null
   order by content_hash
  on conflict (hash) do update set since = now();
  return null;
end $$;
create trigger url_gone after delete on url
  referencing old table as gone for each statement execute function url_gone();
