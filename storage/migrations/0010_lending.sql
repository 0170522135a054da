-- Hosts that are lent to fetchers that are not ours (F37): each for one request, under the host's own lease.

create table lent_batch (
  id          uuid primary key,
  tenant_id   bigint not null references tenant (id),
  -- as the fetcher calls itself
  fetcher_id  text not null,
  created_at  timestamptz not null default now(),
  -- the end of the hosts' leases; what the fetcher was told is earlier
  until       timestamptz not null
);
create index lent_batch_until on lent_batch (until);

create table lent_url (
  batch_id   uuid not null references lent_batch (id) on delete cascade,
  host_id    bigint not null,
  crawl_id   bigint not null,
  key        bytea not null,
  -- as it was handed out
  url        text not null,
  -- of the host's lease
  token      bigint not null,
  lent_at    timestamptz not null default now(),
  -- set in the transaction that commits what came of it
  settled_at timestamptz,
  primary key (batch_id, host_id)
);
create unique index lent_url_token on lent_url (token);
-- When was a page handed out last? Links that are offered without a crawl go to the one that their page was lent for.
create index lent_url_page on lent_url (host_id, crawl_id, key);

-- The first foreign page of a crawl with a body. Apart from `content`: a page without a body must not stand for one of
-- ours, or nobody would read it.
create table lent_content (
  crawl_id  bigint not null,
  hash      bytea not null,
  host_id   bigint not null,
  key       bytea not null,
  primary key (crawl_id, hash)
);
