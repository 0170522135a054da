-- What a crawl is called where it is a job (F34): that interface knows jobs by UUIDs.
alter table crawl add column job_id uuid not null default gen_random_uuid();
create unique index crawl_job on crawl (job_id);

-- Whom a job is for, as that interface numbers its users; null: no job. Open jobs of one user share a quota.
alter table crawl add column user_id bigint;
create index crawl_open_of_user on crawl (tenant_id, user_id)
  where user_id is not null and state not in ('finished', 'cancelled', 'failed');
