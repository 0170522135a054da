-- Whom the API serves (F36): tenants, their keys, and which crawl is whose. Hosts belong to nobody: politeness is shared.

-- Ids beyond the first are drawn, so that none tells how many tenants there are.
create table tenant (
  id          bigint primary key default (100000000000000 + floor(random() * 900000000000000))::bigint,
  -- never digits alone: a token may name its tenant by id or by name
  name        text not null unique check (name !~ '^[0-9]+$'),
  -- see contracts/tenancy.ts; what is absent or null is not limited
  quotas      jsonb not null default '{}',
  created_at  timestamptz not null default now(),
  -- set: its keys and tokens are refused; its crawls and their results stay
  closed_at   timestamptz
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

alter table crawl add column tenant_id bigint not null default 1 references tenant (id);
create index crawl_tenant on crawl (tenant_id, id);

-- Where a tenant's count of discovered URLs stood when it was first looked at on a day (UTC): what it has used since
-- then counts for that day.
create table tenant_day (
  tenant_id    bigint not null references tenant (id),
  day          date not null,
  urls_before  bigint not null,
  primary key (tenant_id, day)
);

-- Seals the cursors that leave the API: 244 random bits.
alter table instance
  add column cursor_secret bytea not null default uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
