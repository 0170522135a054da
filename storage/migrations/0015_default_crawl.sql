-- What a crawl is called, or whom it is for; nothing is judged by it.
alter table crawl add column label text;

-- The standing crawl of a tenant, which the compatible routes act on; null: they were not used yet.
alter table tenant add column default_crawl_id bigint references crawl (id);

-- A crawl's hosts in their order: its URLs are then walked host by host, however many there are.
create index host_queue_crawl_host on host_queue (crawl_id, host_id);
drop index host_queue_crawl;

-- Seeds may be added to a crawl that is there. Those up to this line were admitted; the revision is raised with each
-- addition, so that workers read the seeds anew that the scope is judged by.
alter table crawl
  add column seeded_line    integer not null default 0,
  add column seeds_revision integer not null default 0,
  add column seeds_added_at timestamptz not null default '-infinity';
