-- Tenants, whom the API serves (F36): their keys, what they have used, and who did what. Hosts belong to no tenant: all
-- share their politeness.

-- Ids after the first are drawn at random, so that no id tells how many tenants there are.
create table tenant (
  id          bigint primary key default (100000000000000 + floor(random() * 900000000000000))::bigint,
  -- A name is never made of digits alone: a token may name its tenant by id or by name.
  name        text not null unique check (name !~ '^[0-9]+$'),
  -- See contracts/tenancy.ts. A quota that is absent or null sets no limit.
  quotas      jsonb not null default '{}',
  created_at  timestamptz not null default now(),
  -- Not null: the tenant's keys and tokens are refused; its crawls and their results stay.
  closed_at   timestamptz,
  -- The number of edits, for the ETag.
  revision    integer not null default 0
);
-- The first tenant. Its admins run the instance.
insert into tenant (id, name) values (1, 'default');

create table api_key (
  id            uuid primary key default gen_random_uuid(),
  tenant_id     bigint not null references tenant (id),
  name          text not null,
  -- SHA-256 of the whole key, which has 256 random bits, so no slower hash is needed against guessing.
  hash          bytea not null unique,
  -- The beginning of the key, by which people tell keys apart.
  prefix        text not null,
  role          text not null check (role in ('reader', 'operator', 'admin')),
  -- Areas of the API for which the key may be used; null: all that its role allows.
  scopes        text[],
  created_at    timestamptz not null default now(),
  expires_at    timestamptz,
  revoked_at    timestamptz,
  -- Written once a minute at most.
  last_used_at  timestamptz
);
create index api_key_tenant on api_key (tenant_id, created_at, id);

-- A tenant's count of discovered URLs at the first look of a day (UTC). What the tenant uses after that look counts for
-- that day.
create table tenant_day (
  tenant_id    bigint not null references tenant (id),
  day          date not null,
  urls_before  bigint not null,
  primary key (tenant_id, day)
);

-- Who did what (F34): one row for each request that changes something, written before the request is carried out.
create table audit_log (
  number      bigint generated always as identity primary key,
  -- Tenant of the caller.
  tenant_id   bigint not null,
  at          timestamptz not null default now(),
  -- `key <id>` or `token <subject>`, never the secret
  actor       text not null,
  role        text not null,
  method      text not null,
  -- As in the OpenAPI document: /v1/crawls/{crawlId}/pause
  route       text not null,
  -- The path as it was requested.
  target      text not null,
  request_id  text not null,
  -- HTTP status of the answer. Null: the request is under way, or the process was killed during the request.
  status      smallint,
  -- Details from the handler, such as the version that the request made.
  detail      text,
  -- About keys, tenants, webhooks and deletions, and not refused: kept by age alone, however many other entries come.
  security    boolean not null default false,
  -- An entry that stands for all requests of an actor to a route within an hour that did nothing, such as a lease of no
  -- URL: how many they were, and when the last one came. Null: the entry is of one request.
  hour        timestamptz,
  times       integer not null default 1,
  last_at     timestamptz
);
create index audit_log_tenant on audit_log (tenant_id, number);
create index audit_log_at on audit_log (at);
-- Each kind of entry has a number of its own: about who may do what; bodies and exports that were taken; other work.
create index audit_log_security on audit_log (tenant_id, number) where security;
create index audit_log_downloads on audit_log (tenant_id, number) where not security and method = 'GET';
create index audit_log_work on audit_log (tenant_id, number) where not security and method <> 'GET';
create unique index audit_log_counted on audit_log (tenant_id, actor, route, hour) where hour is not null;

-- Answers to requests with an Idempotency-Key, kept for a day: a repeated request gets the same answer and does
-- nothing.
create table idempotency_key (
  tenant_id     bigint not null,
  -- Who sent the key: the id of an API key or the subject of a token.
  caller        text not null,
  key           text not null,
  -- SHA-256 of method, path and body: another request with the same key is refused.
  request_hash  bytea not null,
  created_at    timestamptz not null default now(),
  -- Null: the first request is under way, or was cut off.
  status        smallint,
  content_type  text,
  location      text,
  -- Null: the answer held a secret, which is shown only once, or was too long to keep.
  body          text,
  primary key (tenant_id, caller, key)
);
create index idempotency_key_age on idempotency_key (created_at);
