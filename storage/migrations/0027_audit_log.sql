-- Who did what (F34): one row for each request that changes something, written before it is done.
create table audit_log (
  number      bigint generated always as identity primary key,
  -- of whoever asked
  tenant_id   bigint not null,
  at          timestamptz not null default now(),
  -- `key <id>` or `token <subject>`, never the secret
  actor       text not null,
  role        text not null,
  method      text not null,
  -- as in the OpenAPI document: /v1/crawls/{crawlId}/pause
  route       text not null,
  -- the path that was asked for
  target      text not null,
  request_id  text not null,
  -- of the answer; null: the request is under way, or its process was killed while it was
  status      smallint,
  -- what the handler adds, such as the version it made
  detail      text
);
create index audit_log_tenant on audit_log (tenant_id, number);
create index audit_log_at on audit_log (at);

-- Edits of a tenant, for its ETag.
alter table tenant add column revision integer not null default 0;

-- Rejected seeds are few among many.
create index seed_rejected on seed (crawl_id, line) where rejected is not null;
