-- Each crawl that looks for pages that are not there asks a host for itself, once a day at most, instead of all crawls
-- together: what a host answers depends on the headers that a crawl sends, and a second crawl found nothing for a day.
-- Rows of removed crawls, which only kept others from asking, go.
delete from made_up_path where crawl_id is null;
alter table made_up_path drop constraint made_up_path_pkey, add primary key (host_id, crawl_id);
