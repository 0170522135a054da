-- Hosts that are lent to fetchers that are not ours (F37): each for one request, under the host's own lease.

create table lent_batch (
  id          uuid primary key,
  tenant_id   bigint not null references tenant (id),
  -- The name by which the fetcher calls itself.
  fetcher_id  text not null,
  created_at  timestamptz not null default now(),
  -- The end of the hosts' leases. The fetcher was told an earlier time.
  until       timestamptz not null
);
create index lent_batch_until on lent_batch (until);

create table lent_url (
  batch_id   uuid not null references lent_batch (id) on delete cascade,
  host_id    bigint not null,
  crawl_id   bigint not null,
  key        bytea not null,
  -- The URL as it was handed out.
  url        text not null,
  -- Token of the host's lease.
  token      bigint not null,
  lent_at    timestamptz not null default now(),
  -- Set in the transaction that commits the outcome.
  settled_at timestamptz,
  -- The URL was given back untried, after its host had stood still for it as long as for a slow request.
  wasted     boolean not null default false,
  primary key (batch_id, host_id)
);
create unique index lent_url_token on lent_url (token);
-- For finding when a page was last handed out: if links are offered without a crawl, they go to the crawl for which
-- their page was lent.
create index lent_url_page on lent_url (host_id, crawl_id, key);

-- The first foreign page of a crawl with a body. It is not in `content`: a page whose body we do not hold must not
-- stand for a page of ours, or nobody would read that page.
create table lent_content (
  crawl_id  bigint not null,
  hash      bytea not null,
  host_id   bigint not null,
  key       bytea not null,
  primary key (crawl_id, hash)
);
