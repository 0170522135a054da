-- Whom the API serves (F36): tenants, their keys, what they have used, and who did what. Hosts belong to nobody:
-- politeness is shared.

-- Ids beyond the first are drawn, so that none tells how many tenants there are.
create table tenant (
  id          bigint primary key default (100000000000000 + floor(random() * 900000000000000))::bigint,
  -- never digits alone: a token may name its tenant by id or by name
  name        text not null unique check (name !~ '^[0-9]+$'),
  -- see contracts/tenancy.ts; what is absent or null is not limited
  quotas      jsonb not null default '{}',
  created_at  timestamptz not null default now(),
  -- set: its keys and tokens are refused; its crawls and their results stay
  closed_at   timestamptz,
  -- counts its edits, for its ETag
  revision    integer not null default 0
);
-- Its admins run the instance.
insert into tenant (id, name) values (1, 'default');

create table api_key (
  id            uuid primary key default gen_random_uuid(),
  tenant_id     bigint not null references tenant (id),
  name          text not null,
  -- SHA-256 of the whole key, which has 256 random bits: nothing slower is needed against guessing
  hash          bytea not null unique,
  -- the beginning of the key, by which people tell keys apart
  prefix        text not null,
  role          text not null check (role in ('reader', 'operator', 'admin')),
  -- areas of the API it may be used in; null: all that its role allows
  scopes        text[],
  created_at    timestamptz not null default now(),
  expires_at    timestamptz,
  revoked_at    timestamptz,
  -- written once a minute at most
  last_used_at  timestamptz
);
create index api_key_tenant on api_key (tenant_id, created_at, id);

-- Where a tenant's count of discovered URLs stood when it was first looked at on a day (UTC): what it has used since
-- then counts for that day.
create table tenant_day (
  tenant_id    bigint not null references tenant (id),
  day          date not null,
  urls_before  bigint not null,
  primary key (tenant_id, day)
);

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

-- Answers to requests with an Idempotency-Key, for a day: the same request again gets the same answer and does nothing.
create table idempotency_key (
  tenant_id     bigint not null,
  -- who sent it: a key's id or a token's subject
  caller        text not null,
  key           text not null,
  -- SHA-256 of method, path and body: the same key with another request is refused
  request_hash  bytea not null,
  created_at    timestamptz not null default now(),
  -- null while the first request is under way, or if it was cut off
  status        smallint,
  content_type  text,
  location      text,
  -- null: the answer held a secret, which is shown once, or was too long to keep
  body          text,
  primary key (tenant_id, caller, key)
);
create index idempotency_key_age on idempotency_key (created_at);
